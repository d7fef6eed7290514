#include "program/commands.h"

#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "lesson/place.h"
#include "platform/svg.h"
#include "problem/describe/words.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "program/picture.h"
#include "program/window_loop.h"
#include "state/exporting.h"
#include "state/scene.h"
#include "state/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace tilestep::program {
namespace {

constexpr const char* kDefaultPlace = "end";

struct RenderOptions {
  cli::LaunchOptions launch;
  std::string scene;  // a link or a file, instead of the launch
  std::string at;     // empty: the scene's place, else the end
  std::optional<float> motion;
  int density = 1;
  bool stage_only = false;
  std::string pixels = "1920x1080";
  state::Theme theme = state::Theme::Dark;
  bool is_theme_given = false;
  state::Typeface typeface = state::Typeface::Roboto;
  state::Tab tab = state::Tab::Step;
  std::string page;      // of the inspector, or of the Timing tab
  std::string selected;  // KERNEL:BLOCK_SIZE, a point of the Timing tab
  std::string compared;  // KERNEL, KERNEL:BLOCK_SIZE or a build: side 2
  std::string against;   // the same, compared with `selected`
  std::string timing;    // keys of a scene's `timing`
  int timed_size = 4096;
  std::string gpu;
  std::uint32_t focus_block = 0;
  std::optional<std::uint32_t> focus_thread;  // nullopt: the kernel's
  double scale = 1.0;
  bool is_scale_given = false;
  bool lecture = false;
  bool notes = false;
  std::string lesson;  // the open lesson; empty: none
  int beat = 1;        // of the lesson
  bool memory = false;
  bool contrast = false;
  bool volume = false;
  int phases = 0;  // pictures of the start and of each phase's end, at most; 0: one of `at`
  std::string out = "tilestep.png";
};

enum class PictureFormat { Png, Svg };

Result<PictureFormat> format_of(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ending == ".png" || ending == ".PNG") {
    return PictureFormat::Png;
  }
  if (ending == ".svg" || ending == ".SVG") {
    return PictureFormat::Svg;
  }
  return fail(tr(
      "--out {}: a picture is a PNG or SVG file. Choose a name that ends in .png or .svg.", out));
}

std::vector<std::string> page_words() {
  std::vector<std::string> words = file_words<state::InspectorPage>();
  const std::vector<std::string> timing = file_words<state::TimingPage>();
  words.insert(words.end(), timing.begin(), timing.end());
  return words;
}

// "tiled:16"
Result<state::TimedPoint> parse_point(const std::string& option, const std::string& text,
                                      const problem::Catalog& catalog) {
  state::TimedPoint point;
  const std::size_t colon = text.find(':');
  const char* end = text.data() + text.size();
  const char* number = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto [stopped, mistake] = std::from_chars(number, end, point.block_size);
  if (mistake != std::errc() || stopped != end) {
    return fail(tr("{} {}: write KERNEL:BLOCK_SIZE, for example tiled:16.", option, text));
  }
  point.kernel = text.substr(0, colon);
  TILESTEP_RETURN_IF_ERROR(check_point(point, catalog, option + " " + text));
  return point;
}

// Side 2 is side 1 with another kernel or BLOCK_SIZE, or another build.
Result<void> choose_second(const RenderOptions& options, const problem::Catalog& catalog,
                           state::AppState& state) {
  const std::string& text = options.compared;
  if (text.empty()) {
    return {};
  }
  const auto build = value_of<problem::Build>(text);
  if (build && catalog.find(text) == nullptr) {
    state.comparison = {.on = true, .second = setup_of(state)};
    state.comparison.second.build = *build;
    return {};
  }
  const std::string kernel = text.substr(0, text.find(':'));
  if (catalog.find(kernel) == nullptr) {
    return fail(tr("--compare {}: there is no kernel '{}'. tilestep list shows all kernels.", text,
                   kernel));
  }
  state.comparison = {.on = true, .second = setup_of(state)};
  state.comparison.second.kernel = kernel;
  if (kernel == text) {
    return {};
  }
  const auto point = parse_point("--compare", text, catalog);
  TILESTEP_RETURN_IF_ERROR(point);
  state.comparison.second.parameters.block_size = point->block_size;
  return {};
}

