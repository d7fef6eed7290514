// tilestep lesson handout: a lesson on paper; tilestep course kit: all that a teacher needs.
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "course/captions.h"
#include "course/handout.h"
#include "lesson/lesson.h"
#include "platform/image.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/markup.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "program/commands.h"
#include "program/film.h"
#include "program/picture.h"
#include "state/words.h"
#include "workspace/child.h"
#include "workspace/shown_lesson.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;
using course::Paper;

struct HandoutCommand {
  std::string lesson;
  std::string out;
  std::string language = spoken_language();
  std::string pixels = "1280x720";
  state::Theme theme = state::Theme::Light;
};

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? fail(tr("{}: the folder cannot be created: {}. Choose another --out.",
                         folder.string(), error.message()))
               : Result<void>();
}

// The folder beside the text: its name and _pictures.
fs::path picture_folder(const fs::path& out) {
  return out.parent_path() / (out.stem().string() + "_pictures");
}

// "03-c1.png"; of an answered question "03-after-one-answer.png".
std::string picture_name(const lesson::Lesson& lesson, const lesson::Beat& beat, bool is_answered) {
  const auto place = std::ranges::find(lesson.beats, beat) - lesson.beats.begin();
  const bool is_answer = is_answered && beat.kind == lesson::BeatKind::Question;
  return fmt::format("{:02}-{}{}.png", place + 1, lesson.name_of(beat), is_answer ? "-answer" : "");
}

struct Pictures {
  fs::path folder;
  std::string pixels = "1280x720";
  int density = 1;
  state::Theme theme = state::Theme::Light;
  bool has_questions = false;  // also a picture of each question, before and after its answer
};

// Draws every scene with its points; fails at the first that cannot be drawn.
Result<void> draw_beats(const lesson::Lesson& lesson, const Pictures& options,
                        workspace::Workspace& workspace, const workspace::Paths& paths) {
  const auto size = parse_pixels(options.pixels);
  TILESTEP_RETURN_IF_ERROR(size);
  TILESTEP_RETURN_IF_ERROR(make_folder(options.folder));
  Studio studio(workspace, paths, size->width, size->height);
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    const lesson::Beat& beat = lesson.beats[i];
    const bool is_question = beat.kind == lesson::BeatKind::Question;
    const bool is_scene = beat.kind == lesson::BeatKind::Scene;
    if ((is_scene && lesson.scenes[beat.index].recap) || (is_question && !options.has_questions) ||
        (!is_scene && !is_question)) {
      continue;
    }
    auto state = open_beat(workspace, lesson.file, static_cast<int>(i) + 1);
    TILESTEP_RETURN_IF_ERROR(state);
    state->theme = options.theme;
    for (const bool is_answered : {false, true}) {
      if (is_answered && !is_question) {
        continue;
      }
      state->course.answering = is_answered ? state::Answering::Shown : state::Answering::Asked;
      const auto image =
          studio.take(*state, std::nullopt, {.density = options.density, .area = Area::Picture});
      if (!image) {
        return fail(tr("{}: '{}': {}", lesson.file, lesson.name_of(beat), image.error().message));
      }
      platform::write_png(*image, options.folder / picture_name(lesson, beat, is_answered));
    }
  }
  return {};
}

// A workspace that does not count a drawn beat as seen.
Result<std::unique_ptr<workspace::Workspace>> open_workspace(cli::Context& context) {
  workspace::Paths paths = context.paths;
  paths.user_state.clear();
  auto workspace = std::make_unique<workspace::Workspace>(paths, context.compiler);
  const std::string mistake = workspace->view().kernels.mistake;
  return mistake.empty() ? Result<std::unique_ptr<workspace::Workspace>>(std::move(workspace))
                         : fail(mistake);
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
  const fs::path folder = picture_folder(options.out);
  const auto picture = [&](const lesson::Beat& beat, bool is_answered) {
    return folder.filename().string() + "/" + picture_name(*lesson, beat, is_answered);
  };
  const auto text = course::handout(*lesson, answers, {options.language, Paper::Lesson, picture});
  TILESTEP_RETURN_IF_ERROR(text);
  const auto workspace = open_workspace(context);
  TILESTEP_RETURN_IF_ERROR(workspace);
  TILESTEP_RETURN_IF_ERROR(
      draw_beats(*lesson, {.folder = folder, .pixels = options.pixels, .theme = options.theme},
                 **workspace, context.paths));
  return problem::write_file(options.out, *text);
}

