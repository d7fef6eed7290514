// What a lesson says, in as many languages as it has.
//
// A language is a tag ("en", "zh") that the lesson's file names; no code knows one, so that a third
// one is work for whoever writes the file and for nobody else.
#pragma once

#include "problem/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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

}  // namespace tilestep::lesson
