#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "course/handout.h"
#include "lesson/lesson.h"
#include "platform/image.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "program/commands.h"
#include "program/picture.h"
#include "state/words.h"
#include "workspace/shown_lesson.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;

struct HandoutCommand {
  std::string lesson;
  std::string out;
  std::string language = spoken_language();
  std::string pixels = "1280x720";
  state::Theme theme = state::Theme::Light;
};

// The folder beside the text: its name and _pictures.
fs::path picture_folder(const fs::path& out) {
  return out.parent_path() / (out.stem().string() + "_pictures");
}

// Draws every scene; fails at the first that cannot be drawn.
Result<void> draw_scenes(const lesson::Lesson& lesson, const HandoutCommand& options,
                         cli::Context& context) {
  const auto size = parse_pixels(options.pixels);
  TILESTEP_RETURN_IF_ERROR(size);
  workspace::Workspace workspace(context.paths, context.compiler);
  if (const std::string& mistake = workspace.view().kernels.mistake; !mistake.empty()) {
    return fail(mistake);
  }
  const fs::path folder = picture_folder(options.out);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail(tr("{}: the folder cannot be created: {}. Choose another --out.", folder.string(),
                   error.message()));
  }
  Studio studio(workspace, context.paths, size->width, size->height);
  for (const lesson::Scene& scene : lesson.scenes) {
    state::AppState state = scene.state;
    state.theme = options.theme;
    const auto image = studio.take(std::move(state), scene.place);
    if (!image) {
      return fail(tr("{}: scene '{}': {}", lesson.file, scene.name, image.error().message));
    }
    platform::write_png(*image, folder / (scene.name + ".png"));
  }
  return {};
}

Result<void> write_handout(const HandoutCommand& options, cli::Context& context) {
  // The pictures use the language, too, if the program has it.
  static_cast<void>(set_usual_language(options.language));
  const auto lesson = workspace::find_lesson(options.lesson, context.paths);
  const auto tools = cli::course_tools(context);
  TILESTEP_RETURN_IF_ERROR(lesson);
  TILESTEP_RETURN_IF_ERROR(tools);
  course::Answers answers({context.compiler, tools->catalog, &tools->dataset, nullptr},
                          lesson->follow());
  const std::string folder = picture_folder(options.out).filename().string();
  const auto text =
      course::handout(*lesson, answers, {options.language, [&folder](const lesson::Scene& scene) {
                                           return folder + "/" + scene.name + ".png";
                                         }});
  TILESTEP_RETURN_IF_ERROR(text);
  if (auto drawn = draw_scenes(*lesson, options, context); !drawn) {
    return drawn;
  }
  return problem::write_file(options.out, *text);
}

Result<int> handout(const HandoutCommand& options, cli::Context& context) {
  TILESTEP_RETURN_IF_ERROR(write_handout(options, context));
  cli::say("{}\n", options.out);
  return 0;
}

}  // namespace

void add_handout_command(CLI::App& app, cli::Context& context) {
  auto options = std::make_shared<HandoutCommand>();
  auto* command = app.get_subcommand("lesson")->add_subcommand(
      "handout", "Write a lesson as Markdown with pictures and the answers at the end");
  command->add_option("lesson", options->lesson, "A lesson: its file, number or id")
      ->required()
      ->option_text("FILE");
  command
      ->add_option("--out", options->out, "Markdown file; pictures are saved in a folder beside it")
      ->required()
      ->option_text("FILE");
  command->add_option("--language", options->language, "One of the lesson's languages")
      ->capture_default_str();
  command->add_option("--pixels", options->pixels, "Size of the pictures, WIDTHxHEIGHT")
      ->capture_default_str();
  cli::add_word_option(*command, "--theme", options->theme,
                       tr("Theme: {}", alternatives(file_words<state::Theme>())));
  command->footer(
      "Example:\n  tilestep lesson handout assets/lessons/05-edges.md --language zh --out x.md\n"
      "Exit status: 0 written; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = cli::status_of(handout(*options, context)); });
}

}  // namespace tilestep::program
