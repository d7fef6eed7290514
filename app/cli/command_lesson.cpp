// tilestep lesson: checks lesson files, lists the lessons; the window opens them (cli.cpp).
// tilestep practice: questions about a kernel.
#include "cli/command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "course/lesson_report.h"
#include "course/practice.h"
#include "lesson/lesson.h"
#include "problem/describe/catalog.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "workspace/shown_lesson.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct LessonOptions {
  std::vector<std::string> files;
  bool as_json = false;
};

json said_json(const course::Said& said) {
  return {{"what", said.what},
          {"language", said.language},
          {"expression", said.expression},
          {"value", course::shown_text(said.value)},
          {"line", said.line}};
}

json lesson_report_json(const lesson::Lesson& lesson, const course::LessonReport& report) {
  json beats = json::array();
  for (const course::BeatReport& beat : report.beats) {
    json said = json::array();
    for (const course::Said& one : beat.said) {
      said.push_back(said_json(one));
    }
    beats.push_back(
        {{"name", beat.name}, {"kind", beat.kind}, {"line", beat.line}, {"said", std::move(said)}});
  }
  json mistakes = json::array();
  for (const course::LessonMistake& mistake : report.mistakes) {
    mistakes.push_back({{"line", mistake.line}, {"sentence", mistake.sentence}});
  }
  return {{"file", lesson.file},
          {"id", lesson.id},
          {"minutes", lesson.total_minutes()},
          {"beats", std::move(beats)},
          {"mistakes", std::move(mistakes)}};
}

std::string counts_of(const lesson::Lesson& lesson) {
  return fmt::format("{}, {}, {}", plural(lesson.scenes.size(), "scene"),
                     plural(lesson.questions.size(), "question"),
                     plural(lesson.labs.size(), "lab"));
}

void print_report(const lesson::Lesson& lesson, const course::LessonReport& report) {
  say("{}: {}\n", lesson.file, counts_of(lesson));
  for (const course::BeatReport& beat : report.beats) {
    if (beat.said.empty()) {
      continue;
    }
    say("  {}\n",
        beat.name.empty() ? tr("the lesson") : fmt::format("{} {}", beat.kind, beat.name));
    for (const course::Said& said : beat.said) {
      say("    {:>4}  {:<8} {:<2}  {} = {}\n", said.line, said.what, said.language, said.expression,
          course::shown_text(said.value));
    }
  }
}

struct CheckedLesson {
  lesson::Lesson lesson;
  course::LessonReport report;
};

CheckedLesson check_lesson(lesson::Lesson lesson, const CourseTools& tools, Context& context) {
  course::Answers answers({context.compiler, tools.catalog, &tools.dataset, nullptr},
                          lesson.follow());
  course::LessonReport report = course::report_on(lesson, answers);
  return {std::move(lesson), std::move(report)};
}

Result<int> check_lessons(const LessonOptions& options, Context& context) {
  const auto tools = course_tools(context);
  TILESTEP_RETURN_IF_ERROR(tools);
  json all = json::array();
  bool is_clean = true;
  for (const std::string& file : options.files) {
    TILESTEP_RETURN_IF_ERROR(problem::read_file(file));
    auto lesson = lesson::load_lesson(file);
    if (!lesson) {
      is_clean = false;
      fmt::print(stderr, "{}\n", printable(lesson.error().message));
      continue;
    }
    const CheckedLesson checked = check_lesson(std::move(*lesson), *tools, context);
    if (options.as_json) {
      all.push_back(lesson_report_json(checked.lesson, checked.report));
    } else {
      print_report(checked.lesson, checked.report);
    }
    for (const course::LessonMistake& mistake : checked.report.mistakes) {
      is_clean = false;
      fmt::print(
          stderr, "{}\n",
          printable(fmt::format("{}:{}: {}", checked.lesson.file, mistake.line, mistake.sentence)));
    }
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  }
  return is_clean ? 0 : 1;
}

Result<int> list_lessons(const LessonOptions& options, const Context& context) {
  json all = json::array();
  Table table({tr("lesson"), tr("title"), tr("beats"), tr("minutes")});
  for (const fs::path& file : lesson_files(context)) {
    const auto lesson = lesson::load_lesson(file);
    TILESTEP_RETURN_IF_ERROR(lesson);
    if (lesson->id.empty()) {
      continue;  // only scenes for pictures
    }
    table.add({lesson->id, lesson->title.in(spoken_language()), counts_of(*lesson),
               fmt::format("{:g}", lesson->total_minutes())});
    all.push_back({{"id", lesson->id},
                   {"file", file.string()},
                   {"title", lesson->title.in()},
                   {"goal", lesson->goal.in()},
                   {"scenes", lesson->scenes.size()},
                   {"questions", lesson->questions.size()},
                   {"labs", lesson->labs.size()},
                   {"minutes", lesson->total_minutes()}});
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  } else {
    say("{}", table.text());
  }
  return 0;
}

