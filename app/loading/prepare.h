// Launch → a kernel that is compiled, read and ready to execute: the one way from a description to
// a program.
//
//   description, parameters, input → launch → PTX → module → program
//
// Callers that need less take the steps by themselves: timing has no use for a program
// (load_kernel, pack_arguments), and a cache is filled with kernels alone (load_kernel).
#pragma once

#include "compile/compiler.h"
#include "loading/loader.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "simt/machine/program.h"

#include <memory>
#include <string>

namespace tilestep::loading {

struct PrepareOptions {
  compile::Build build = compile::Build::Fast;
  int warp_size = simt::kWarpSize;  // see make_program
  Declarations declarations = Declarations::WhereNeeded;
  // 90: the fast build with its loads from shared memory as ptxas translates them for compute
  // capability 9.0, where that can be told; 0: as the PTX has them.
  int architecture = 0;
  problem::BufferContents contents = problem::BufferContents::Filled;
};

struct Prepared {
  problem::Launch launch;
  Kernel kernel;
  std::shared_ptr<const simt::Program> program;
  bool is_machine_code = false;      // of PrepareOptions::architecture
  std::string why_not_machine_code;  // a sentence where it was asked for and is not
  std::string padding;               // MachineCodeKernel::padding
};

// Whether its buffers may be filled for counting, which holds contents several times: of the
// launch, and of the machine that runs a block. Larger ones are counted with zeros.
[[nodiscard]] bool can_be_filled(const problem::Launch& launch);

// The first thing that fails is the error; a compile that fails has diagnostics, and so have the
// warnings of one after which something else failed.
[[nodiscard]] tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                                          problem::Launch launch,
                                                          const PrepareOptions& options = {});

[[nodiscard]] tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                                          const problem::LaunchSpec& spec,
                                                          const problem::Parameters& parameters,
                                                          const problem::InputSpec& input,
                                                          const PrepareOptions& options = {});

// Launch and kernel → a program that is ready to execute.

// warp_size: 32, or a smaller power of two as a teaching warp (labelled as such wherever shown).
// Fails when description and kernel disagree (see pack_arguments).
[[nodiscard]] Result<std::shared_ptr<const simt::Program>> make_program(
    const Kernel& kernel, const problem::Launch& launch, int warp_size = simt::kWarpSize);

// A kernel as ptxas translates it for one architecture, as far as the machine can count it: its
// loads from shared memory have the widths that the machine code's have.
//
// NVRTC compiles the launch's machine code without a GPU; the widths of its loads are compared with
// what merge_loads makes of the PTX. Where they are the same, the merged module counts what the
// hardware executes; where they are not, the PTX stays as it is and says so.
//
//   load_kernel(…, Build::Fast) → as_machine_code → simt::Program::make → insight::profile
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
