#include "program/window_loop.h"

#include "cli/prepare.h"
#include "platform/comeback.h"
#include "platform/file_dialog.h"
#include "platform/window.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "program/exporter.h"
#include "program/frame_context.h"
#include "program/window_beginning.h"
#include "state/scene_text.h"
#include "state/words.h"
#include "ui/draw.h"
#include "ui/lesson/lesson.h"
#include "ui/overlays.h"
#include "ui/panel.h"
#include "workspace/session.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace tilestep::program {
namespace {

double seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

template <class Wanted>
const Wanted* find(const ui::Commands& commands) {
  for (const state::Command& command : commands) {
    if (const Wanted* const wanted = command.as<Wanted>()) {
      return wanted;
    }
  }
  return nullptr;
}

constexpr double kDialogPause = 0.1;  // seconds from one look at the desktop's dialog to the next

// What of the window outlives a lost graphics context.
struct Desk {
  workspace::Workspace& workspace;
  std::filesystem::path user_state;
  workspace::Infer infer;
  workspace::SessionKeeper keeper;
  bool comes_back = false;
  state::LessonView kept_course{};  // that a session file was asked to hold
};

void keep(Desk& desk, bool at_once) {
  const state::AppState& state = desk.workspace.state();
  const problem::LaunchSpec* const own = state::is_of_scene(state.kernel)
                                             ? desk.workspace.view().catalog->find(state.kernel)
                                             : nullptr;
  if (const auto kept = desk.keeper.keep(state, seconds(), at_once, own); !kept) {
    desk.workspace.set_notice(tr("The session cannot be kept. {}", kept.error().message));
  }
}

// Keeps this one, and goes on with the other.
void open_session(const std::string& name, Desk& desk) {
  const auto file = workspace::session_file(desk.user_state, name);
  if (!file) {
    desk.workspace.set_notice(file.error().message);
    return;
  }
  keep(desk, true);
  Beginning begin = session_beginning(desk.workspace, desk.infer, *file);
  desk.workspace.set_state(std::move(begin.state), begin.place);
  desk.workspace.set_notice(std::move(begin.notice));
  desk.workspace.name_session(name);
  desk.keeper = workspace::SessionKeeper(*file, desk.workspace.state());
}

// Where the desktop has a dialog, it asks instead of the field.
void ask_desktop(platform::FileDialog& dialog, const workspace::FilesView& files,
                 ui::Commands& commands) {
  const auto is_open = [](const state::Command& command) {
    const auto* const ask = command.as<state::Ask>();
    return ask != nullptr && ask->what == state::Asked::Open;
  };
  const bool is_asked = std::any_of(commands.begin(), commands.end(), is_open);
  if (is_asked && platform::FileDialog::is_available()) {
    std::erase_if(commands, is_open);
    dialog.open(word_of(state::Asked::Open).label.text(),
                files.recent.empty() ? "" : files.recent[0]);
  }
  if (auto chosen = dialog.take()) {
    commands.push_back(state::OpenFile{std::move(*chosen)});
  }
}

// The lecturer's window, where another screen shows it, or where the hall's is a window among
// others.
class NotesWindow {
 public:
  NotesWindow(platform::Window& hall, const OpenWindow& open) : hall_(hall), open_(open) {}

  // What is wanted there, in one frame of it.
  ui::Commands frame(workspace::Workspace& workspace) {
    const state::AppState& state = workspace.state();
    if (!state.course.notes || workspace.view().lesson == nullptr) {
      window_.reset();
      return {};
    }
    if (state.lecture && !hall_.has_other_screen()) {
      window_.reset();
      return {state::ShowNotes{false}, state::Say{kNoScreen.text()}};
    }
    if (window_ == nullptr) {
      window_ = open_(&hall_);
    }
    window_->set_scale(state.scale);
    window_->frame(0.0, [&] {
      ui::draw_notes(frame_context(state, workspace.view(), *window_, memory_, seconds()));
    });
    return window_->should_close() ? ui::Commands{state::ShowNotes{false}} : ui::Commands{};
  }

 private:
  static constexpr Message kNoScreen =
      "The lecturer's window needs a second screen: this one is the hall's.";

