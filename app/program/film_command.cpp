#include "program/film_command.h"

#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "cli/word_option.h"
#include "problem/tr.h"
#include "program/film.h"
#include "program/film_encoder.h"
#include "program/picture.h"
#include "program/scenes_command.h"
#include "program/window_beginning.h"
#include "state/exporting.h"
#include "state/words.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::program {
namespace {

constexpr int kInterrupted = 1;         // exit status
constexpr std::uint32_t kParts = 1000;  // of the progress line

struct FilmOptions {
  cli::LaunchOptions launch;
  std::string scene;
  std::string lesson;
  std::string from = "start";
  std::string to = "end";
  state::Unit by = state::Unit::Phase;
  float pace = 0.5F;
  bool has_pace = false;
  std::string pixels = "1280x720";
  state::Theme theme = state::Theme::Dark;
  std::uint32_t focus_block = 0;
  std::optional<std::uint32_t> focus_thread;  // nothing: the kernel's
  double scale = 1.0;
  bool lecture = false;
  bool no_caption = false;
  bool still = false;
  bool tells_progress = false;
  std::string out = "tilestep.mp4";
};

Result<state::AppState> state_of_launch(const FilmOptions& options, workspace::Workspace& workspace,
                                        cli::Context& context) {
  auto launch = launched(workspace, context, options.launch);
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  launch->state.theme = options.theme;
  launch->state.focus.block = options.focus_block;
  launch->state.focus.thread = options.focus_thread.value_or(launch->state.focus.thread);
  launch->state.scale = static_cast<float>(options.scale);
  return std::move(launch->state);
}

Result<FilmRequest> request_of(const FilmOptions& options) {
  const auto from = lesson::parse_place(options.from);
  const auto to = lesson::parse_place(options.to);
  if (!from || !to) {
    return tl::unexpected(from ? to.error() : from.error());
  }
  if (const auto format = film_format(options.out); !format) {
    return fail("--out " + format.error().message);
  }
  return FilmRequest{*from, *to, options.by, options.pace, !options.no_caption, options.out};
}

// From its first beat.
Result<state::AppState> lesson_beginning(workspace::Workspace& workspace,
                                         const FilmOptions& options) {
  auto state = open_beat(workspace, options.lesson, 1);
  if (state) {
    state->theme = options.theme;
    state->scale = static_cast<float>(options.scale);
  }
  return state;
}

Result<state::AppState> beginning(const FilmOptions& options, workspace::Workspace& workspace,
                                  cli::Context& context) {
  return !options.lesson.empty() ? lesson_beginning(workspace, options)
         : options.scene.empty() ? state_of_launch(options, workspace, context)
                                 : scene_beginning(workspace, infer_by(context), options.scene);
}

Result<void> made_film(const FilmOptions& options, workspace::Workspace& workspace,
                       platform::Window& window, state::AppState state, const FilmRequest& request,
                       const std::atomic<bool>& cancelled,
                       const std::function<void(double)>& report) {
  if (options.lesson.empty()) {
    return make_film(workspace, window, std::move(state), request, cancelled, report);
  }
  workspace.set_state(std::move(state));
  workspace.settle();
  LessonFilmRequest of_lesson{.file = request.file};
  of_lesson.pace = options.has_pace ? request.pace : of_lesson.pace;
  return make_lesson_film(workspace, window, of_lesson, cancelled, report);
}

int film(const FilmOptions& options, cli::Context& context) {
  const cli::Interrupt interrupt;
  const auto request = request_of(options);
  const auto size = parse_pixels(options.pixels);
  if (!request || !size) {
    return cli::wrong_use(request ? size.error() : request.error());
  }
  workspace::Paths paths = context.paths;
  paths.user_state.clear();  // nobody has seen a beat that is filmed
  workspace::Workspace workspace(paths, context.compiler);
  if (const std::string& mistake = workspace.view().catalog_problem; !mistake.empty()) {
    return cli::wrong_use({mistake});
  }
  auto state = beginning(options, workspace, context);
  if (!state) {
    return cli::wrong_use(state.error());
  }
  state->lecture = options.lecture;
  state->animate = state->animate && !options.still;
  // H.264 halves the colours of two neighbours: both sides are even.
  platform::Window window(platform::off_screen(size->width & ~1, size->height & ~1,
                                               paths.assets / "fonts", paths.shaders));
  cli::ProgressLine line("film", kParts, tr("thousandths"));
  const auto report = [&](double part) {
    line.done() = static_cast<std::uint32_t>(part * kParts);
    if (options.tells_progress) {
      fmt::print("{:.4f}\n", part);
      static_cast<void>(std::fflush(stdout));
    }
  };
  const auto made = made_film(options, workspace, window, std::move(*state), *request,
                              interrupt.cancelled(), report);
  if (!made) {
    const int wrong = cli::wrong_use(made.error());
    return interrupt.cancelled() ? kInterrupted : wrong;
  }
  cli::say("{}\n", options.out);
  return 0;
}

int guarded_film(const FilmOptions& options, cli::Context& context) {
  try {
    return film(options, context);
  } catch (const platform::PlatformError& error) {
    return cli::wrong_use({error.what()});
  }
}

void add_looks(CLI::App& command, FilmOptions& options) {
  command.add_option("--pixels", options.pixels, "Size of the film, WIDTHxHEIGHT")
      ->capture_default_str();
  cli::add_word_option(command, "--theme", options.theme,
                       tr("Theme: {}", alternatives(file_words<state::Theme>())));
  command.add_option("--focus-block", options.focus_block, "Focus block: linear index in the grid");
  command.add_option("--focus-thread", options.focus_thread,
                     "Focus thread: linear index in the block");
  command.add_option("--scale", options.scale, "Scale of text and controls")
      ->check(CLI::Range(0.3, 4.0))
      ->capture_default_str();
  command.add_flag("--lecture", options.lecture,
                   "The layout for a hall: stage, five lines of source and the sum");
  command.add_flag("--no-caption", options.no_caption,
                   "Without the line that names kernel, sizes and place");
  command.add_flag("--still", options.still, "Every place as a standing picture: nothing moves");
}

}  // namespace

