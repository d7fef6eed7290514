// What a lesson says, in as many languages as it has.
//
// A language is a tag ("en", "zh") that the lesson's file names; no code knows one, so that a third
// one is work for whoever writes the file and for nobody else.
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

// What the keys of a block without a language are in, and what a text without others is shown in.
inline constexpr const char* kFirstLanguage = "en";

// Markdown, with the line of the lesson's file that each of its lines stands in.
struct Text {
  std::string text;
  std::vector<int> lines;

  // Of the character at `offset`; 0 where nothing is known.
  [[nodiscard]] int line_at(std::size_t offset) const;

  friend bool operator==(const Text&, const Text&) = default;
};

struct Words {
  // "": for all languages.
  std::map<std::string, Text, std::less<>> by_language;

  [[nodiscard]] bool empty() const { return by_language.empty(); }
  // In that language, or for all, or else in any.
  [[nodiscard]] const Text& text(std::string_view language = kFirstLanguage) const;
  [[nodiscard]] const std::string& in(std::string_view language = kFirstLanguage) const {
    return text(language).text;
  }
  // The first of `languages` that it is not in; empty: it is in all, or has no words at all.
  [[nodiscard]] std::string missing(const std::vector<std::string>& languages) const;

  friend bool operator==(const Words&, const Words&) = default;
};

// A line of the file, without its end.
struct Line {
  int number = 0;
  std::string text;
};

// Lines below a line "[en]" are in that language, until the next such line; those above the first
// are in all. Blank lines around it are left out. Fails at a language that is not in `languages`.
[[nodiscard]] Result<Words> split_languages(const std::vector<Line>& lines,
                                            const std::vector<std::string>& languages,
                                            const std::string& file);
// "English · 中文": in the order of `languages`; a title without " · " is for all.
[[nodiscard]] Result<Words> split_title(const Line& title,
                                        const std::vector<std::string>& languages,
                                        const std::string& file);

// "text", "text_zh", …
[[nodiscard]] std::vector<std::string> word_keys(const std::string& key,
                                                 const std::vector<std::string>& languages);

// A text is literal Markdown with {{ expressions }} between.
struct TextPiece {
  bool is_expression = false;
  std::string text;  // of an expression: without its braces
  int line = 0;      // of the file
};
// Fails where {{ has no }}, with the line that it stands in (0: unknown) and a sentence.
struct TextMistake {
  int line = 0;
  std::string sentence;
};
[[nodiscard]] tl::expected<std::vector<TextPiece>, TextMistake> pieces_of(const Text& text);

// Links in a lesson's text that change what is on stage: [As[1][2]](#cell=As[1][2]),
// [naive](#kernel=naive&block_size=4), [the load](#scene=load-1). docs/formats.md, "Links".

// What a scene, a question or a link shows: a state and the place in its run.
struct Position {
  state::AppState state;  // its step is still 0: go_to() finds it
  Place place;

  friend bool operator==(const Position& a, const Position& b) {
    return a.state == b.state && a.place.kind == b.place.kind && a.place.number == b.place.number;
  }
};

// One key with its value as it is written: block_size and 4.
struct Change {
  std::string key;
  std::string value;

  friend bool operator==(const Change&, const Change&) = default;
};

// What a name of a scene means to the caller; nothing: there is none of that name.
using PositionNamed = std::function<std::optional<Position>(const std::string& name)>;

// "#block=1&thread=6" → its changes, in order; nothing for a link to somewhere else.
[[nodiscard]] std::optional<std::vector<Change>> changes_of(std::string_view link);
// One after the other. Keys are those of a scene, and `scene` (all of it), `block`, `thread`,
// `cell` (of the focus). Fails with a sentence: an unknown key, a value that it cannot have.
[[nodiscard]] Result<Position> changed(Position from, std::span<const Change> changes,
                                       const PositionNamed& scene_named);

// The same for whoever knows the scenes, and where files of kernels lie: Lesson::follow().
using Follow = std::function<Result<Position>(const Position& from, std::span<const Change>)>;

struct Link {
  std::string target;  // "#cell=As[1][2]"
  std::string words;   // "As[1][2]"
};
// Of a Markdown text, in order.
[[nodiscard]] std::vector<Link> links_in(const std::string& markdown);
// The text with the words of links that change the stage, [As[1][2]](#cell=As[1][2]), in place of
// the links: for paper. Other links stay.
[[nodiscard]] std::string without_stage_links(const std::string& markdown);

}  // namespace tilestep::lesson
