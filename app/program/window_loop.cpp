#include "program/window_loop.h"

#include "cli/prepare.h"
#include "platform/comeback.h"
#include "platform/file_dialog.h"
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
#include "workspace/open_file.h"
#include "workspace/session.h"
#include "workspace/shown_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

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
  state::LessonView kept_course{};  // the lesson state that was last saved in the session file
};

Desk desk_of(workspace::Workspace& workspace, const ShownSession& session) {
  return {workspace,          session.file.parent_path().parent_path(),
          session.infer,      {session.file, workspace.state()},
          session.comes_back, session.is_embedded};
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
    window_->set_scale(state.scale);
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

// The audience's window, frame by frame.
class WindowLoop {
 public:
  WindowLoop(platform::Window& window, Desk& desk, const OpenWindow& open)
      : window_(window),
        desk_(desk),
        workspace_(desk.workspace),
        notes_(window, open),
        exporter_(desk.workspace, window, memory_) {}

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
  platform::FileDialog dialog_;
  ui::Memory memory_;
  ui::OpeningField field_;
  bool changed_ = true;
  bool is_left_out_ = false;
  Exporter exporter_;
};

void WindowLoop::frame() {
  ui::Commands commands;
  window_.set_scale(workspace_.state().scale);
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
  cli::Context context;
  workspace::Workspace workspace{context.paths, context.compiler};
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
                                        const std::string& language) {
  auto opened = std::make_unique<Opened>();
  cli::Context& context = opened->context;
  workspace::Workspace& workspace = opened->workspace;
  workspace.look_ahead();
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  const auto session = workspace::session_file(context.paths.user_state, options.session);
  TILESTEP_RETURN_IF_ERROR(session);
  auto begin = program::beginning(workspace, context, options, *session);
  TILESTEP_RETURN_IF_ERROR(begin);
  if (!language.empty()) {
    begin->state.language = language;
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
  opened->session = {*session, infer_by(context), true, options.embed};
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
    platform::Window::show_address(page.link);
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

Result<int> open_window(const cli::WindowOptions& given, cli::Context& context) {
  cli::WindowOptions options = given;
  if (platform::has_come_back()) {  // the session continues
    options = {};
    options.session = given.session;
  }
  if (const std::string why_not = why_no_display(); !why_not.empty()) {
    return fail(
        tr("No display: {}. Start Tilestep in a desktop session, or render pictures: "
           "tilestep scenes --out DIR, or tilestep render --out x.png.",
           why_not));
  }
  auto opened = prepare(options, context.language);
  TILESTEP_RETURN_IF_ERROR(opened);
  show(std::move(*opened));
  return 0;
}

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