void add_film_command(CLI::App& app, cli::Context& context) {
  auto options = std::make_shared<FilmOptions>();
  auto* command = app.add_subcommand("film", "Film the run from place to place: GIF or MP4");
  cli::add_launch_options(*command, options->launch);
  cli::add_build_option(*command, options->launch);
  command->add_option("--scene", options->scene,
                      "Show a scene instead: a link or a file (tilestep open)");
  command
      ->add_option("--from", options->from,
                   "Where it begins: start, step:K, statement:K or phase:P")
      ->capture_default_str();
  command->add_option("--to", options->to, "Where it ends: end, step:K, statement:K or phase:P")
      ->capture_default_str();
  cli::add_word_option(*command, "--by", options->by,
                       tr("From place to place by: {}", alternatives(file_words<state::Unit>())));
  command->add_option("--lesson", options->lesson,
                      "Film a lesson, beat by beat: its number, id or file");
  CLI::Option* const pace =
      command->add_option("--pace", options->pace, "Places a second; of a lesson 0.1 beats")
          ->check(CLI::Range(state::kLeastFilmPace, state::kLargestFilmPace))
          ->capture_default_str();
  add_looks(*command, *options);
  command->add_flag("--tell-progress", options->tells_progress)->group("");
  command->add_option("--out", options->out, "GIF file, or MP4 file (needs the program ffmpeg)")
      ->capture_default_str();
  command->footer(
      "Example:\n  tilestep film tiled --from phase:0 --to phase:1 --by statement --pace 4 --out "
      "x.mp4\n"
      "Exit status: 0 film written; 1 interrupted; 2 wrong use or input.");
  command->callback([options, pace, &context] {
    options->has_pace = pace->count() > 0;
    context.status = guarded_film(*options, context);
  });
}

}  // namespace tilestep::program