Result<int> handout(const HandoutCommand& options, cli::Context& context) {
  TILESTEP_RETURN_IF_ERROR(write_handout(options, context));
  cli::say("{}\n", options.out);
  return 0;
}

constexpr const char* kFontFolder = "fonts";
constexpr const char* kPictureFolder = "pictures";
constexpr const char* kTypesetter = "weasyprint";
constexpr std::array kPapers{Paper::Guide, Paper::Handout, Paper::Key, Paper::Slides};

struct KitOptions {
  std::vector<std::string> lessons;  // empty: every shipped one
  std::string out;
  bool has_films = true;
};

// Makes the parts of a kit; notes which are missing because a program is not installed.
class Kit {
 public:
  Kit(const KitOptions& options, cli::Context& context, const cli::CourseTools& tools,
      workspace::Workspace& workspace)
      : options_(options), context_(context), tools_(tools), workspace_(workspace) {}

  // The fonts, to which the pages refer.
  Result<void> begin();
  Result<void> add(const lesson::Lesson& lesson);
  // The table of all lessons.
  Result<void> finish();
  // What is missing and how to install it.
  [[nodiscard]] const std::set<std::string>& missing() const { return missing_; }

 private:
  using Files = std::vector<fs::path>;  // beside kPapers

  [[nodiscard]] course::Page page(const std::string& title, const std::string& kind,
                                  const std::string& fonts) const {
    return {title, spoken_language(), kind, fonts};
  }
  Result<Files> write_papers(const lesson::Lesson& lesson, course::Answers& answers,
                             const fs::path& folder);
  void print_pdfs(const Files& pages);
  Result<void> make_film(const lesson::Lesson& lesson, course::Answers& answers,
                         const fs::path& folder);
  void add_row(const lesson::Lesson& lesson, const fs::path& folder);
  void say(const fs::path& file) { cli::say("{}\n", file.string()); }

  const KitOptions& options_;
  cli::Context& context_;
  const cli::CourseTools& tools_;
  workspace::Workspace& workspace_;
  std::string rows_;  // of the table of all lessons, HTML
  std::set<std::string> missing_;
};

Result<void> Kit::add(const lesson::Lesson& lesson) {
  const fs::path folder = fs::path(options_.out) / fs::path(lesson.file).stem();
  course::Answers answers({context_.compiler, tools_.catalog, &tools_.dataset, nullptr},
                          lesson.follow());
  TILESTEP_RETURN_IF_ERROR(draw_beats(lesson,
                                      {.folder = folder / kPictureFolder,
                                       .pixels = "1040x640",
                                       .density = 2,
                                       .has_questions = true},
                                      workspace_, context_.paths));
  const auto pages = write_papers(lesson, answers, folder);
  TILESTEP_RETURN_IF_ERROR(pages);
  print_pdfs(*pages);
  if (options_.has_films) {
    TILESTEP_RETURN_IF_ERROR(make_film(lesson, answers, folder));
  }
  add_row(lesson, folder);
  return {};
}

Result<Kit::Files> Kit::write_papers(const lesson::Lesson& lesson, course::Answers& answers,
                                     const fs::path& folder) {
  const auto picture = [&](const lesson::Beat& beat, bool is_answered) {
    return fmt::format("{}/{}", kPictureFolder, picture_name(lesson, beat, is_answered));
  };
  Files files;
  for (const Paper paper : kPapers) {
    const auto text = course::handout(lesson, answers, {spoken_language(), paper, picture});
    TILESTEP_RETURN_IF_ERROR(text);
    const std::string kind(word_of(paper).file);
    const std::string title =
        fmt::format("{} · {}", lesson.title.in(spoken_language()), tr(word_of(paper).label));
    files.push_back(folder / (kind + ".html"));
    const std::string fonts = std::string("../") + kFontFolder;
    const auto written =
        problem::write_file(files.back(), course::page_of(*text, page(title, kind, fonts)));
    TILESTEP_RETURN_IF_ERROR(written);
    say(files.back());
  }
  return files;
}

