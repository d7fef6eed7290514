// From the options on the command line to a program that is ready to run: what check, trace and run
// share.
#pragma once

#include "cli/launch_options.h"
#include "compile/compiler.h"
#include "loading/loader.h"
#include "simt/machine/machine.h"
#include "workspace/workspace.h"

#include <memory>
#include <string>

namespace tilestep::cli {

// Exit status where a command needs a GPU and there is none.
inline constexpr int kNoGpu = 2;

struct Prepared {
  workspace::Paths paths;
  problem::Catalog catalog;
  problem::LaunchSpec spec;
  problem::Launch launch;
  simt::Schedule schedule;
  loading::Kernel kernel;
  std::shared_ptr<const loading::Kernel> debug;  // the step build, when `kernel` is a fast one
  std::shared_ptr<const simt::Program> program;
};

// Catalog, description, launch, compile, program; the first thing that fails is the error. Compiler
// messages stand in it line by line.
[[nodiscard]] Result<Prepared> prepare(const LaunchOptions& options, compile::Build build,
                                       const workspace::Paths& paths = workspace::find_paths());

// "tiled  8×8×8  BLOCK_SIZE 4  2×2 blocks of 4×4 threads"
[[nodiscard]] std::string headline(const Prepared& prepared);

// The compiler's messages, line by line.
[[nodiscard]] Error compile_error(const loading::LoadFailure& failure);

// Prints the sentence to stderr and returns 2.
[[nodiscard]] int wrong_use(const Error& error);

}  // namespace tilestep::cli
