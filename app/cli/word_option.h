// An option whose value is one of an enum's words.
#pragma once

#include "problem/words.h"

#include <CLI/App.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tilestep::cli {

// `words`: those that may be said here; other ones are refused with their list.
template <class Enum>
CLI::Option* add_word_option(CLI::App& command, const std::string& flags, Enum& value,
                             const std::string& help,
                             std::vector<std::string> words = file_words<Enum>()) {
  return command
      .add_option_function<std::string>(
          flags, [&value](const std::string& text) { value = *value_of<Enum>(text); }, help)
      ->check(CLI::IsMember(std::move(words)))
      ->default_str(std::string(word_of(value).file));
}

}  // namespace tilestep::cli
