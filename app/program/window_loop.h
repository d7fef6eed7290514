// The interactive window: events in, commands to the workspace, one frame when something changed.
#pragma once

#include "cli/cli.h"
#include "cli/context.h"
#include "lesson/place.h"
#include "platform/window.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace tilestep::program {

// Opens the window on the launch, scene or session and returns when it is closed; the exit status
// of the program. Without a display it says so and what to do instead.
[[nodiscard]] int open_window(const cli::WindowOptions& options, cli::Context& context);

// Shows the workspace in the window that `open` makes until it is closed. A reset of the graphics
// driver takes the window and not the work: another is opened, a few times. `first_place`: where
// the run stands once it is recorded. `session`: the file in which the state is kept; may be empty.
void show_window(const std::function<std::unique_ptr<platform::Window>()>& open,
                 workspace::Workspace& workspace,
                 std::optional<lesson::Place> first_place = std::nullopt,
                 const std::filesystem::path& session = {});

}  // namespace tilestep::program
