// The interactive window: events in, commands to the workspace, one frame when something changed.
#pragma once

#include "cli/cli.h"
#include "cli/context.h"
#include "platform/window.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace tilestep::program {

// Opens the window on the launch, scene or session and returns when it is closed; the exit status
// of the program. Without a display it says so and what to do instead.
[[nodiscard]] int open_window(const cli::WindowOptions& options, cli::Context& context);

// Shows the workspace in the window that `open` makes until it is closed. A reset of the graphics
// driver takes the window and not the work: another is opened, a few times.
struct ShownSession {
  std::filesystem::path file{};  // in which the state is kept; may be empty
  workspace::Infer infer{};      // for sessions that are opened later
  bool comes_back = false;       // after a crash (platform/comeback.h)
};
// A window of its own, or a second one beside another, which it outlives.
using OpenWindow = std::function<std::unique_ptr<platform::Window>(platform::Window* beside)>;
void show_window(const OpenWindow& open, workspace::Workspace& workspace,
                 const ShownSession& session = {});

}  // namespace tilestep::program
