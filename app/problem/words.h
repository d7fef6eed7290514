// The words for enum values: in files and on the command line, and on screen.
//
// Every enum that a person or a file sees has one table, kWords<Enum>, in its room's words.h; every
// reader, writer and window uses it. A table that lacks an enumerator, has one out of order, or
// uses a word twice does not compile.
#pragma once

#include "problem/tr.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep {

// A text of a table: stored in English, translated to the current language (language.h) when used
// as a text.
struct Message {
  const char* english = "";

  constexpr Message() = default;
  constexpr Message(const char* text) : english(text) {}  // NOLINT: written as a text
  operator const char*() const;                           // NOLINT: read as a text
  [[nodiscard]] const char* text() const { return *this; }
  [[nodiscard]] constexpr bool empty() const { return *english == '\0'; }
};

template <class Enum>
struct Word {
  Enum value{};
  std::string_view file;  // TOML, JSON, CSV, command line
  Message label{};
  Message tooltip{};  // empty: none
};

// Specialized for each enum: one word per enumerator, in the enum's order.
template <class Enum>
inline constexpr std::array<Word<Enum>, 0> kWords{};

namespace words_detail {

// The compiler prints a value without an enumerator as a cast, "(Enum)7".
template <auto value>
[[nodiscard]] constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("value = (") == std::string_view::npos;
}

template <class Enum, std::size_t count>
[[nodiscard]] constexpr bool is_one_to_one(const std::array<Word<Enum>, count>& words) {
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i].value != static_cast<Enum>(i) || words[i].file.empty() || words[i].label.empty()) {
      return false;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (words[i].file == words[j].file ||
          std::string_view(words[i].label.english) == words[j].label.english) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace words_detail

template <class Enum>
[[nodiscard]] constexpr const auto& words_of() {
  constexpr std::size_t kCount = kWords<Enum>.size();
  static_assert(kCount > 0, "include the words.h of the enum's room");
  static_assert(!words_detail::is_enumerator<static_cast<Enum>(kCount)>(),
                "the last enumerators have no words");
  static_assert(words_detail::is_one_to_one(kWords<Enum>),
                "the words are out of order, empty, or alike");
  return kWords<Enum>;
}

template <class Enum>
[[nodiscard]] constexpr const Word<Enum>& word_of(Enum value) {
  return words_of<Enum>()[static_cast<std::size_t>(value)];
}

// Nullopt if the text is not a word of the enum.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> value_of(std::string_view file_word) {
  for (const Word<Enum>& word : words_of<Enum>()) {
    if (word.file == file_word) {
      return word.value;
    }
  }
  return std::nullopt;
}

// The words of an enum, for "known are …" and for the values of an option; `keep(value)` selects
// them.
template <class Enum, class Keep>
[[nodiscard]] std::vector<std::string> file_words(const Keep& keep) {
  std::vector<std::string> all;
  for (const Word<Enum>& word : words_of<Enum>()) {
    if (keep(word.value)) {
      all.emplace_back(word.file);
    }
  }
  return all;
}

template <class Enum>
[[nodiscard]] std::vector<std::string> file_words() {
  return file_words<Enum>([](Enum) { return true; });
}

// "lockstep, sequential or random"
[[nodiscard]] inline std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : tr(" or ")) + words[i];
  }
  return text;
}

}  // namespace tilestep

template <>
struct fmt::formatter<tilestep::Message> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const tilestep::Message& message, Context& context) const {
    return fmt::formatter<std::string_view>::format(static_cast<const char*>(message), context);
  }
};
