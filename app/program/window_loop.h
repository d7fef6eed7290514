// The interactive window: events in, commands to the workspace, one frame when something has
// changed.
#pragma once

#include "cli/cli.h"
#include "cli/command.h"
#include "lesson/place.h"
#include "platform/window.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/scene.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tilestep::program {

// Opens the window on the launch, scene or session and returns when it is closed, with the exit
// status of the program. Without a display the error says so and what to do instead.
[[nodiscard]] Result<int> open_window(const cli::WindowOptions& options,
                                      std::shared_ptr<cli::Context> context);

// Shows the workspace in the window that `open` makes until it is closed. A reset of the graphics
// driver loses the window but not the work: another is opened, up to a limit.
struct ShownSession {
  std::filesystem::path file{};   // where the state is saved; may be empty
  workspace::Infer infer{};       // for sessions that are opened later
  bool comes_back = false;        // restarts after a crash (platform/comeback.h)
  bool is_embedded = false;       // as ui::Context
  bool prints_sentences = false;  // what the window says, on standard output
};
// Makes a window, or a second one beside another, which outlives it.
using OpenWindow = std::function<std::unique_ptr<platform::Window>(platform::Window* beside)>;
void show_window(const OpenWindow& open, workspace::Workspace& workspace,
                 const ShownSession& session = {});

// The initial content of a window: a launch, a scene, a session, or the first start.
struct Beginning {
  state::AppState state;
  std::optional<lesson::Place> place;  // set once the run is recorded
  std::string notice;
  std::string lesson;  // then opened; empty: none
};

// The beginning from the command line; adds its kernels to the workspace's catalog. Fails with a
// sentence.
[[nodiscard]] Result<Beginning> beginning(workspace::Workspace& workspace, cli::Context& context,
                                          const cli::WindowOptions& options,
                                          const std::filesystem::path& session);
// The beginning from a session only, which may not exist yet.
[[nodiscard]] Beginning session_beginning(workspace::Workspace& workspace,
                                          const workspace::Infer& infer,
                                          const std::filesystem::path& session);

// The state from the options of a launch. A kernel described by flags or inferred is added to the
// catalog, so that the state can name it; guesses are reported on standard error.
struct Launched {
  state::AppState state;
  std::string guessed;  // empty: no guesses
};
[[nodiscard]] Result<Launched> launched(workspace::Workspace& workspace, cli::Context& context,
                                        const cli::LaunchOptions& options);

// A scene from a link or a file; its kernel is added to the catalog.
[[nodiscard]] Result<state::AppState> scene_beginning(workspace::Workspace& workspace,
                                                      const workspace::Infer& infer,
                                                      const std::string& link_or_file);

// Infers the launch of a user's .cu, as the commands do. `context` must outlive it.
[[nodiscard]] workspace::Infer infer_by(cli::Context& context);

}  // namespace tilestep::program
