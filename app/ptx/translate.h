// Machine code as PTX: what each of its instructions does, so that the simulator executes them, the
// stage shows them and the analyses count them like any other code.
//
// The registers are those of the machine code: %R0 …, %P0 …, and the uniform %UR0 …, %UP0 …, which
// here each thread has (machine code computes with them where the values are the same for all). An
// instruction becomes one to eight of PTX; one of them is its representative, which is counted. A
// pair of registers is a 64-bit number; carries are predicates, as in the machine code.
//
// Not translated, but refused with the instruction's text: what decode.h does not know, constants
// outside the launch's bank, and addresses of variables.
//
// Pure: values in, text out.
#pragma once

#include "problem/result.h"
#include "ptx/model/module.h"
#include "ptx/sass/decode.h"
#include "ptx/sass/sass.h"

#include <string>

namespace tilestep::ptx {

// `fast`: the parsed PTX of the same build; `entry`: its kernel, whose parameters and shared arrays
// the module gets. The result's only function is the kernel.
[[nodiscard]] Result<Module> translate_sass(const CubinKernel& kernel, const Module& fast,
                                            std::uint32_t entry);

}  // namespace tilestep::ptx
