// What a window opens with: a launch, a scene, a session, or the first start.
#pragma once

#include "cli/cli.h"
#include "cli/context.h"
#include "lesson/place.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/scene_text.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <optional>
#include <string>

namespace tilestep::program {

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
