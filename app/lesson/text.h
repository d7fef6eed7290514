// The texts of a lesson in each of its languages.
//
// A language is a tag ("en", "zh") that the lesson's file names. No code depends on the tags, so a
// third language is added in the file alone.
#pragma once

#include "lesson/place.h"
#include "problem/result.h"
#include "state/app_state.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::lesson {

// The language of a block's keys without a language tag, and the fallback of texts.
inline constexpr const char* kFirstLanguage = "en";

// Markdown, with the line of the lesson's file for each of its lines.
struct Text {
  std::string text;
  std::vector<int> lines;

  // Line of the character at `offset`; 0 if unknown.
  [[nodiscard]] int line_at(std::size_t offset) const;

  friend bool operator==(const Text&, const Text&) = default;
};

// A text in one or more languages.
struct Words {
  // "": for all languages.
  std::map<std::string, Text, std::less<>> by_language;

  [[nodiscard]] bool empty() const { return by_language.empty(); }
  // The text in that language, or the one for all languages, or else any.
  [[nodiscard]] const Text& text(std::string_view language = kFirstLanguage) const;
  [[nodiscard]] const std::string& in(std::string_view language = kFirstLanguage) const {
    return text(language).text;
  }
  // The first of `languages` without a text; empty if there is none, or if there are no words at
  // all.
  [[nodiscard]] std::string missing(const std::vector<std::string>& languages) const;

  friend bool operator==(const Words&, const Words&) = default;
};

// A line of the file without its line end.
struct Line {
  int number = 0;
  std::string text;
};

// Lines below a line "[en]" are in that language, until the next such line; lines above the first
// one are for all languages. Drops blank lines around it. Fails at a language that is not in
// `languages`.
[[nodiscard]] Result<Words> split_languages(const std::vector<Line>& lines,
                                            const std::vector<std::string>& languages,
                                            const std::string& file);
// "English · 中文": in the order of `languages`; a title without " · " is for all languages.
[[nodiscard]] Result<Words> split_title(const Line& title,
                                        const std::vector<std::string>& languages,
                                        const std::string& file);

// "text", "text_zh", …
[[nodiscard]] std::vector<std::string> word_keys(const std::string& key,
                                                 const std::vector<std::string>& languages);

// A piece of a text: literal Markdown, or an {{ expression }}.
struct TextPiece {
  bool is_expression = false;
  std::string text;  // of an expression: without the braces
  int line = 0;      // of the file
};
// An unclosed {{: its line (0: unknown) and a sentence.
struct TextMistake {
  int line = 0;
  std::string sentence;
};
[[nodiscard]] tl::expected<std::vector<TextPiece>, TextMistake> pieces_of(const Text& text);

// Links in a lesson's text that change what is on stage: [As[1][2]](#cell=As[1][2]),
// [naive](#kernel=naive&block_size=4), [the load](#scene=load-1). docs/formats/lesson.md.

// The content of a scene, a question or a link: a state and its place in the run.
struct Position {
  state::AppState state;  // its step is still 0: go_to() finds it
  Place place;

  friend bool operator==(const Position& a, const Position& b) {
    return a.state == b.state && a.place.kind == b.place.kind && a.place.number == b.place.number;
  }
};

// A key with its value as written: block_size and 4.
struct Change {
  std::string key;
  std::string value;

  friend bool operator==(const Change&, const Change&) = default;
};

// The scene of that name; nullopt if there is none.
using PositionNamed = std::function<std::optional<Position>(const std::string& name)>;

// "#block=1&thread=6" → its changes, in order; nullopt for a link to something else.
[[nodiscard]] std::optional<std::vector<Change>> changes_of(std::string_view link);
// Applies the changes in order. Keys are those of a scene, and `scene` (all of it), `block`,
// `thread`, `cell` (of the focus). Fails with a sentence: an unknown key or an invalid value.
[[nodiscard]] Result<Position> changed(Position from, std::span<const Change> changes,
                                       const PositionNamed& scene_named);

// changed() with the scenes and the folder of the kernels bound: Lesson::follow().
using Follow = std::function<Result<Position>(const Position& from, std::span<const Change>)>;

// A link in a Markdown text.
struct Link {
  std::string target;  // "#cell=As[1][2]"
  std::string words;   // "As[1][2]"
};
// The links of a Markdown text, in order.
[[nodiscard]] std::vector<Link> links_in(const std::string& markdown);
// The text with links that change the stage, [As[1][2]](#cell=As[1][2]), replaced by their words:
// for paper. Other links stay.
[[nodiscard]] std::string without_stage_links(const std::string& markdown);

}  // namespace tilestep::lesson
