// A kernel as ptxas translates it for one architecture, as far as the machine can count it: its
// loads from shared memory have the widths that the machine code's have.
//
// NVRTC compiles the launch's machine code without a GPU; the widths of its loads are compared with
// what merge_loads makes of the PTX. Where they are the same, the merged module counts what the
// hardware executes; where they are not, the PTX stays as it is and says so.
//
//   load_kernel(…, Build::Fast) → as_machine_code → simt::Program::make → insight::profile
#pragma once

#include "compile/compiler.h"
#include "loading/loader.h"
#include "problem/launch/launch.h"
#include "problem/result.h"

#include <string>

namespace tilestep::loading {

struct MachineCodeKernel {
  Kernel kernel;         // merged where it agrees, else as it was given
  int architecture = 0;  // 90: compute capability 9.0
  bool agrees = false;
  std::string why_not;  // a sentence where it does not
  std::string padding;  // a sentence where there are loads before asynchronous copies
};

// `kernel`: the launch's fast build. Fails where there is no NVRTC (and no cache entry), or the
// machine code cannot be read.
[[nodiscard]] Result<MachineCodeKernel> as_machine_code(compile::Compiler& compiler,
                                                        const problem::Launch& launch,
                                                        const Kernel& kernel, int architecture);

}  // namespace tilestep::loading
