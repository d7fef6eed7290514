// What is said of a command that nothing else shows.
#pragma once

#include "problem/tr.h"
#include "state/command.h"

#include <string>
#include <variant>

namespace tilestep::workspace {

// Empty: nothing.
[[nodiscard]] inline std::string notice_of(const state::Command& command) {
  const auto* const copied = std::get_if<state::Copied>(&command);
  return copied == nullptr ? std::string() : tr("Copied: {}.", copied->what);
}

}  // namespace tilestep::workspace
