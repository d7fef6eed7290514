// tilestep film and tilestep scenes.
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "lesson/lesson.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "program/commands.h"
#include "program/film.h"
#include "program/picture.h"
#include "program/window_loop.h"
#include "state/exporting.h"
#include "state/words.h"
#include "workspace/shown_lesson.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace tilestep::program {
namespace {

constexpr int kInterrupted = 1;         // exit status
constexpr std::uint32_t kParts = 1000;  // units of the progress line

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
  std::optional<std::uint32_t> focus_thread;  // nullopt: the kernel's
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
  TILESTEP_RETURN_IF_ERROR(launch);
  launch->state.theme = options.theme;
  launch->state.focus.block = options.focus_block;
  launch->state.focus.thread = options.focus_thread.value_or(launch->state.focus.thread);
  launch->state.scale = static_cast<float>(options.scale);
  return std::move(launch->state);
}

Result<FilmRequest> request_of(const FilmOptions& options) {
  const auto from = lesson::parse_place(options.from);
  const auto to = lesson::parse_place(options.to);
  TILESTEP_RETURN_IF_ERROR(from);
  TILESTEP_RETURN_IF_ERROR(to);
  if (const auto format = film_format(options.out); !format) {
    return fail("--out " + format.error().message);
  }
  return FilmRequest{*from, *to, options.by, options.pace, !options.no_caption, options.out};
}

// Starts at its first beat.
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
                       const std::function<void(double)>& report, cli::Context& context) {
  if (options.lesson.empty()) {
    return make_film(workspace, window, std::move(state), request, cancelled, report);
  }
  workspace.set_state(std::move(state));
  workspace.settle();
  LessonFilmRequest of_lesson{.file = request.file};
  of_lesson.pace = options.has_pace ? request.pace : of_lesson.pace;
  const std::shared_ptr<const lesson::Lesson> lesson = workspace.view().lesson->lesson;
  const auto tools = cli::course_tools(context);
  TILESTEP_RETURN_IF_ERROR(tools);
  const auto shown = make_lesson_film(workspace, window, of_lesson, cancelled, report);
  TILESTEP_RETURN_IF_ERROR(shown);
  course::Answers answers({context.compiler, tools->catalog, &tools->dataset, nullptr},
                          lesson->follow());
  return write_captions(*lesson, answers, request.file, *shown);
}

Result<int> film(const FilmOptions& options, cli::Context& context) {
  const cli::Interrupt interrupt;
  const auto request = request_of(options);
  const auto size = parse_pixels(options.pixels);
  TILESTEP_RETURN_IF_ERROR(request);
  TILESTEP_RETURN_IF_ERROR(size);
  workspace::Paths paths = context.paths;
  paths.user_state.clear();  // filming a beat must not count as seeing it
  workspace::Workspace workspace(paths, context.compiler);
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  auto state = beginning(options, workspace, context);
  TILESTEP_RETURN_IF_ERROR(state);
  state->lecture = options.lecture;
  state->animate = state->animate && !options.still;
  // H.264 halves the color resolution: both sides must be even.
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
                              interrupt.cancelled(), report, context);
  if (!made) {
    const int wrong = cli::wrong_use(made.error());
    return interrupt.cancelled() ? kInterrupted : wrong;
  }
  cli::say("{}\n", options.out);
  return 0;
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
                   "Lecture layout: stage, five lines of source and the sum");
  command.add_flag("--no-caption", options.no_caption, "No caption with kernel, sizes and place");
  command.add_flag("--still", options.still, "A still picture of every place: no animation");
}

struct ScenesOptions {
  std::string pixels = "1920x1080";
  state::Theme theme = state::Theme::Dark;
  std::string out = ".";
  std::string lesson;
  bool beats = false;  // every beat, with the lesson open beside it
  bool lecture = false;
  bool svg = false;  // in addition to the PNG
  double scale = 1.0;
  std::string old_size;  // the former name of --pixels
};

Result<void> check_selection(const state::TimingView& view, const problem::Catalog& catalog,
                             const std::string& place) {
  const auto selected =
      check_point({view.selected_kernel, view.selected_block_size, ""}, catalog, place);
  return selected ? check_point(view.against, catalog, place) : selected;
}

// NAME.png in the folder, and NAME.svg if requested.
Result<void> write_pictures(const ScenesOptions& options, Studio& studio, state::AppState state,
                            const std::optional<lesson::Place>& place, const std::string& name,
                            const std::string& title, const Shot& shot = {}) {
  const auto image = studio.take(state, place, shot);
  TILESTEP_RETURN_IF_ERROR(image);
  const auto picture = std::filesystem::path(options.out) / (name + ".png");
  platform::write_png(*image, picture);
  cli::say("{}  {}\n", picture.string(), title);
  if (!options.svg) {
    return {};
  }
  const auto svg = studio.take_svg(std::move(state), place, shot);
  TILESTEP_RETURN_IF_ERROR(svg);
  return problem::write_file(std::filesystem::path(options.out) / (name + ".svg"), *svg);
}

// One picture per beat, named by number and name, with the lesson open beside it.
Result<void> write_beats(const ScenesOptions& options, const lesson::Lesson& lesson,
                         workspace::Workspace& workspace, Studio& studio) {
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    auto state = open_beat(workspace, options.lesson, static_cast<int>(i) + 1);
    TILESTEP_RETURN_IF_ERROR(state);
    state->theme = options.theme;
    state->scale = static_cast<float>(options.scale);
    state->lecture = options.lecture;
    const std::string name = fmt::format("{:02}-{}", i + 1, lesson.name_of(lesson.beats[i]));
    // A lab may begin with a text that does not compile.
    const Shot shot{.shows_mistake = lesson.beats[i].kind == lesson::BeatKind::Lab};
    const auto written =
        write_pictures(options, studio, std::move(*state), std::nullopt, name,
                       lesson.title_of(lesson.beats[i]).in(spoken_language()), shot);
    if (!written) {
      return written;
    }
  }
  return {};
}

