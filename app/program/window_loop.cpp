#include "program/window_loop.h"

#include "cli/prepare.h"
#include "platform/comeback.h"
#include "platform/file_dialog.h"
#include "platform/page.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "program/exporter.h"
#include "program/picture.h"
#include "state/scene.h"
#include "state/words.h"
#include "ui/draw.h"
#include "ui/lesson/lesson.h"
#include "ui/overlays.h"
#include "ui/panel.h"
#include "ui/widgets.h"
#include "workspace/open_file.h"
#include "workspace/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#include <emscripten/eventloop.h>
#endif

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

constexpr double kDialogPause = 0.1;  // seconds between two checks of the desktop's dialog

// The parts of the window that outlive a lost graphics context.
struct Desk {
  workspace::Workspace& workspace;
  std::filesystem::path user_state;
  workspace::Infer infer;
  workspace::SessionKeeper keeper;
  bool comes_back = false;
  bool is_embedded = false;
  bool prints_sentences = false;
  state::LessonView kept_course{};  // the lesson state that was last saved in the session file
};

Desk desk_of(workspace::Workspace& workspace, const ShownSession& session) {
  return {workspace,
          session.file.parent_path().parent_path(),
          session.infer,
          {session.file, workspace.state()},
          session.comes_back,
          session.is_embedded,
          session.prints_sentences};
}

void keep(Desk& desk, bool at_once) {
  const state::AppState& state = desk.workspace.state();
  const problem::LaunchSpec* const own =
      state::is_of_scene(state.kernel) ? desk.workspace.view().kernels.catalog->find(state.kernel)
                                       : nullptr;
  if (const auto kept = desk.keeper.keep(state, seconds(), at_once, own); !kept) {
    desk.workspace.set_notice(tr("The session cannot be saved. {}", kept.error().message));
  }
}

// Saves this session, and opens the other.
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

