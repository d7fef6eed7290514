// A module's debug information as text, for the golden tests of app/ptx.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// Globals, and per function its scopes with their variables and the locations of their values.
[[nodiscard]] std::string dump_debug_info(const Module& module);

// The structures, unions and enumerations of a module's variables.
[[nodiscard]] std::string dump_types(const Module& module);

// "%rd4"
[[nodiscard]] std::string register_name(const Function& function, Register reg);

}  // namespace tilestep::ptx::test