  platform::Window& hall_;
  const OpenWindow& open_;
  std::unique_ptr<platform::Window> window_;
  ui::Memory memory_;
};

void loop(platform::Window& window, Desk& desk, const OpenWindow& open) {
  workspace::Workspace& workspace = desk.workspace;
  NotesWindow notes(window, open);
  platform::FileDialog dialog;
  ui::Memory memory;
  ui::OpeningField field;
  bool changed = true;
  Exporter exporter(workspace, window, memory);
  while (!window.should_close()) {
    const auto context = [&] {
      return frame_context(workspace.state(), workspace.view(), window, memory, seconds());
    };
    ui::Commands commands;
    window.set_scale(workspace.state().scale);
    window.show_full_screen(workspace.state().lecture);
    const double rest = ui::rest_seconds(context(), changed);
    window.frame(dialog.is_open() ? std::min(rest, kDialogPause) : rest,
                 [&] { commands = ui::draw(context()); });
    for (state::Command& command : notes.frame(workspace)) {
      commands.push_back(std::move(command));
    }
    if (find<state::Quit>(commands) != nullptr) {
      window.request_close();
    }
    for (std::string& path : window.take_dropped_files()) {
      commands.push_back(state::OpenFile{std::move(path)});
    }
    ask_desktop(dialog, workspace.view().files, commands);
    changed = workspace.update(commands, seconds());
    changed = exporter.carry_out(commands, seconds()) || changed;
    window.hold_keys(field.is_awaited(workspace.state(), window.has_text_field()));
    const bool is_another_beat =
        std::exchange(desk.kept_course, workspace.state().course) != workspace.state().course;
    keep(desk, is_another_beat);
    if (desk.comes_back) {
      platform::come_back_from_now_on();
    }
    if (const auto* const session = find<state::OpenSession>(commands)) {
      open_session(session->name, desk);
      changed = true;
    }
  }
  keep(desk, true);
}

// As often as this, the driver or the card is broken.
constexpr int kMostLosses = 3;

}  // namespace

void show_window(const OpenWindow& open, workspace::Workspace& workspace,
                 const ShownSession& session) {
  Desk desk{workspace,
            session.file.parent_path().parent_path(),
            session.infer,
            {session.file, workspace.state()},
            session.comes_back};
  for (int losses = 0;; ++losses) {
    try {
      const std::unique_ptr<platform::Window> window = open(nullptr);
      workspace.on_result(&platform::Window::wake);
      loop(*window, desk, open);
      workspace.on_result(nullptr);
      return;
    } catch (const platform::ContextLost&) {
      workspace.on_result(nullptr);
      if (losses == kMostLosses) {
        throw;
      }
      workspace.set_notice(tr("The graphics driver was reset; the window was opened again."));
    }
  }
}

namespace {

// A display that went away may be back in a moment.
std::string why_no_display() {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kTries = 250;
  std::string why_not = platform::why_no_display();
  for (int i = 0; i < kTries && !why_not.empty() && platform::has_come_back(); ++i) {
    std::this_thread::sleep_for(kPause);
    why_not = platform::why_no_display();
  }
  return why_not;
}

}  // namespace

int open_window(const cli::WindowOptions& given, cli::Context& context) {
  cli::WindowOptions options = given;
  if (platform::has_come_back()) {  // the session goes on
    options = {};
    options.session = given.session;
  }
  if (const std::string why_not = why_no_display(); !why_not.empty()) {
    return cli::wrong_use(
        {tr("No display: {}. Start Tilestep in a desktop session, or render pictures: "
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
    if (!context.language.empty()) {
      begin->state.language = context.language;
    }
    workspace.set_state(std::move(begin->state), begin->place);
    workspace.update({},
                     seconds());  // the first scene is compiled and recorded while the window opens
    if (!begin->notice.empty()) {
      workspace.set_notice(std::move(begin->notice));
    }
    platform::WindowOptions window_options;
    window_options.fonts = paths.assets / "fonts";
    window_options.shaders = paths.shaders;
    workspace.infer_with(infer_by(context));
    if (!begin->lesson.empty()) {
      workspace.update({state::OpenLesson{begin->lesson, 0}}, seconds());
    }
    workspace.name_session(options.session);
    const auto open = [&window_options](platform::Window* beside) {
      constexpr int kNotesWidth = 480;
      constexpr int kNotesHeight = 800;
      platform::WindowOptions own = window_options;
      own.beside = beside;
      if (beside != nullptr) {
        own.title = tr("Tilestep: lecturer");
        own.width = kNotesWidth;
        own.height = kNotesHeight;
      }
      return std::make_unique<platform::Window>(own);
    };
    show_window(open, workspace, {*session, infer_by(context), true});
    return 0;
  } catch (const platform::PlatformError& error) {
    return cli::wrong_use({error.what()});
  }
}

}  // namespace tilestep::program