// A page of the Timing tab opens the tab.
Result<void> choose_page(const RenderOptions& options, const problem::Catalog& catalog,
                         state::AppState& state) {
  state.tab = options.tab;
  if (!options.timing.empty()) {
    const auto read = state::from_toml("timing = {" + options.timing + "}", "--timing");
    TILESTEP_RETURN_IF_ERROR(read);
    state.timing = read->timing;
  }
  state.timing.gpu = options.gpu;
  state.timing.problem = {options.timed_size, options.timed_size, options.timed_size};
  if (const auto page = value_of<state::TimingPage>(options.page)) {
    state.timing.page = *page;
    state.tab = state::Tab::Timing;
  } else if (const auto inspector = value_of<state::InspectorPage>(options.page)) {
    state.inspector = *inspector;
  }
  if (!options.selected.empty()) {
    const auto point = parse_point("--select", options.selected, catalog);
    TILESTEP_RETURN_IF_ERROR(point);
    state.timing.selected_kernel = point->kernel;
    state.timing.selected_block_size = point->block_size;
  }
  if (!options.against.empty()) {
    const auto point = parse_point("--against", options.against, catalog);
    TILESTEP_RETURN_IF_ERROR(point);
    state.timing.against = *point;
  }
  return {};
}

// --size was once the picture's size. "640x480" is no matrix size, so it can only mean that.
Result<void> refuse_old_size(const std::string& size) {
  if (parse_pixels(size)) {
    return fail(tr("--size {}: set the picture size with --pixels {}.", size, size));
  }
  return {};
}

Area area_of(const RenderOptions& options) {
  return options.notes ? Area::Notes : options.stage_only ? Area::Stage : Area::Window;
}

// A beat of a lesson may have a listing that does not compile.
Shot shot_of(const RenderOptions& options, int density) {
  return {.motion = options.motion,
          .density = density,
          .area = area_of(options),
          .shows_mistake = !options.lesson.empty()};
}

Result<void> write_as_png(Studio& studio, state::AppState state,
                          const std::optional<lesson::Place>& place, const RenderOptions& options) {
  const auto image = studio.take(std::move(state), place, shot_of(options, options.density));
  TILESTEP_RETURN_IF_ERROR(image);
  platform::write_png(*image, options.out);
  return {};
}

Result<void> write_as_svg(Studio& studio, state::AppState state,
                          const std::optional<lesson::Place>& place, const RenderOptions& options) {
  const auto svg = studio.take_svg(std::move(state), place, shot_of(options, 1));
  TILESTEP_RETURN_IF_ERROR(svg);
  platform::write_svg(*svg, options.out);
  return {};
}

Result<void> write(Studio& studio, state::AppState state, const std::optional<lesson::Place>& place,
                   PictureFormat format, const RenderOptions& options) {
  const auto write_as = format == PictureFormat::Svg ? write_as_svg : write_as_png;
  TILESTEP_RETURN_IF_ERROR(write_as(studio, std::move(state), place, options));
  cli::say("{}\n", options.out);
  return {};
}

// NAME-0.svg is the start, NAME-1.svg the end of the first phase.
Result<void> write_phases(Studio& studio, const workspace::Workspace& workspace,
                          const state::AppState& state, PictureFormat format,
                          RenderOptions options) {
  const std::filesystem::path out = options.out;
  lesson::Place place{lesson::Place::Kind::Start, 0};
  std::size_t phases = 0;
  for (std::size_t i = 0; i <= phases && i < static_cast<std::size_t>(options.phases); ++i) {
    const std::string name =
        fmt::format("{}-{}{}", out.stem().string(), i, out.extension().string());
    options.out = (out.parent_path() / name).string();
    TILESTEP_RETURN_IF_ERROR(write(studio, state, place, format, options));
    phases = workspace.view().run.scene->recording->phases_of(workspace.state().focus.block).size();
    place = {lesson::Place::Kind::PhaseEnd, i};
  }
  return {};
}

Result<state::AppState> launch_state(const RenderOptions& options, cli::Context& context,
                                     workspace::Workspace& workspace) {
  auto launch = launched(workspace, context, options.launch);
  TILESTEP_RETURN_IF_ERROR(launch);
  const problem::Catalog& catalog = *workspace.view().kernels.catalog;
  TILESTEP_RETURN_IF_ERROR(choose_page(options, catalog, launch->state));
  TILESTEP_RETURN_IF_ERROR(choose_second(options, catalog, launch->state));
  launch->state.focus.block = options.focus_block;
  launch->state.focus.thread = options.focus_thread.value_or(launch->state.focus.thread);
  return std::move(launch->state);
}

