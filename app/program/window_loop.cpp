#include "program/window_loop.h"

#include "cli/prepare.h"
#include "lesson/first_start.h"
#include "platform/window.h"
#include "program/exporter.h"
#include "program/opening.h"
#include "ui/draw.h"
#include "ui/memory.h"
#include "ui/rest.h"
#include "ui/theme.h"
#include "workspace/session.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace tilestep::program {
namespace {

double seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

template <class Wanted>
bool has(const ui::Commands& commands) {
  return std::any_of(commands.begin(), commands.end(), [](const state::Command& command) {
    return std::holds_alternative<Wanted>(command);
  });
}

// A kernel that is described by flags or inferred joins the catalog, so that the state can name it.
Result<state::AppState> first_state(workspace::Workspace& workspace, cli::Context& context,
                                    const cli::LaunchOptions& options) {
  const problem::Catalog& catalog = *workspace.view().catalog;
  auto own = cli::own_kernel(context, catalog, options);
  if (!own) {
    return tl::unexpected(own.error());
  }
  if (*own) {
    cli::tell_guess((*own)->guessed);
    workspace.set_notice((*own)->guessed);
    workspace.add_kernel(std::move((*own)->spec));
  }
  return cli::make_state(catalog, options);
}

// Where a window begins.
struct Beginning {
  state::AppState state;
  std::optional<lesson::Place> place;  // once it is recorded
  std::string notice;
};

Result<Beginning> beginning(workspace::Workspace& workspace, cli::Context& context,
                            const cli::WindowOptions& options,
                            const std::filesystem::path& session) {
  if (!options.scene.empty()) {
    auto state = open_scene(workspace, context, options.scene);
    return state ? Result<Beginning>(Beginning{std::move(*state), std::nullopt, ""})
                 : tl::unexpected(state.error());
  }
  if (!(options.launch == cli::LaunchOptions{})) {
    auto state = first_state(workspace, context, options.launch);
    return state ? Result<Beginning>(Beginning{std::move(*state), std::nullopt, ""})
                 : tl::unexpected(state.error());
  }
  workspace::Restored restored =
      options.fresh ? workspace::Restored{} : workspace::restore_session(session);
  if (restored.state) {
    add_own_kernel(workspace, context, restored.state->kernel);
    return Beginning{std::move(*restored.state), std::nullopt, ""};
  }
  lesson::FirstStart first = lesson::first_start();
  // Going there would clear the sentence.
  return restored.sentence.empty()
             ? Beginning{std::move(first.state), first.place, ""}
             : Beginning{std::move(first.state), std::nullopt, std::move(restored.sentence)};
}

// Where it opens is known once it is recorded.
void go_to_first_place(std::optional<lesson::Place>& place, const workspace::Workspace& workspace,
                       ui::Commands& commands) {
  const auto& scene = workspace.view().scene;
  if (place && scene != nullptr) {
    commands.push_back(
        state::SeekStep{lesson::resolve(*place, *scene->recording, workspace.state().focus.block)});
    place.reset();
  }
}

void keep(workspace::SessionKeeper& keeper, workspace::Workspace& workspace, bool at_once) {
  if (const auto kept = keeper.keep(workspace.state(), seconds(), at_once); !kept) {
    workspace.set_notice("The session cannot be kept. " + kept.error().message);
  }
}

void loop(platform::Window& window, workspace::Workspace& workspace,
          std::optional<lesson::Place>& first_place, workspace::SessionKeeper& keeper) {
  ui::Memory memory;
  bool changed = true;
  Exporter exporter(workspace, window, memory);
  while (!window.should_close()) {
    const auto context = [&] {
      return ui::Context{workspace.state(), workspace.view(), ui::theme(workspace.state().theme),
                         window.fonts(),    &window.cells(),  memory,
                         seconds()};
    };
    ui::Commands commands;
    window.set_scale(workspace.state().scale);
    window.frame(ui::rest_seconds(context(), changed), [&] { commands = ui::draw(context()); });
    if (has<state::Quit>(commands)) {
      window.request_close();
    }
    for (std::string& path : window.take_dropped_files()) {
      commands.push_back(state::OpenFile{std::move(path)});
    }
    go_to_first_place(first_place, workspace, commands);
    changed = workspace.update(commands, seconds());
    changed = exporter.carry_out(commands, seconds()) || changed;
    keep(keeper, workspace, false);
  }
  keep(keeper, workspace, true);
}

// As often as this, the driver or the card is broken.
constexpr int kMostLosses = 3;

}  // namespace

void show_window(const std::function<std::unique_ptr<platform::Window>()>& open,
                 workspace::Workspace& workspace, std::optional<lesson::Place> first_place,
                 const std::filesystem::path& session) {
  workspace::SessionKeeper keeper(session, workspace.state());
  for (int losses = 0;; ++losses) {
    try {
      const std::unique_ptr<platform::Window> window = open();
      workspace.on_result(&platform::Window::wake);
      loop(*window, workspace, first_place, keeper);
      workspace.on_result(nullptr);
      return;
    } catch (const platform::ContextLost&) {
      workspace.on_result(nullptr);
      if (losses == kMostLosses) {
        throw;
      }
      workspace.set_notice("The graphics driver was reset; the window was opened again.");
    }
  }
}

int open_window(const cli::WindowOptions& options, cli::Context& context) {
  if (const std::string why_not = platform::why_no_display(); !why_not.empty()) {
    return cli::wrong_use(
        {fmt::format("No display: {}. Start Tilestep in a desktop session, or render pictures: "
                     "tilestep scenes --out DIR, or tilestep render --out x.png.",
                     why_not)});
  }
  try {
    const workspace::Paths& paths = context.paths;
    workspace::Workspace workspace(paths, context.compiler);
    workspace.look_ahead();
    if (const std::string& mistake = workspace.view().catalog_problem; !mistake.empty()) {
      return cli::wrong_use({mistake});
    }
    const auto session = workspace::session_file(paths.user_state, options.session);
    if (!session) {
      return cli::wrong_use(session.error());
    }
    auto begin = beginning(workspace, context, options, *session);
    if (!begin) {
      return cli::wrong_use(begin.error());
    }
    workspace.set_state(std::move(begin->state));
    workspace.update({},
                     seconds());  // the first scene is compiled and recorded while the window opens
    if (!begin->notice.empty()) {
      workspace.set_notice(std::move(begin->notice));
    }
    platform::WindowOptions window_options;
    window_options.fonts = paths.assets / "fonts";
    window_options.shaders = paths.shaders;
    show_window([&] { return std::make_unique<platform::Window>(window_options); }, workspace,
                begin->place, *session);
    return 0;
  } catch (const platform::PlatformError& error) {
    return cli::wrong_use({error.what()});
  }
}

}  // namespace tilestep::program
