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

// Without leading and trailing blanks and line ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Whether the character may be part of a C++ name.
[[nodiscard]] inline bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether `name` occurs in `text` as a whole name, not as part of a longer one.
[[nodiscard]] bool mentions(std::string_view text, std::string_view name);

// In lowercase; letters beyond ASCII stay as they are.
[[nodiscard]] inline std::string lower(std::string text) {
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

// The lines without their line ends; an empty text and the end of a last line give an empty one.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

// "a,b" → "a", "b". Between two adjacent commas is an empty item; an empty text has no items.
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

// "1 byte", "2 bytes": with an -s, translated to the current language (tr.h).
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);

// "a \"b\"" → "\"a \\\"b\\\"\"": a TOML string of any text. Invalid UTF-8, which TOML cannot hold,
// becomes printable()'s escapes.
[[nodiscard]] std::string toml_quoted(std::string_view text);

// A TOML key, quoted unless the name has only ASCII letters, digits, _ and -.
[[nodiscard]] std::string toml_key(std::string_view name);

// Makes texts of unknown origin safe for a terminal.

// The text with control characters, changes of the writing direction and invalid UTF-8 as escapes
// (\\x1b): a file's bytes must not control the terminal that shows a message about them. Line ends
// and tabs stay. Every sentence passes through this function before it is shown.
[[nodiscard]] std::string printable(std::string_view text);

// The part of it that a sentence can show, with "…" for the rest.
[[nodiscard]] std::string shortened(std::string_view text);

// Blanks beside ideographs. A translation has a blank between an ideograph and a Latin name ("线程
// (1,0) 读取"); the blank is removed if the name itself is in ideographs.

// U+3000 to U+9FFF and the full-width forms: their three UTF-8 bytes begin with these.
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

// A full-width comma, stop or bracket includes its own space.
[[nodiscard]] constexpr bool ends_with_full_mark(std::string_view text) {
  for (const std::string_view mark : {"、", "。", "，", "；", "：", "！", "？", "）", "」", "》"}) {
    if (text.ends_with(mark)) {
      return true;
    }
  }
  return false;
}

// Removes blanks between two ideographs and after a full-width mark.
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

// Bytes as letters (RFC 4648, section 4): binary files inside a text file.
[[nodiscard]] std::string to_base64(std::string_view bytes);
// Skips blanks and line ends between letters. Nullopt if a letter is not base64 or the text is
// truncated.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilestep::problem