// A scene has its own launch, pages and focus; options may change its appearance.
Result<state::AppState> scene_state(const RenderOptions& options, cli::Context& context,
                                    workspace::Workspace& workspace) {
  if (!(options.launch == cli::LaunchOptions{})) {
    return fail(
        tr("--scene {}: the scene sets the kernel and its launch. Leave out the options for them.",
           options.scene));
  }
  return scene_beginning(workspace, infer_by(context), options.scene);
}

Result<state::AppState> shown_state(const RenderOptions& options, cli::Context& context,
                                    workspace::Workspace& workspace) {
  const bool is_scene = !options.scene.empty() || !options.lesson.empty();
  auto state = !options.lesson.empty() ? open_beat(workspace, options.lesson, options.beat)
               : is_scene              ? scene_state(options, context, workspace)
                                       : launch_state(options, context, workspace);
  if (!state) {
    return state;
  }
  if (!is_scene || options.is_theme_given) {
    state->theme = options.theme;
  }
  if (options.typeface != state::Typeface::Roboto) {
    state->typeface = options.typeface;
  }
  if (!is_scene || options.is_scale_given) {
    state->scale = static_cast<float>(options.scale);
  }
  if (!context.language.empty()) {
    state->language = context.language;
  }
  state->lecture = state->lecture || options.lecture;
  state->course.notes = state->course.notes || options.notes;  // the notes show the next beat
  state->show_memory = state->show_memory || options.memory || options.contrast;
  state->show_contrast = state->show_contrast || options.contrast;
  state->volume.large = state->volume.large || options.volume;
  return state;
}

// Nullopt: the scene's place.
Result<std::optional<lesson::Place>> shown_place(const RenderOptions& options) {
  if (options.at.empty() && (!options.scene.empty() || !options.lesson.empty())) {
    return std::nullopt;
  }
  const auto place = lesson::parse_place(options.at.empty() ? kDefaultPlace : options.at);
  return place ? Result<std::optional<lesson::Place>>(*place) : tl::unexpected(place.error());
}

Result<int> render(const RenderOptions& options, cli::Context& context) {
  TILESTEP_RETURN_IF_ERROR(refuse_old_size(options.launch.size));
  const auto size = parse_pixels(options.pixels);
  const auto place = shown_place(options);
  const auto format = format_of(options.out);
  TILESTEP_RETURN_IF_ERROR(size);
  TILESTEP_RETURN_IF_ERROR(place);
  TILESTEP_RETURN_IF_ERROR(format);
  workspace::Paths paths = context.paths;
  paths.user_state.clear();  // drawing a beat must not count as seeing it
  workspace::Workspace workspace(paths, context.compiler);
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  auto state = shown_state(options, context, workspace);
  TILESTEP_RETURN_IF_ERROR(state);
  Studio studio(workspace, paths, size->width, size->height, *format != PictureFormat::Svg);
  const auto taken = options.phases > 0
                         ? write_phases(studio, workspace, *state, *format, options)
                         : write(studio, std::move(*state), *place, *format, options);
  TILESTEP_RETURN_IF_ERROR(taken);
  return 0;
}

void add_place_options(CLI::App& command, RenderOptions& options) {
  command
      .add_option("--scene", options.scene,
                  "A scene's .toml, or its link, instead of a kernel and its options")
      ->option_text("FILE|LINK");
  command
      .add_option("--at", options.at,
                  "Place in the run: start, end, step:K, statement:K, phase:P (its middle), "
                  "phase-start:P or phase-end:P (as after F10)")
      ->default_str(tr("end, or the scene's place"));
  command
      .add_option("--motion", options.motion,
                  "For phase-end:P: the fraction of the phase already played: 0 to 1")
      ->check(CLI::Range(0.0F, 1.0F))
      ->option_text("T");
  command
      .add_option("--phases", options.phases,
                  "Pictures of the start and of each phase's end, N at most: NAME-0.svg, "
                  "NAME-1.svg, …")
      ->check(CLI::Range(1, std::numeric_limits<int>::max(), "INT"))
      ->excludes("--at")
      ->option_text("N");
}

void add_lesson_options(CLI::App& command, RenderOptions& options) {
  auto* const lesson = command
                           .add_option("--lesson", options.lesson,
                                       "A lesson open beside the stage: its number, id or file")
                           ->option_text("3|ID|FILE.md");
  command.add_option("--beat", options.beat, "Number of the beat to show, from 1")
      ->needs(lesson)
      ->default_str("1");
  command
      .add_flag("--notes", options.notes,
                "The lecturer's window of that beat (key S) instead of the audience's")
      ->needs(lesson);
}

}  // namespace

