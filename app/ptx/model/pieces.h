// Names and types of pieces: what is left of a variable that the compiler keeps apart (names.h).
#pragma once

#include "ptx/model/module.h"

#include <cstdint>

namespace tilestep::ptx {

// Names a piece by its declaration: "ends[1]", "p.b[1]", and gives it that part's type. `declared`:
// the type of the whole; kNoType: not known, then the numbers are taken as indices. Does nothing
// to variables that are whole. False: the type does not fit, or the numbers do not say which part
// it is; then the piece is called what the whole is.
bool name_piece(Module& module, std::uint32_t variable, TypeId declared);

}  // namespace tilestep::ptx
