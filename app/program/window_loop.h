// The interactive window: events in, commands to the workspace, one frame when something changed.
#pragma once

#include "cli/context.h"
#include "cli/launch_options.h"

namespace tilestep::program {

// Opens the window on the launch and returns when it is closed; the exit status of the program.
// Without a display it says so and what to do instead.
[[nodiscard]] int open_window(const cli::LaunchOptions& options, cli::Context& context);

}  // namespace tilestep::program