Result<int> scenes(const ScenesOptions& options, cli::Context& context) {
  if (!options.old_size.empty()) {
    return fail(
        tr("--size {}: set the picture size with --pixels; a scene has its own matrix size.",
           options.old_size));
  }
  const auto size = parse_pixels(options.pixels);
  workspace::Paths paths = context.paths;
  paths.user_state.clear();  // drawing a beat must not count as seeing it
  const auto lesson = options.lesson.empty()
                          ? lesson::load_lesson(paths.assets / "lessons" / "opening.md")
                          : workspace::find_lesson(options.lesson, paths);
  TILESTEP_RETURN_IF_ERROR(size);
  TILESTEP_RETURN_IF_ERROR(lesson);
  workspace::Workspace workspace(paths, context.compiler);
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) {
    return fail(tr("--out {}: the folder cannot be created: {}. Choose another.", options.out,
                   error.message()));
  }
  Studio studio(workspace, paths, size->width, size->height);
  if (options.beats) {
    TILESTEP_RETURN_IF_ERROR(write_beats(options, *lesson, workspace, studio));
    return 0;
  }
  for (const lesson::Scene& scene : lesson->scenes) {
    const std::string where = tr("{}: scene '{}'", lesson->file, scene.name);
    TILESTEP_RETURN_IF_ERROR(
        check_selection(scene.state.timing, *workspace.view().kernels.catalog, where));
    state::AppState state = scene.state;
    state.theme = options.theme;
    const auto written = write_pictures(options, studio, std::move(state), scene.place, scene.name,
                                        scene.title.in(spoken_language()));
    if (!written) {
      return fail(fmt::format("{}: {}", where, written.error().message));
    }
  }
  return 0;
}

}  // namespace

void add_film_command(CLI::App& app, cli::Context& context) {
  auto options = std::make_shared<FilmOptions>();
  auto* command = app.add_subcommand("film", "Film a part of the run: GIF or MP4");
  cli::add_launch_options(*command, options->launch);
  cli::add_build_option(*command, options->launch);
  command->add_option("--scene", options->scene,
                      "Show a scene instead: a link or a file (tilestep open)");
  command
      ->add_option("--from", options->from,
                   "Start of the film: start, step:K, statement:K or phase:P")
      ->capture_default_str();
  command->add_option("--to", options->to, "End of the film: end, step:K, statement:K or phase:P")
      ->capture_default_str();
  cli::add_word_option(*command, "--by", options->by,
                       tr("Advance by: {}", alternatives(file_words<state::Unit>())));
  command->add_option("--lesson", options->lesson,
                      "Film a lesson, beat by beat: its number, id or file");
  CLI::Option* const pace =
      command
          ->add_option("--pace", options->pace,
                       "Places per second; for a lesson, beats per second (default 0.1)")
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
    context.status = cli::status_of(film(*options, context));
  });
}

Result<state::AppState> open_beat(workspace::Workspace& workspace, const std::string& lesson,
                                  int beat) {
  workspace.settle();
  workspace.update({state::OpenLesson{lesson, beat - 1}}, 0.0);
  workspace.settle();
  const auto& shown = workspace.view().lesson;
  if (shown == nullptr) {
    return fail(workspace.view().messages.refusal);
  }
  const std::size_t beats = shown->lesson->beats.size();
  if (beat < 1 || static_cast<std::size_t>(beat) > beats) {
    return fail(tr("--beat {}: this lesson has beats 1 to {}.", beat, beats));
  }
  return workspace.state();
}

Result<void> check_point(const state::TimedPoint& point, const problem::Catalog& catalog,
                         const std::string& place) {
  const problem::LaunchSpec* const spec = catalog.find(point.kernel);
  const bool needs_one = spec != nullptr && spec->uses_block_size;
  if (point.block_size > problem::kLargestBlockSize || point.block_size < (needs_one ? 1 : 0)) {
    return fail(tr("{}: BLOCK_SIZE {} of {} is out of range. Choose {} to {}.", place,
                   point.block_size, point.kernel, needs_one ? 1 : 0, problem::kLargestBlockSize));
  }
  return {};
}

void add_scenes_command(CLI::App& app, cli::Context& context) {
  auto scene_options = std::make_shared<ScenesOptions>();
  auto* all = app.add_subcommand("scenes", "Draw the opening scenes as PNG files");
  all->add_option("--lesson", scene_options->lesson,
                  "A lesson: its file, number or id (default: the opening scenes)");
  all->add_flag("--beats", scene_options->beats,
                "Every beat in order, with the lesson open beside the stage");
  all->add_flag("--lecture", scene_options->lecture, "The beats as the audience sees them");
  all->add_flag("--svg", scene_options->svg, "Also an SVG beside each PNG; it keeps text as text");
  all->add_option("--scale", scene_options->scale, "Scale of text and controls in the beats")
      ->check(CLI::Range(0.3, 4.0))
      ->capture_default_str();
  all->add_option("--pixels", scene_options->pixels, "Size of the picture, WIDTHxHEIGHT")
      ->capture_default_str();
  all->add_option("--size", scene_options->old_size)->group("");
  cli::add_word_option(*all, "--theme", scene_options->theme,
                       tr("Theme: {}", alternatives(file_words<state::Theme>())));
  all->add_option("--out", scene_options->out, "Output folder")->capture_default_str();
  all->footer("Example:\n  tilestep scenes --theme light --out pictures");
  all->callback([scene_options, &context] {
    context.status = cli::status_of(scenes(*scene_options, context));
  });
}

}  // namespace tilestep::program
