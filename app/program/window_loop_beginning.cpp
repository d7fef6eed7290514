#include "cli/prepare.h"
#include "problem/describe/catalog.h"
#include "problem/tr.h"
#include "program/window_loop.h"
#include "workspace/open_file.h"
#include "workspace/session.h"
#include "workspace/shown_lesson.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilm = "opening";  // the lesson of the first start

// The absolute path of a file, so that a session works from any folder.
std::string whole_path(const std::string& kernel) {
  std::error_code failed;
  const bool is_file = fs::is_regular_file(kernel, failed);
  const fs::path path = is_file ? fs::absolute(kernel, failed).lexically_normal() : fs::path();
  return path.empty() || failed ? kernel : path.string();
}

Result<state::AppState> launch_beginning(workspace::Workspace& workspace, cli::Context& context,
                                         cli::LaunchOptions options) {
  options.kernel = whole_path(options.kernel);
  options.description = whole_path(options.description);
  auto launch = launched(workspace, context, options);
  TILESTEP_RETURN_IF_ERROR(launch);
  if (!launch->guessed.empty()) {
    workspace.set_notice(std::move(launch->guessed));
  }
  return std::move(launch->state);
}

// Adds the user's kernel of a scene or session, from its text or its file.
void add_own_kernel(workspace::Workspace& workspace, const workspace::Infer& infer,
                    std::optional<problem::LaunchSpec> own, const std::string& kernel) {
  if (own) {
    workspace.add_kernel(std::move(*own));
  } else if (auto inferred = infer ? infer(kernel) : std::nullopt) {
    workspace.add_kernel(std::move(inferred->spec));
  }
}

// Reads the lesson here, so that its mistakes are reported before a window opens. The stage is the
// session's.
Result<Beginning> lesson_beginning(workspace::Workspace& workspace, cli::Context& context,
                                   const cli::WindowOptions& options, const fs::path& session) {
  const auto lesson = workspace::find_lesson(options.lesson, context.paths);
  TILESTEP_RETURN_IF_ERROR(lesson);
  Beginning begin =
      session_beginning(workspace, infer_by(context), options.fresh ? fs::path() : session);
  begin.notice.clear();
  begin.state.course = {};  // does not reopen the session's lesson
  begin.state.lecture = false;
  begin.lesson = workspace::name_of(*lesson, context.paths);
  return begin;
}

}  // namespace

workspace::Infer infer_by(cli::Context& context) {
  return [&context](const std::string& cu_file) -> std::optional<workspace::Inferred> {
    cli::LaunchOptions options;
    options.kernel = cu_file;
    auto own = cli::own_kernel(context, {}, options);
    return own && *own ? std::optional(workspace::Inferred{std::move((*own)->spec),
                                                           std::move((*own)->guessed)})
                       : std::nullopt;
  };
}

Result<Launched> launched(workspace::Workspace& workspace, cli::Context& context,
                          const cli::LaunchOptions& options) {
  auto own = cli::own_kernel(context, *workspace.view().kernels.catalog, options);
  TILESTEP_RETURN_IF_ERROR(own);
  std::string guessed;
  if (*own) {
    guessed = std::move((*own)->guessed);
    cli::tell_guess(guessed);
    workspace.add_kernel(std::move((*own)->spec));
  }
  auto state = cli::make_state(*workspace.view().kernels.catalog, options);
  return state ? Result<Launched>(Launched{std::move(*state), std::move(guessed)})
               : tl::unexpected(state.error());
}

Result<state::AppState> scene_beginning(workspace::Workspace& workspace,
                                        const workspace::Infer& infer,
                                        const std::string& link_or_file) {
  auto scene = workspace::load_scene(link_or_file);
  TILESTEP_RETURN_IF_ERROR(scene);
  add_own_kernel(workspace, infer, std::move(scene->kernel), scene->state.kernel);
  return std::move(scene->state);
}

Beginning session_beginning(workspace::Workspace& workspace, const workspace::Infer& infer,
                            const fs::path& session) {
  workspace::Restored restored = workspace::restore_session(session);
  if (restored.state) {
    add_own_kernel(workspace, infer, std::move(restored.kernel), restored.state->kernel);
    return {std::move(*restored.state), std::nullopt, "", ""};
  }
  lesson::FirstStart first = lesson::first_start();
  const bool is_first = restored.sentence.empty();
  return {std::move(first.state), first.place, std::move(restored.sentence), is_first ? kFilm : ""};
}

Result<Beginning> beginning(workspace::Workspace& workspace, cli::Context& context,
                            const cli::WindowOptions& options, const fs::path& session) {
  const bool is_launch = !(options.launch == cli::LaunchOptions{});
  if (!options.scene.empty() || is_launch) {
    auto state = is_launch ? launch_beginning(workspace, context, options.launch)
                           : scene_beginning(workspace, infer_by(context), options.scene);
    return state ? Result<Beginning>(Beginning{std::move(*state), std::nullopt, "", ""})
                 : tl::unexpected(state.error());
  }
  if (!options.lesson.empty()) {
    return lesson_beginning(workspace, context, options, session);
  }
  return session_beginning(workspace, infer_by(context), options.fresh ? fs::path() : session);
}

}  // namespace tilestep::program
