// Launch → a kernel that is compiled, parsed and ready to execute: the only path from a description
// to a program.
//
//   description, parameters, input → launch → PTX → module → program
//
// Callers that need less use the steps directly: timing needs no program (load_kernel,
// pack_arguments), and filling a cache needs only kernels (load_kernel).
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
  // With a fast build, 90: its machine code for compute capability 9.0 if all its instructions are
  // simulated, otherwise the PTX; 0: the PTX.
  int architecture = 0;
  problem::BufferContents contents = problem::BufferContents::Filled;
};

struct Prepared {
  problem::Launch launch;
  Kernel kernel;
  std::shared_ptr<const simt::Program> program;
  bool is_machine_code = false;      // of PrepareOptions::architecture
  std::string why_not_machine_code;  // a sentence if it was requested and is not available
  std::string padding;  // a sentence if machine code has loads that are counted and not executed
};

// Whether its buffers may be filled for counting, which holds contents several times: in the
// launch, and in the machine that runs a block. Larger ones are counted with zeros.
[[nodiscard]] bool can_be_filled(const problem::Launch& launch);

// The first failure is the error. Diagnostics are those of a failed compile, or the warnings of a
// compile before a later failure.
[[nodiscard]] tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                                          problem::Launch launch,
                                                          const PrepareOptions& options = {});

[[nodiscard]] tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                                          const problem::LaunchSpec& spec,
                                                          const problem::Parameters& parameters,
                                                          const problem::InputSpec& input,
                                                          const PrepareOptions& options = {});

// Launch and kernel → a program that is ready to execute.

// warp_size: 32, or a smaller power of two as a teaching warp (labeled as such wherever shown).
// Fails if description and kernel disagree (see pack_arguments).
[[nodiscard]] Result<std::shared_ptr<const simt::Program>> make_program(
    const Kernel& kernel, const problem::Launch& launch, int warp_size = simt::kWarpSize);

}  // namespace tilestep::loading
