// Scenes as what a window, a picture or a film begins with.
#pragma once

#include "cli/context.h"
#include "workspace/workspace.h"

#include <string>

namespace tilestep::program {

// A kernel of the user's that a scene or a session names joins the catalog.
void add_own_kernel(workspace::Workspace& workspace, cli::Context& context,
                    const std::string& kernel);

// The state of a scene, a link or a file, whose kernel is known afterwards.
[[nodiscard]] Result<state::AppState> open_scene(workspace::Workspace& workspace,
                                                 cli::Context& context, const std::string& scene);

}  // namespace tilestep::program
