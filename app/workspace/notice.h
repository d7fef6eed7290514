// The message about a command whose effect is not visible otherwise.
#pragma once

#include "problem/tr.h"
#include "state/command.h"

#include <string>

namespace tilestep::workspace {

// Empty: no message.
[[nodiscard]] inline std::string notice_of(const state::Command& command) {
  const auto* const copied = command.as<state::Copied>();
  return copied == nullptr ? std::string() : tr("Copied: {}.", copied->what);
}

}  // namespace tilestep::workspace
