// The interactive window: events in, commands to the workspace, one frame when something changed.
#pragma once

#include "cli/cli.h"
#include "cli/command.h"
#include "lesson/place.h"
#include "platform/window.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/scene_text.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::program {

// Opens the window on the launch, scene or session and returns when it is closed; the exit status
// of the program. Without a display it says so and what to do instead.
[[nodiscard]] Result<int> open_window(const cli::WindowOptions& options, cli::Context& context);

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

// What a window opens with: a launch, a scene, a session, or the first start.
struct Beginning {
  state::AppState state;
  std::optional<lesson::Place> place;  // once it is recorded
  std::string notice;
  std::string lesson;  // is opened then; empty: none
};

// By what the command line says; kernels that it needs join the workspace's catalog. Fails with a
// sentence.
[[nodiscard]] Result<Beginning> beginning(workspace::Workspace& workspace, cli::Context& context,
                                          const cli::WindowOptions& options,
                                          const std::filesystem::path& session);
// Of a session alone, which may not exist yet.
[[nodiscard]] Beginning session_beginning(workspace::Workspace& workspace,
                                          const workspace::Infer& infer,
                                          const std::filesystem::path& session);

// A launch by its options. A kernel that is described by flags or inferred joins the catalog, so
// that the state can name it; what was guessed is told on standard error.
struct Launched {
  state::AppState state;
  std::string guessed;  // empty: nothing
};
[[nodiscard]] Result<Launched> launched(workspace::Workspace& workspace, cli::Context& context,
                                        const cli::LaunchOptions& options);

// A scene from a link or a file; its kernel joins the catalog.
[[nodiscard]] Result<state::AppState> scene_beginning(workspace::Workspace& workspace,
                                                      const workspace::Infer& infer,
                                                      const std::string& link_or_file);

// What starts a .cu of the user's, as for the commands. `context` has to outlive it.
[[nodiscard]] workspace::Infer infer_by(cli::Context& context);

}  // namespace tilestep::program