// All pages of a lesson at once: each is a process of its own.
void Kit::print_pdfs(const Files& pages) {
  std::vector<std::pair<fs::path, workspace::Child>> running;
  for (const fs::path& html : pages) {
    fs::path pdf = fs::path(html).replace_extension(".pdf");
    auto child = workspace::Child::start({kTypesetter, "--quiet", html.string(), pdf.string()}, "");
    if (!child) {
      missing_.insert(
          tr("PDF files need the program {}, so only HTML was written. Install it "
             "(Debian: sudo apt install {}), then try again.",
             kTypesetter, kTypesetter));
      return;
    }
    running.emplace_back(std::move(pdf), std::move(*child));
  }
  for (auto& [pdf, child] : running) {
    if (child.wait() == 0) {
      say(pdf);
    } else {
      missing_.insert(tr("{} was not made: {} reports '{}'.", pdf.string(), kTypesetter,
                         trimmed(child.errors())));
    }
  }
}

Result<void> Kit::make_film(const lesson::Lesson& lesson, course::Answers& answers,
                            const fs::path& folder) {
  constexpr int kWidth = 1280;
  constexpr int kHeight = 720;
  platform::Window window(platform::off_screen(kWidth, kHeight, context_.paths.assets / "fonts",
                                               context_.paths.shaders));
  auto state = open_beat(workspace_, lesson.file, 1);
  TILESTEP_RETURN_IF_ERROR(state);
  state->theme = state::Theme::Light;
  state->lecture = true;
  workspace_.set_state(std::move(*state));
  workspace_.settle();
  const LessonFilmRequest request{.file = folder / "film.mp4"};
  const std::atomic<bool> never = false;
  const auto shown = make_lesson_film(workspace_, window, request, never, [](double) {});
  if (!shown) {
    missing_.insert(shown.error().message);
    return {};
  }
  say(request.file);
  return write_captions(lesson, answers, request.file, *shown);
}

void Kit::add_row(const lesson::Lesson& lesson, const fs::path& folder) {
  const std::string name = folder.filename().string();
  const auto link = [&](const std::string& file, const std::string& words) {
    return fmt::format("<a href=\"{}/{}\">{}</a>", name, file, words);
  };
  std::string files;
  for (const Paper paper : kPapers) {
    const std::string kind(word_of(paper).file);
    const bool has_pdf = fs::exists(folder / (kind + ".pdf"));
    files += (files.empty() ? "" : " · ") +
             link(kind + (has_pdf ? ".pdf" : ".html"), tr(word_of(paper).label));
  }
  if (fs::exists(folder / "film.mp4")) {
    files += " · " + link("film.mp4", tr("Film"));
  }
  const auto words = [](const lesson::Words& one) {
    return markup_escaped(one.in(spoken_language()));
  };
  rows_ += fmt::format(
      "<tr><td>{}</td><td><strong>{}</strong><br>{}<br>{}</td><td>{:g}</td><td>{}</td><td>{}</td>"
      "</tr>\n",
      markup_escaped(lesson.id), words(lesson.title), words(lesson.goal), files,
      lesson.total_minutes(), lesson.questions.size(), lesson.labs.size());
}

Result<void> Kit::begin() {
  const fs::path out = options_.out;
  TILESTEP_RETURN_IF_ERROR(make_folder(out / kFontFolder));
  for (const char* const font : course::kPageFonts) {
    const auto bytes = problem::read_file(context_.paths.assets / "fonts" / font);
    TILESTEP_RETURN_IF_ERROR(bytes);
    TILESTEP_RETURN_IF_ERROR(problem::write_file(out / kFontFolder / font, *bytes));
  }
  return {};
}

