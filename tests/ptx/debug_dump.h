// A module's debug information as text: what the golden tests of app/ptx compare.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx::test {

// Globals, and per function its scopes with their variables and where their values are.
[[nodiscard]] std::string dump_debug_info(const Module& module);

// The structures, unions and enumerations that a module's variables are made of.
[[nodiscard]] std::string dump_types(const Module& module);

// "%rd4"
[[nodiscard]] std::string register_name(const Function& function, Register reg);

}  // namespace tilestep::ptx::test