// The words of lessons for their questions, by id; empty if a lesson cannot be read.
using Abouts = std::map<std::string, std::map<std::string, std::string>>;
Abouts abouts_of_lessons(const Context& context) {
  Abouts abouts;
  for (const fs::path& file : lesson_files(context)) {
    const auto lesson = lesson::load_lesson(file);
    for (const lesson::Beat& beat : lesson ? lesson->beats : std::vector<lesson::Beat>()) {
      if (beat.kind == lesson::BeatKind::Question) {
        abouts[lesson->id][lesson->name_of(beat)] = lesson->about(beat).in(spoken_language());
      }
    }
  }
  return abouts;
}

// What a question is about; its name if no lesson has it.
const std::string& about(const std::map<std::string, std::string>& abouts,
                         const std::string& question) {
  const auto found = abouts.find(question);
  return found == abouts.end() ? question : found->second;
}

// Results for a course: which questions were understood, at which try, and which labs passed.
json progress_json(const std::string& lesson, const workspace::LessonProgress& progress,
                   const std::map<std::string, std::string>& abouts) {
  json answers = json::object();
  for (const auto& [name, answer] : progress.answers) {
    answers[name] = {{"about", about(abouts, name)},
                     {"given", answer.given},
                     {"right", answer.is_right},
                     {"second", answer.second},
                     {"understood", answer.is_understood}};
  }
  json labs = json::object();
  for (const auto& [name, lab] : progress.labs) {
    labs[name] = {{"passed", lab.is_passed}, {"failures", lab.failures}};
  }
  return {{"lesson", lesson},
          {"version", progress.version},
          {"beats", progress.beats},
          {"answers", std::move(answers)},
          {"labs", std::move(labs)}};
}

// "03-two-barriers: 7 beats seen, 1 lab passed", and what was understood.
void print_progress(const std::string& lesson, const workspace::LessonProgress& progress,
                    const std::map<std::string, std::string>& abouts) {
  const auto passed =
      std::ranges::count_if(progress.labs, [](const auto& lab) { return lab.second.is_passed; });
  say("{}: {}\n", lesson,
      tr("{} seen, {} passed", plural(progress.beats.size(), "beat"),
         plural(static_cast<std::size_t>(passed), "lab")));
  for (const bool is_understood : {true, false}) {
    for (const auto& [name, answer] : progress.answers) {
      if (answer.is_understood == is_understood) {
        say("  {}: {}\n",
            !is_understood    ? tr("to review")
            : answer.is_right ? tr("understood")
                              : tr("understood on the second try"),
            about(abouts, name));
      }
    }
  }
}

Result<int> show_progress(const LessonOptions& options, const Context& context) {
  const workspace::Progress progress(context.paths.user_state);
  if (!progress.mistake().empty()) {
    return fail(progress.mistake());
  }
  json all = json::array();
  Abouts abouts = abouts_of_lessons(context);
  for (const auto& [lesson, of] : progress.all()) {
    all.push_back(progress_json(lesson, of, abouts[lesson]));
    if (!options.as_json) {
      print_progress(lesson, of, abouts[lesson]);
    }
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  } else if (progress.all().empty()) {
    say("{}\n", tr("No lesson has been started."));
  }
  return 0;
}

struct PracticeCommand {
  LaunchOptions launch;
  std::string place;
  course::PracticeOptions practice;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool as_json = false;
};

json practice_json(const course::PracticeQuestion& made) {
  const lesson::Question& question = made.question;
  json wrong = json::array();
  for (std::size_t i = 0; i < made.wrong.size(); ++i) {
    wrong.push_back({{"expression", question.wrong[i].is.text()},
                     {"value", course::shown_text(made.wrong[i])},
                     {"says", question.wrong[i].says.in(spoken_language())}});
  }
  return {{"name", question.name},
          {"kind", word_of(question.kind).file},
          {"question", question.ask.in(spoken_language())},
          {"expression", question.answer.text()},
          {"answer", course::shown_text(made.answer)},
          {"wrong", std::move(wrong)}};
}

void print_practice(std::size_t number, const course::PracticeQuestion& made) {
  const lesson::Question& question = made.question;
  say("{}. {}\n", number, question.ask.in(spoken_language()));
  say("   {}   ({} = {})\n", course::shown_text(made.answer), word_of(question.kind).file,
      question.answer.text());
  for (std::size_t i = 0; i < made.wrong.size(); ++i) {
    say("   not {}: {}\n", course::shown_text(made.wrong[i]),
        question.wrong[i].says.in(spoken_language()));
  }
}

