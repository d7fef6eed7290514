// Small helpers for texts that people read and write.
#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep {

// Without the blanks and line ends around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A part of names in C++.
[[nodiscard]] inline bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether `name` is in `text` by itself, not as a part of a longer name.
[[nodiscard]] bool mentions(std::string_view text, std::string_view name);

// "a,b" → "a", "b". Between two commas stands an empty one; nothing at all has none.
[[nodiscard]] inline std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> all;
  std::stringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    all.push_back(one);
  }
  return all;
}

// 1234567 → "1,234,567"
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// "1 byte", "2 bytes": with an -s, and as the language that is spoken has it (tr.h).
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);

// "a \"b\"" → "\"a \\\"b\\\"\"": a string of TOML, whatever the text. Bytes that are no UTF-8 have
// no form in TOML; printable()'s escapes stand for them.
[[nodiscard]] std::string toml_quoted(std::string_view text);

// A key of TOML: in quotes where the name is not of ASCII's letters, digits, _ and - alone.
[[nodiscard]] std::string toml_key(std::string_view name);

// Texts of unknown origin, made fit for a terminal.

// The same text with control characters, what changes the direction of writing, and bytes that are
// no UTF-8 as escapes (\\x1b): a file's bytes must not command the terminal that shows a message
// about them. Line ends and tabs stay. Every sentence passes here on its way to a person.
[[nodiscard]] std::string printable(std::string_view text);

// As much of it as a sentence can show, "…" for the rest.
[[nodiscard]] std::string shortened(std::string_view text);

// Blanks beside ideographs. A translation has one between an ideograph and a name in Latin letters
// ("线程 (1,0) 读取"); where the name turns out to be written in ideographs itself, it goes.

// U+3000 to U+9FFF and the full-width forms, whose three bytes in UTF-8 begin with these.
[[nodiscard]] constexpr bool is_lead_of_ideograph(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  return (lead >= 0xe3U && lead <= 0xe9U) || lead == 0xefU;
}

[[nodiscard]] constexpr bool begins_with_ideograph(std::string_view text) {
  return !text.empty() && is_lead_of_ideograph(text.front());
}
[[nodiscard]] constexpr bool ends_with_ideograph(std::string_view text) {
  return text.size() >= 3 && is_lead_of_ideograph(text[text.size() - 3]);
}

// A full-width comma, stop or bracket has its own room behind it.
[[nodiscard]] constexpr bool ends_with_full_mark(std::string_view text) {
  for (const std::string_view mark : {"、", "。", "，", "；", "：", "！", "？", "）", "」", "》"}) {
    if (text.ends_with(mark)) {
      return true;
    }
  }
  return false;
}

// Without the blanks that stand between two ideographs, or behind a full-width mark.
[[nodiscard]] inline std::string joined_ideographs(std::string text) {
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) {
    const std::string_view all = text;
    const std::string_view before = all.substr(0, at);
    const bool is_between =
        ends_with_ideograph(before) && begins_with_ideograph(all.substr(at + 1));
    if (is_between || ends_with_full_mark(before)) {
      text.erase(at, 1);
    } else {
      ++at;
    }
  }
  return text;
}

}  // namespace tilestep

namespace tilestep::problem {

// Bytes as letters (RFC 4648, section 4): what a text file holds of a file that is none.
[[nodiscard]] std::string to_base64(std::string_view bytes);
// Blanks and line ends between the letters are skipped. Nothing where a letter is none of
// base64's, or the text is cut off.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilestep::problem
