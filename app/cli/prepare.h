// From the options on the command line to a program that is ready to run: what check, trace and run
// share.
#pragma once

#include "cli/context.h"
#include "cli/launch_options.h"
#include "loading/prepare.h"
#include "record/recording.h"
#include "simt/machine/schedule.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::cli {

// Exit status where a command needs a GPU and there is none.
inline constexpr int kNoGpu = 2;

// A prepared launch, and how the options want it executed.
struct Prepared : loading::Prepared {
  problem::LaunchSpec spec;
  simt::Schedule schedule;
  std::string guessed;  // sentences about a launch that no description says; else empty
};

// Catalog, description, launch, compile, program; the first thing that fails is the error. Compiler
// messages stand in it line by line. `architecture`: see loading::PrepareOptions. A .cu without a
// description is inferred (infer.h), once: `known` is what an earlier call has found.
[[nodiscard]] Result<Prepared> prepare(Context& context, const LaunchOptions& options,
                                       compile::Build build, int architecture = 0,
                                       problem::BufferContents contents = {},
                                       const problem::LaunchSpec* known = nullptr);

// The launch executed and recorded, with a line of progress that begins with the command's name.
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_run(
    const Prepared& prepared, const std::string& command);

// Prints to stderr what was guessed, if anything was.
void tell_guess(const std::string& guessed);
void tell_guess(const Prepared& prepared);

// A kernel that the catalog lacks and that a window or picture is to show: described by flags or by
// another file, or a .cu whose launch is inferred. Its id is what the options name. Nothing: the
// options name a kernel of the catalog, or a .cu with its description beside it.
struct OwnKernel {
  problem::LaunchSpec spec;
  std::string guessed;  // as Prepared; of a launch with findings, too, which is to be seen
};
[[nodiscard]] Result<std::optional<OwnKernel>> own_kernel(Context& context,
                                                          const problem::Catalog& catalog,
                                                          const LaunchOptions& options);

// "tiled  8×8×8  BLOCK_SIZE 4  2×2 blocks of 4×4 threads"
[[nodiscard]] std::string headline(const Prepared& prepared);

// The compiler's messages, line by line.
[[nodiscard]] Error compile_error(const loading::LoadFailure& failure);

// Prints the sentence to stderr and returns 2.
[[nodiscard]] int wrong_use(const Error& error);

}  // namespace tilestep::cli