Result<lesson::Position> position_of(PracticeCommand& options, Context& context,
                                     problem::Catalog& catalog) {
  auto own = own_kernel(context, catalog, options.launch);
  TILESTEP_RETURN_IF_ERROR(own);
  if (*own) {
    tell_guess((*own)->guessed);
    catalog.kernels.push_back(std::move((*own)->spec));
  }
  auto state = make_state(catalog, options.launch);
  TILESTEP_RETURN_IF_ERROR(state);
  lesson::Position from{std::move(*state), {}};
  from.state.focus.block = options.block;
  from.state.focus.thread = options.thread;
  if (!options.place.empty()) {
    const auto place = lesson::parse_place(options.place);
    TILESTEP_RETURN_IF_ERROR(place);
    from.place = *place;
    options.practice.is_here = true;
  }
  return from;
}

Result<int> practice(PracticeCommand& options, Context& context) {
  auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  const auto from = position_of(options, context, *catalog);
  TILESTEP_RETURN_IF_ERROR(from);
  course::Answers answers({context.compiler, *catalog, nullptr, nullptr});
  const auto made = course::practise(*from, options.practice, answers);
  TILESTEP_RETURN_IF_ERROR(made);
  json all = json::array();
  for (std::size_t i = 0; i < made->size(); ++i) {
    if (options.as_json) {
      all.push_back(practice_json((*made)[i]));
    } else {
      print_practice(i + 1, (*made)[i]);
    }
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  }
  return 0;
}

}  // namespace

void add_lesson(CLI::App& app, Context& context) {
  auto options = std::make_shared<LessonOptions>();
  auto* command =
      app.add_subcommand("lesson", "Open a lesson, check lesson files, or list the lessons");
  command->require_subcommand(0, 1);
  auto* check = command->add_subcommand("check",
                                        "Compute the answer to every question of a lesson, and "
                                        "fail if the text contradicts the runs");
  check->add_option("files", options->files, "Lesson files (.md)")->required();
  check->add_flag("--json", options->as_json, "Print JSON");
  check->footer(
      "Example:\n  tilestep lesson check assets/lessons/03-two-barriers.md\nExit status: 0 all "
      "correct; 1 something is wrong; 2 wrong use or input.");
  check->callback(
      [options, &context] { context.status = status_of(check_lessons(*options, context)); });
  auto* list = command->add_subcommand("list", "List the shipped lessons");
  list->add_flag("--json", options->as_json, "Print JSON");
  list->footer("Example:\n  tilestep lesson list\nExit status: 0 success; 2 wrong use or input.");
  list->callback(
      [options, &context] { context.status = status_of(list_lessons(*options, context)); });
  auto* progress =
      command->add_subcommand("progress", "Show what you have understood in each lesson");
  progress->add_flag("--json", options->as_json, "Print JSON");
  progress->footer(
      "Example:\n  tilestep lesson progress --json > mine.json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  progress->callback(
      [options, &context] { context.status = status_of(show_progress(*options, context)); });
  command->footer(
      "Examples:\n  tilestep lesson 3                 opens lesson 3 in the window\n  tilestep "
      "lesson my_lesson.md      opens one of your own\n  tilestep lesson check "
      "assets/lessons/03-two-barriers.md\nExit status: 0 success; 1 a lesson is wrong; 2 wrong use "
      "or input.");
  command->callback([command, &context] {
    const bool names_one = command->get_option("lesson")->count() > 0;
    if (names_one && !command->get_subcommands().empty()) {
      context.status = wrong_use(
          {tr("lesson: give a lesson to open, 'check' or 'list', but only one of the three.")});
    } else if (!names_one && command->get_subcommands().empty()) {
      context.status =
          wrong_use({tr("lesson: no lesson was given. tilestep lesson 3 opens lesson 3; tilestep "
                        "lesson list shows all.")});
    }
  });
}

void add_practice(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("practice", "Generate questions about a kernel, with their answers");
  auto options = std::make_shared<PracticeCommand>();
  add_launch_options(*command, options->launch);
  command
      ->add_option("--seed", options->practice.seed,
                   "Random seed; the same seed gives the same questions")
      ->capture_default_str();
  command->add_option("--count", options->practice.count, "Number of questions")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--at", options->place,
                      "Ask about one place only: start, statement:N, phase:N, step:N");
  command->add_option("--of-block", options->block, "With --at: the block to ask about")
      ->capture_default_str();
  command->add_option("--of-thread", options->thread, "With --at: the thread to ask about")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep practice tiled --size 8,8,8 --block 4 --count 5 --seed 7\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = status_of(practice(*options, context)); });
}

}  // namespace tilestep::cli
