// tilestep scenes: a lesson as pictures; and what it shares with render.
#pragma once

#include "cli/context.h"
#include "cli/prepare.h"
#include "platform/error.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "workspace/workspace.h"

#include <CLI/CLI.hpp>

#include <string>

namespace tilestep::program {

void add_scenes_command(CLI::App& app, cli::Context& context);

// The lesson at one of its beats, counted from 1, as it is opened from the list.
[[nodiscard]] Result<state::AppState> open_beat(workspace::Workspace& workspace,
                                                const std::string& lesson, int beat);
// BLOCK_SIZE 0 is that of kernels without one; of a kernel that has one it selects nothing.
[[nodiscard]] Result<void> check_point(const state::TimedPoint& point,
                                       const problem::Catalog& catalog, const std::string& place);

// A lost display or a full disk is a sentence, not a crash.
template <class Options>
int guarded(int (*run)(const Options&, cli::Context&), const Options& options,
            cli::Context& context) {
  try {
    return run(options, context);
  } catch (const platform::PlatformError& error) {
    return cli::wrong_use({error.what()});
  }
}

}  // namespace tilestep::program
