// tilestep lesson: check lesson files, list the lessons. The window opens them (cli.cpp).
#include "cli/command.h"
#include "cli/course_tools.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "cli/table.h"
#include "course/lesson_report.h"
#include "lesson/lesson.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/printable.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "workspace/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
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
          {"value", course::told_of(said.value)},
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
          course::told_of(said.value));
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

int check_lessons(const LessonOptions& options, Context& context) {
  const auto tools = course_tools(context);
  if (!tools) {
    return wrong_use(tools.error());
  }
  json all = json::array();
  bool is_clean = true;
  for (const std::string& file : options.files) {
    if (const auto text = problem::read_file(file); !text) {
      return wrong_use(text.error());
    }
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

int list_lessons(const LessonOptions& options, const Context& context) {
  json all = json::array();
  Table table({tr("lesson"), tr("title"), tr("beats"), tr("minutes")});
  for (const fs::path& file : lesson_files(context)) {
    const auto lesson = lesson::load_lesson(file);
    if (!lesson) {
      return wrong_use(lesson.error());
    }
    if (lesson->id.empty()) {
      continue;  // scenes for pictures
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

// What a course collects: how many questions were right at the first answer, which labs passed.
json progress_json(const std::string& lesson, const workspace::LessonProgress& progress) {
  json answers = json::object();
  for (const auto& [name, answer] : progress.answers) {
    answers[name] = {{"given", answer.given}, {"right", answer.is_right}};
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

int show_progress(const LessonOptions& options, const Context& context) {
  const workspace::Progress progress(context.paths.user_state);
  if (!progress.mistake().empty()) {
    return wrong_use({progress.mistake()});
  }
  json all = json::array();
  Table table({"lesson", "beats seen", "answered", "right at once", "labs passed"});
  for (const auto& [lesson, of] : progress.all()) {
    const auto right = std::ranges::count_if(
        of.answers, [](const auto& answer) { return answer.second.is_right; });
    const auto passed =
        std::ranges::count_if(of.labs, [](const auto& lab) { return lab.second.is_passed; });
    table.add({lesson, fmt::format("{}", of.beats.size()), fmt::format("{}", of.answers.size()),
               fmt::format("{}", right), fmt::format("{}", passed)});
    all.push_back(progress_json(lesson, of));
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  } else {
    say("{}", table.text());
  }
  return 0;
}

}  // namespace

void add_lesson(CLI::App& app, Context& context) {
  auto options = std::make_shared<LessonOptions>();
  auto* command =
      app.add_subcommand("lesson", "Open a lesson, check lesson files, or list the lessons");
  command->require_subcommand(0, 1);
  auto* check = command->add_subcommand(
      "check", "Answer every question of a lesson, and fail where its words do not hold");
  check->add_option("files", options->files, "Lesson files (.md)")->required();
  check->add_flag("--json", options->as_json, "Print JSON");
  check->footer(
      "Example:\n  tilestep lesson check assets/lessons/03-two-barriers.md\n"
      "Exit status: 0 all holds; 1 something does not; 2 wrong use or input.");
  check->callback([options, &context] { context.status = check_lessons(*options, context); });
  auto* list = command->add_subcommand("list", "List the lessons that ship");
  list->add_flag("--json", options->as_json, "Print JSON");
  list->footer("Example:\n  tilestep lesson list\nExit status: 0 success; 2 wrong use or input.");
  list->callback([options, &context] { context.status = list_lessons(*options, context); });
  auto* progress = command->add_subcommand("progress", "Tell how far you are with each lesson");
  progress->add_flag("--json", options->as_json, "Print JSON");
  progress->footer(
      "Example:\n  tilestep lesson progress --json > mine.json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  progress->callback([options, &context] { context.status = show_progress(*options, context); });
  command->footer(
      "Examples:\n  tilestep lesson 3                 opens the window on lesson 3\n"
      "  tilestep lesson my_lesson.md      opens one of your own\n"
      "  tilestep lesson check assets/lessons/03-two-barriers.md\n"
      "Exit status: 0 success; 1 a lesson's words do not hold; 2 wrong use or input.");
  command->callback([command, &context] {
    const bool names_one = command->get_option("lesson")->count() > 0;
    if (names_one && !command->get_subcommands().empty()) {
      context.status =
          wrong_use({tr("lesson: name a lesson to open, or check or list, not both.")});
    } else if (!names_one && command->get_subcommands().empty()) {
      context.status = wrong_use({tr(
          "lesson: which one? tilestep lesson 3 opens lesson 3, tilestep lesson list shows all.")});
    }
  });
}

}  // namespace tilestep::cli
