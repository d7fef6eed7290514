// Small helpers for texts that people read and write.
#pragma once

#include <cctype>
#include <cstdint>
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

}  // namespace tilestep
