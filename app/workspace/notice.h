// What is said of a command that nothing else shows.
#pragma once

#include "state/command.h"

#include <string>
#include <variant>

namespace tilestep::workspace {

inline constexpr const char* kCopied = "Copied: ";

// Empty: nothing.
[[nodiscard]] inline std::string notice_of(const state::Command& command) {
  const auto* const copied = std::get_if<state::Copied>(&command);
  return copied == nullptr ? std::string() : kCopied + copied->what + ".";
}

}  // namespace tilestep::workspace
