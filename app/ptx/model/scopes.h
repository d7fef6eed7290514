// Questions about a function's scopes and variables, as whoever shows values at run time asks them.
//
// The rule of docs/reading-ptx.md, "Where a variable's value is": when a thread arrives at `pc`,
// before the instruction there executes, first the variables of every scope of
// scopes_entered_at(pc) are forgotten, then every event of events_at(pc) copies its register's
// value.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::ptx {

// Index of the innermost scope that contains `pc`; 0 when the function has no other.
[[nodiscard]] std::uint32_t innermost_scope(const Function& function, std::uint32_t pc);

// The events at `pc`: a part of Function::events.
[[nodiscard]] std::span<const AssignmentEvent> events_at(const Function& function,
                                                         std::uint32_t pc);

// Scopes (but the function's own) whose code starts at `pc`.
[[nodiscard]] std::vector<std::uint32_t> scopes_entered_at(const Function& function,
                                                           std::uint32_t pc);

// Puts a scope's variables into the order of their declaration, parameters first.
void sort_variables(Function& function, Scope& scope);

}  // namespace tilestep::ptx