// If the desktop has a dialog, it is used instead of the field.
void ask_desktop(platform::FileDialog& dialog, const workspace::FilesView& files,
                 ui::Commands& commands) {
  const auto is_open = [](const state::Command& command) {
    const auto* const ask = command.as<state::Ask>();
    return ask != nullptr && ask->value == state::Asked::Open;
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

// The lecturer's window, if there is a second screen, or if the audience's window is not
// full-screen.
class NotesWindow {
 public:
  NotesWindow(platform::Window& hall, const OpenWindow& open) : hall_(hall), open_(open) {}

  // Draws one frame of it; returns its commands.
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
    set_looks(*window_, state);
    window_->frame(0.0, [&] {
      ui::draw_notes(frame_context(state, workspace.view(), *window_, memory_, seconds()));
    });
    return window_->should_close() ? ui::Commands{state::ShowNotes{false}} : ui::Commands{};
  }

 private:
  static constexpr Message kNoScreen =
      "The lecturer's window needs a second screen: this one is for the audience.";

  platform::Window& hall_;
  const OpenWindow& open_;
  std::unique_ptr<platform::Window> window_;
  ui::Memory memory_;
};

// The window's sentences for a screen reader: the page's live region in a browser, standard output
// elsewhere, because GLFW gives the desktop no tree of names.
class Speech {
 public:
  explicit Speech(bool prints) : prints_(prints) {}

  void take(const std::vector<std::string>& lines) {
    if (lines == said_) {
      return;
    }
#ifdef __EMSCRIPTEN__
    platform::say_aloud(fmt::format("{}", fmt::join(lines, "\n")), spoken_language());
#else
    for (std::size_t i = 0; prints_ && i < lines.size(); ++i) {
      if (std::ranges::find(said_, lines[i]) == said_.end()) {
        fmt::print("{}\n", printable(lines[i]));
      }
    }
    std::fflush(stdout);
#endif
    said_ = lines;
  }

 private:
  [[maybe_unused]] bool prints_;
  std::vector<std::string> said_;
};

// The audience's window, frame by frame.
class WindowLoop {
 public:
  WindowLoop(platform::Window& window, Desk& desk, const OpenWindow& open)
      : window_(window),
        desk_(desk),
        workspace_(desk.workspace),
        notes_(window, open),
        speech_(desk.prints_sentences),
        exporter_(desk.workspace, window, memory_, desk.user_state) {}

  // Seconds that may pass before the next frame if nothing happens.
  [[nodiscard]] double rest() {
    const double rest = ui::rest_seconds(context(), changed_);
    return dialog_.is_open() ? std::min(rest, kDialogPause) : rest;
  }
  // Draws a frame, at the latest after rest(), and carries its commands out.
  void frame();
  void keep_all() { keep(desk_, true); }

 private:
  ui::Context context() {
    ui::Context context =
        frame_context(workspace_.state(), workspace_.view(), window_, memory_, seconds());
    context.is_embedded = desk_.is_embedded;
    return context;
  }
  void carry_out(ui::Commands& commands);

  platform::Window& window_;
  Desk& desk_;
  workspace::Workspace& workspace_;
  NotesWindow notes_;
  Speech speech_;
  platform::FileDialog dialog_;
  ui::Memory memory_;
  ui::OpeningField field_;
  bool changed_ = true;
  bool is_left_out_ = false;
  Exporter exporter_;
};

void WindowLoop::frame() {
  ui::Commands commands;
  set_looks(window_, workspace_.state());
  window_.show_full_screen(workspace_.state().lecture);
  window_.frame(rest(), [&] {
    commands = ui::draw(context());
    // The commands are carried out before anything is painted: half the time from key to picture.
    // Never twice in a row, because a drag gives a command in every frame.
    is_left_out_ = !is_left_out_ && !commands.empty();
    if (is_left_out_) {
      window_.leave_out();
    }
  });
  if (!is_left_out_ && !workspace_.state().playing) {
    speech_.take(ui::said_aloud(memory_));
  }
  if (!is_left_out_) {
    for (state::Command& command : notes_.frame(workspace_)) {
      commands.push_back(std::move(command));
    }
  }
  carry_out(commands);
}

void WindowLoop::carry_out(ui::Commands& commands) {
  if (find<state::Quit>(commands) != nullptr) {
    window_.request_close();
  }
  for (std::string& path : window_.take_dropped_files()) {
    commands.push_back(state::OpenFile{std::move(path)});
  }
  ask_desktop(dialog_, workspace_.view().files, commands);
  changed_ = workspace_.update(commands, seconds());
  changed_ = exporter_.carry_out(commands, seconds()) || changed_ || is_left_out_;
  if (changed_) {
    platform::Window::wake();
  }
  window_.hold_keys(field_.is_awaited(workspace_.state(), window_.has_text_field()));
  const bool is_another_beat =
      std::exchange(desk_.kept_course, workspace_.state().course) != workspace_.state().course;
  keep(desk_, is_another_beat);
  if (desk_.comes_back) {
    platform::come_back_from_now_on();
  }
  if (const auto* const session = find<state::OpenSession>(commands)) {
    open_session(session->name, desk_);
    changed_ = true;
  }
}

// After this many losses the driver or the GPU is considered broken.
constexpr int kMostLosses = 3;

}  // namespace