void add_render_commands(CLI::App& app, cli::Context& context) {
  auto render_options = std::make_shared<RenderOptions>();
  auto* command = app.add_subcommand("render", "Draw the window as a PNG or SVG file");
  cli::add_launch_options(*command, render_options->launch);
  cli::add_build_option(*command, render_options->launch);
  add_place_options(*command, *render_options);
  command->add_option("--pixels", render_options->pixels, "Size of the picture, WIDTHxHEIGHT")
      ->capture_default_str();
  command
      ->add_option("--density", render_options->density,
                   "Pixel scale: 3 gives a PNG three times as wide and as high")
      ->check(CLI::Range(1, state::kLargestExportScale))
      ->capture_default_str();
  command->add_flag("--stage-only", render_options->stage_only,
                    "Only the stage, without the window");
  const std::string themes = tr("Theme: {}", alternatives(file_words<state::Theme>()));
  const CLI::Option* const theme =
      cli::add_word_option(*command, "--theme", render_options->theme, themes);
  cli::add_word_option(*command, "--typeface", render_options->typeface,
                       tr("Font of the text: {}", alternatives(file_words<state::Typeface>())));
  cli::add_word_option(*command, "--tab", render_options->tab,
                       tr("Tab: {}", alternatives(file_words<state::Tab>())));
  command
      ->add_option("--page", render_options->page,
                   tr("A page of the inspector ({}) or of the Timing tab ({})",
                      fmt::join(file_words<state::InspectorPage>(), ", "),
                      fmt::join(file_words<state::TimingPage>(), ", ")))
      ->check(CLI::IsMember(page_words()))
      ->option_text("PAGE");
  command->add_option("--timed-size", render_options->timed_size, "M = N = K in the Timing tab")
      ->check(CLI::Range(1, std::numeric_limits<int>::max(), "INT"))
      ->capture_default_str();
  command->add_option("--gpu", render_options->gpu,
                      "Predict for this GPU instead; full name, for example \"NVIDIA B200\"");
  command->add_option("--select", render_options->selected,
                      "Selected point of the Timing tab: KERNEL:BLOCK_SIZE");
  command->add_option("--compare", render_options->compared,
                      "A second run beside the first, as with the = key: KERNEL, "
                      "KERNEL:BLOCK_SIZE, or a build (step, fast) of the same kernel");
  command->add_option("--against", render_options->against,
                      "Compare the point with KERNEL:BLOCK_SIZE, or cublas:0");
  command->add_option("--timing", render_options->timing,
                      "Keys of a scene's `timing`, for example \"what_if.sms = 66\"");
  command->add_option("--focus-block", render_options->focus_block,
                      "Focus block: linear index in the grid");
  command->add_option("--focus-thread", render_options->focus_thread,
                      "Focus thread: linear index in the block");
  const CLI::Option* const scale =
      command->add_option("--scale", render_options->scale, "Scale of text and controls")
          ->check(CLI::Range(0.3, 4.0))
          ->capture_default_str();
  command->add_flag(
      "--memory", render_options->memory,
      "Sectors and banks of the statement across the whole stage, as key M shows them");
  command->add_flag("--contrast", render_options->contrast,
                    "Sectors and banks of the same access in other kernels, as Shift+M shows them");
  command->add_flag("--volume", render_options->volume,
                    "The products as cubes across the whole stage, as key 8 shows them");
  command->add_flag("--lecture", render_options->lecture,
                    "Lecture layout: stage, five lines of source and the sum");
  add_lesson_options(*command, *render_options);
  command->add_option("--out", render_options->out, "PNG file, or SVG file (keeps text as text)")
      ->capture_default_str();
  command->footer(
      "Example:\n  tilestep render tiled --size 8,8,8 --block 4 --at phase:1 --theme light --out "
      "x.png\n"
      "Exit status: 0 picture written; 2 wrong use or input.");
  command->callback([render_options, theme, scale, &context] {
    render_options->is_theme_given = theme->count() > 0;
    render_options->is_scale_given = scale->count() > 0;
    context.status = cli::status_of(render(*render_options, context));
  });

  add_scenes_command(app, context);
  add_film_command(app, context);
  add_course_commands(app, context);
  add_reference_command(app);
}

}  // namespace tilestep::program