Result<void> Kit::finish() {
  const fs::path out = options_.out;
  const std::string title = tr("Tilestep: the teacher's kit");
  const std::string text = fmt::format(
      "# {}\n\n<table>\n<tr><th>{}</th><th></th><th>{}</th><th>{}</th><th>{}</th></tr>\n{}"
      "</table>\n",
      title, tr("lesson"), tr("minutes"), tr("questions"), tr("labs"), rows_);
  const fs::path index = out / "index.html";
  TILESTEP_RETURN_IF_ERROR(
      problem::write_file(index, course::page_of(text, page(title, "index", kFontFolder))));
  say(index);
  return {};
}

// The named lessons, or all shipped ones that are no film.
Result<std::vector<lesson::Lesson>> lessons_of(const KitOptions& options,
                                               const cli::Context& context) {
  std::vector<lesson::Lesson> lessons;
  for (const std::string& name : options.lessons) {
    auto lesson = workspace::find_lesson(name, context.paths);
    TILESTEP_RETURN_IF_ERROR(lesson);
    lessons.push_back(std::move(*lesson));
  }
  for (const fs::path& file :
       options.lessons.empty() ? cli::lesson_files(context) : std::vector<fs::path>()) {
    auto lesson = lesson::load_lesson(file);
    TILESTEP_RETURN_IF_ERROR(lesson);
    if (!lesson->id.empty() && !lesson->is_film()) {
      lessons.push_back(std::move(*lesson));
    }
  }
  return lessons;
}

Result<int> make_kit(const KitOptions& options, cli::Context& context) {
  const auto lessons = lessons_of(options, context);
  const auto tools = cli::course_tools(context);
  const auto workspace = open_workspace(context);
  TILESTEP_RETURN_IF_ERROR(lessons);
  TILESTEP_RETURN_IF_ERROR(tools);
  TILESTEP_RETURN_IF_ERROR(workspace);
  Kit kit(options, context, *tools, **workspace);
  TILESTEP_RETURN_IF_ERROR(kit.begin());
  for (const lesson::Lesson& lesson : *lessons) {
    TILESTEP_RETURN_IF_ERROR(kit.add(lesson));
  }
  TILESTEP_RETURN_IF_ERROR(kit.finish());
  for (const std::string& sentence : kit.missing()) {
    fmt::print(stderr, "{}\n", printable(sentence));
  }
  return kit.missing().empty() ? 0 : 1;
}

}  // namespace

Result<void> write_captions(const lesson::Lesson& lesson, course::Answers& answers,
                            const fs::path& film, std::span<const course::ShownBeat> shown) {
  for (const std::string& language : lesson.languages) {
    const auto text = course::captions_of(lesson, answers, language, shown);
    TILESTEP_RETURN_IF_ERROR(text);
    const fs::path file = fs::path(film).replace_extension("." + language + ".vtt");
    TILESTEP_RETURN_IF_ERROR(problem::write_file(file, *text));
    cli::say("{}\n", file.string());
  }
  return {};
}

void add_course_commands(CLI::App& app, cli::Context& context) {
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

  auto* of_course = app.add_subcommand("course", "Make a teacher's kit, or grade a course");
  of_course->require_subcommand(1);
  of_course->footer(
      "Examples:\n  tilestep course kit --out kit\n  tilestep course grade handed-in --csv "
      "grades.csv\n"
      "Exit status: that of the subcommand.");
  add_grade_command(*of_course, context);
  auto kit = std::make_shared<KitOptions>();
  auto* make = of_course->add_subcommand(
      "kit", "Make a teacher's kit: guide, hand-outs, answers, slides and films of the lessons");
  make->add_option("lessons", kit->lessons, "Lessons: numbers, ids or files (default: all shipped)")
      ->option_text("3|ID|FILE.md");
  make->add_option("--out", kit->out, "Output folder")->required()->option_text("DIR");
  make->add_flag("!--no-films", kit->has_films, "No films, which take most of the time");
  make->footer(
      "PDF files need the program weasyprint, films the program ffmpeg.\n"
      "Example:\n  tilestep course kit --language zh --out kit\n"
      "Exit status: 0 complete; 1 a program is missing, its files too; 2 wrong use or input.");
  make->callback([kit, &context] { context.status = cli::status_of(make_kit(*kit, context)); });
}

}  // namespace tilestep::program