void show_window(const OpenWindow& open, workspace::Workspace& workspace,
                 const ShownSession& session) {
  Desk desk = desk_of(workspace, session);
  for (int losses = 0;; ++losses) {
    try {
      const std::unique_ptr<platform::Window> window = open(nullptr);
      workspace.on_result(&platform::Window::wake);
      WindowLoop loop(*window, desk, open);
      while (!window->should_close()) {
        loop.frame();
      }
      loop.keep_all();
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

// A lost display may be available again in a moment.
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

// What an open window uses until it is closed.
struct Opened {
  explicit Opened(std::shared_ptr<cli::Context> from)
      : context(std::move(from)), workspace(context->paths, context->compiler) {}

  std::shared_ptr<cli::Context> context;
  workspace::Workspace workspace;
  ShownSession session;
  platform::WindowOptions options;
};

std::unique_ptr<platform::Window> open_one(const platform::WindowOptions& options,
                                           platform::Window* beside) {
  constexpr int kNotesWidth = 480;
  constexpr int kNotesHeight = 800;
  platform::WindowOptions own = options;
  own.beside = beside;
  if (beside != nullptr) {
    own.title = tr("Tilestep: lecturer");
    own.width = kNotesWidth;
    own.height = kNotesHeight;
  }
  return std::make_unique<platform::Window>(own);
}

Result<std::unique_ptr<Opened>> prepare(const cli::WindowOptions& options,
                                        std::shared_ptr<cli::Context> from) {
  auto opened = std::make_unique<Opened>(std::move(from));
  cli::Context& context = *opened->context;
  workspace::Workspace& workspace = opened->workspace;
  workspace.look_ahead();
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  const auto session = workspace::session_file(context.paths.user_state, options.session);
  TILESTEP_RETURN_IF_ERROR(session);
  auto begin = program::beginning(workspace, context, options, *session);
  TILESTEP_RETURN_IF_ERROR(begin);
  if (!context.language.empty()) {
    begin->state.language = context.language;
  }
  if (platform::prefers_reduced_motion()) {
    begin->state.animate = false;
  }
  workspace.set_state(std::move(begin->state), begin->place);
  workspace.update({},
                   seconds());  // the first scene is compiled and recorded while the window opens
  if (!begin->notice.empty()) {
    workspace.set_notice(std::move(begin->notice));
  }
  workspace.infer_with(infer_by(context));
  if (!begin->lesson.empty()) {
    workspace.update({state::OpenLesson{begin->lesson, 0}}, seconds());
  }
  workspace.name_session(options.session);
  opened->session = {*session, infer_by(context), true, options.embed, options.sentences};
  opened->options.fonts = context.paths.assets / "fonts";
  opened->options.shaders = context.paths.shaders;
  return opened;
}

#ifdef __EMSCRIPTEN__
// The page calls it for each frame, after main() has returned.
struct Page {
  explicit Page(std::unique_ptr<Opened> shown)
      : opened(std::move(shown)),
        desk(desk_of(opened->workspace, opened->session)),
        open([this](platform::Window* beside) { return open_one(opened->options, beside); }),
        window(open(nullptr)),
        loop(*window, desk, open) {}

  std::unique_ptr<Opened> opened;
  Desk desk;
  OpenWindow open;
  std::unique_ptr<platform::Window> window;
  WindowLoop loop;
  std::string link;          // of the scene on screen
  double link_since = 0.0;   // when it last changed
  bool is_addressed = true;  // the page's address has it
};

// The page's address follows the scene once it has not changed for a moment.
void follow_address(Page& page, bool has_drawn) {
  constexpr double kSettled = 0.6;
  const state::AppState& state = page.opened->workspace.state();
  std::string link = has_drawn && !state.playing ? state::scene_link(state) : page.link;
  if (page.link.empty()) {  // the scene that the page was opened with
    page.link = std::move(link);
  } else if (link != page.link) {
    page.link = std::move(link);
    page.link_since = seconds();
    page.is_addressed = false;
  } else if (!page.is_addressed && seconds() - page.link_since >= kSettled) {
    platform::show_address(page.link);
    page.is_addressed = true;
  }
}

void show(std::unique_ptr<Opened> opened) {
  auto page = std::make_unique<Page>(std::move(opened));
  page->opened->workspace.on_result(&platform::Window::wake);
  const auto frame = [](void* shown) {
    auto& page = *static_cast<Page*>(shown);
    const bool is_due = page.window->is_due(page.loop.rest());
    if (is_due) {
      page.loop.frame();
    }
    follow_address(page, is_due);
    const auto& scene = page.opened->workspace.view().run.scene;
    if (scene != nullptr && scene->recording != nullptr) {
      platform::tell_staged();
    }
  };
  emscripten_runtime_keepalive_push();  // until the page is closed
  emscripten_set_main_loop_arg(frame, page.release(), 0, false);
}
#else
void show(std::unique_ptr<Opened> opened) {
  show_window([&opened](platform::Window* beside) { return open_one(opened->options, beside); },
              opened->workspace, opened->session);
}
#endif

}  // namespace

Result<int> open_window(const cli::WindowOptions& given, std::shared_ptr<cli::Context> context) {
  cli::WindowOptions options = given;
  if (platform::has_come_back()) {  // the session continues
    options = {};
    options.session = given.session;
    options.sentences = given.sentences;
  }
  if (const std::string why_not = why_no_display(); !why_not.empty()) {
    return fail(
        tr("No display: {}. Start Tilestep in a desktop session, or render pictures: "
           "tilestep scenes --out DIR, or tilestep render --out x.png.",
           why_not));
  }
  auto opened = prepare(options, std::move(context));
  TILESTEP_RETURN_IF_ERROR(opened);
  show(std::move(*opened));
  return 0;
}

}  // namespace tilestep::program
