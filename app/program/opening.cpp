#include "program/opening.h"

#include "cli/prepare.h"
#include "problem/file.h"
#include "state/scene_text.h"

#include <utility>

namespace tilestep::program {
namespace {

Result<state::AppState> read_scene_of(const std::string& scene) {
  if (state::looks_like_link(scene)) {
    return state::read_link(scene);
  }
  const Result<std::string> text = problem::read_file(scene);
  return text ? state::read_scene(*text, scene) : tl::unexpected(text.error());
}

}  // namespace

void add_own_kernel(workspace::Workspace& workspace, cli::Context& context,
                    const std::string& kernel) {
  cli::LaunchOptions options;
  options.kernel = kernel;
  auto own = cli::own_kernel(context, *workspace.view().catalog, options);
  if (own && *own) {
    workspace.add_kernel(std::move((*own)->spec));
  }
}

Result<state::AppState> open_scene(workspace::Workspace& workspace, cli::Context& context,
                                   const std::string& scene) {
  auto state = read_scene_of(scene);
  if (state) {
    add_own_kernel(workspace, context, state->kernel);
  }
  return state;
}

}  // namespace tilestep::program
