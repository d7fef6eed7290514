// How control comes to an instruction, for what is found out about a whole function when it is
// bound.
#pragma once

#include "simt/bind/bind.h"

#include <vector>

namespace tilestep::simt {

// Goes on with the next instruction, for the same lanes, whatever it computes.
[[nodiscard]] bool goes_straight_on(const ptx::Instruction& i);

// Where control may come to from elsewhere than from the instruction before: by pc, and one more.
[[nodiscard]] std::vector<bool> entrances(const ptx::Function& source);

}  // namespace tilestep::simt
