#include "program/scenes_command.h"

#include "cli/say.h"
#include "cli/word_option.h"
#include "lesson/lesson.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "program/picture.h"
#include "state/words.h"
#include "workspace/lesson_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace tilestep::program {
namespace {

struct ScenesOptions {
  std::string pixels = "1920x1080";
  state::Theme theme = state::Theme::Dark;
  std::string out = ".";
  std::string lesson;
  bool beats = false;  // every beat, with the lesson open beside it
  bool lecture = false;
  bool svg = false;  // beside the pixels
  double scale = 1.0;
  std::string old_size;  // the name that --pixels once had
};

Result<void> check_selection(const state::TimingView& view, const problem::Catalog& catalog,
                             const std::string& place) {
  const auto selected =
      check_point({view.selected_kernel, view.selected_block_size, ""}, catalog, place);
  return selected ? check_point(view.against, catalog, place) : selected;
}

// NAME.png in the folder, and NAME.svg where it is wanted.
Result<void> write_pictures(const ScenesOptions& options, Studio& studio, state::AppState state,
                            const std::optional<lesson::Place>& place, const std::string& name,
                            const std::string& title, const Shot& shot = {}) {
  const auto image = studio.take(state, place, shot);
  if (!image) {
    return tl::unexpected(image.error());
  }
  const auto picture = std::filesystem::path(options.out) / (name + ".png");
  platform::write_png(*image, picture);
  cli::say("{}  {}\n", picture.string(), title);
  if (!options.svg) {
    return {};
  }
  const auto svg = studio.take_svg(std::move(state), place, shot);
  if (!svg) {
    return tl::unexpected(svg.error());
  }
  return problem::write_file(std::filesystem::path(options.out) / (name + ".svg"), *svg);
}

// One picture a beat, by its number and name, with the lesson open beside it.
Result<void> write_beats(const ScenesOptions& options, const lesson::Lesson& lesson,
                         workspace::Workspace& workspace, Studio& studio) {
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    auto state = open_beat(workspace, options.lesson, static_cast<int>(i) + 1);
    if (!state) {
      return tl::unexpected(state.error());
    }
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

int scenes(const ScenesOptions& options, cli::Context& context) {
  if (!options.old_size.empty()) {
    return cli::wrong_use(
        {tr("--size {}: the size of the picture is now --pixels; a scene has its own matrix size.",
            options.old_size)});
  }
  const auto size = parse_pixels(options.pixels);
  workspace::Paths paths = context.paths;
  paths.user_state.clear();  // nobody has seen a beat that is drawn
  const auto lesson = options.lesson.empty()
                          ? lesson::load_lesson(paths.assets / "lessons" / "opening.md")
                          : workspace::find_lesson(options.lesson, paths);
  if (!size || !lesson) {
    return cli::wrong_use(size ? lesson.error() : size.error());
  }
  workspace::Workspace workspace(paths, context.compiler);
  if (const std::string& mistake = workspace.view().catalog_problem; !mistake.empty()) {
    return cli::wrong_use({mistake});
  }
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) {
    return cli::wrong_use({tr("--out {}: the folder cannot be created: {}. Choose another.",
                              options.out, error.message())});
  }
  Studio studio(workspace, paths, size->width, size->height);
  if (options.beats) {
    const auto written = write_beats(options, *lesson, workspace, studio);
    return written ? 0 : cli::wrong_use(written.error());
  }
  for (const lesson::Scene& scene : lesson->scenes) {
    const std::string where = tr("{}: scene '{}'", lesson->file, scene.name);
    if (const auto chosen = check_selection(scene.state.timing, *workspace.view().catalog, where);
        !chosen) {
      return cli::wrong_use(chosen.error());
    }
    state::AppState state = scene.state;
    state.theme = options.theme;
    const auto written = write_pictures(options, studio, std::move(state), scene.place, scene.name,
                                        scene.title.in(spoken_language()));
    if (!written) {
      return cli::wrong_use({fmt::format("{}: {}", where, written.error().message)});
    }
  }
  return 0;
}

}  // namespace

Result<state::AppState> open_beat(workspace::Workspace& workspace, const std::string& lesson,
                                  int beat) {
  workspace.settle();
  workspace.update({state::OpenLesson{lesson, beat - 1}}, 0.0);
  workspace.settle();
  const workspace::ShownLesson* const shown = workspace.view().lesson;
  if (shown == nullptr) {
    return fail(workspace.view().refusal);
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
    return fail(tr("{}: BLOCK_SIZE {} of {} is not a point. Choose {} to {}.", place,
                   point.block_size, point.kernel, needs_one ? 1 : 0, problem::kLargestBlockSize));
  }
  return {};
}

void add_scenes_command(CLI::App& app, cli::Context& context) {
  auto scene_options = std::make_shared<ScenesOptions>();
  auto* all = app.add_subcommand("scenes", "Draw the opening scenes into PNG files");
  all->add_option("--lesson", scene_options->lesson,
                  "A lesson: its file, number or id (default: the opening scenes)");
  all->add_flag("--beats", scene_options->beats,
                "Every beat in order, with the lesson open beside the stage");
  all->add_flag("--lecture", scene_options->lecture, "The beats as a hall sees them");
  all->add_flag("--svg", scene_options->svg, "An SVG beside each PNG, whose text is text");
  all->add_option("--scale", scene_options->scale, "Scale of text and controls, of the beats")
      ->check(CLI::Range(0.3, 4.0))
      ->capture_default_str();
  all->add_option("--pixels", scene_options->pixels, "Size of the picture, WIDTHxHEIGHT")
      ->capture_default_str();
  all->add_option("--size", scene_options->old_size)->group("");
  cli::add_word_option(*all, "--theme", scene_options->theme,
                       tr("Theme: {}", alternatives(file_words<state::Theme>())));
  all->add_option("--out", scene_options->out, "Output folder")->capture_default_str();
  all->footer("Example:\n  tilestep scenes --theme light --out pictures");
  all->callback(
      [scene_options, &context] { context.status = guarded(scenes, *scene_options, context); });
}

}  // namespace tilestep::program
