// tilestep course grade: progress files and lab submissions that students have handed in.
#include "cli/lab.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "course/gradebook.h"
#include "lesson/lesson.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "program/commands.h"
#include "workspace/lesson_evaluator.h"
#include "workspace/shown_lesson.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;
using course::GradedItem;
using workspace::HandedIn;
using workspace::LessonProgress;

struct GradeOptions {
  std::string folder;
  std::string csv;
  std::string moodle;
  std::string participants;
  cli::LabLimits limits;
  std::size_t cores = 0;
};

// The files that were handed in, with their students.
struct Collected {
  std::vector<std::pair<fs::path, HandedIn>> progress;
  struct Text {
    std::string student;
    cli::Submission submission;
  };
  std::vector<Text> texts;
};

// The file's own name and its student's, as far as names of files and folders say.
struct NamedFile {
  fs::path file;
  std::string name;
  std::string student;  // empty: unknown
};

std::vector<NamedFile> files_in(const fs::path& folder, const std::string& student) {
  std::vector<NamedFile> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto moodle = course::submitted_name(name);
    if (entry.is_directory(ignored)) {
      const auto below = files_in(entry.path(), moodle ? moodle->student : name);
      files.insert(files.end(), below.begin(), below.end());
    } else if (entry.path().extension() == ".json" || entry.path().extension() == ".cu") {
      files.push_back(
          {entry.path(), moodle ? moodle->file : name, moodle ? moodle->student : student});
    }
  }
  std::ranges::sort(files, {}, &NamedFile::file);
  return files;
}

class Grader {
 public:
  Grader(const GradeOptions& options, cli::Context& context, const cli::CourseTools& tools,
         std::vector<cli::NamedLab> labs)
      : options_(options), context_(context), tools_(tools), labs_(std::move(labs)) {}

  Result<void> collect();
  std::vector<GradedItem> grade();

 private:
  struct OpenLesson {
    std::shared_ptr<const lesson::Lesson> lesson;
    std::unique_ptr<workspace::LessonEvaluator> evaluator;
  };

  Result<void> take(const NamedFile& file);
  void take_labs_of_progress();
  void grade_labs();
  OpenLesson* open(const std::string& name);
  void grade(const HandedIn& progress, const std::string& file, const std::string& name);
  GradedItem question(const HandedIn& progress, const std::string& file, OpenLesson& open,
                      std::size_t beat, const LessonProgress& of);
  bool is_right(OpenLesson& open, std::size_t beat, const std::string& given);
  GradedItem lab(const std::string& student, const lesson::Lesson& lesson, const lesson::Lab& lab,
                 const LessonProgress& of) const;
  static void warn(const std::string& sentence) { fmt::print(stderr, "{}\n", printable(sentence)); }

  const GradeOptions& options_;
  cli::Context& context_;
  const cli::CourseTools& tools_;
  std::vector<cli::NamedLab> labs_;
  Collected handed_in_;
  std::map<std::string, OpenLesson> lessons_;
  // The share of rows that hold, by student and lab.
  std::map<std::pair<std::string, std::string>, double> graded_;
  std::vector<GradedItem> items_;
};

Result<void> Grader::collect() {
  std::error_code ignored;
  if (!fs::is_directory(options_.folder, ignored)) {
    return fail(tr("{}: there is no such folder. Name the folder with what was handed in.",
                   options_.folder));
  }
  for (const NamedFile& file : files_in(options_.folder, "")) {
    TILESTEP_RETURN_IF_ERROR(take(file));
  }
  if (handed_in_.progress.empty() && handed_in_.texts.empty()) {
    return fail(
        tr("{}: there is nothing to grade. It needs files of \"Hand in progress …\" "
           "(.json) or lab submissions (.cu).",
           options_.folder));
  }
  return {};
}

// A file that cannot be used is named, and the others are graded.
Result<void> Grader::take(const NamedFile& file) {
  const std::string name = file.file.string();
  if (file.file.extension() == ".json") {
    const auto text = problem::read_file(file.file);
    const auto progress =
        text ? workspace::read_handed_in(*text, name) : tl::unexpected(text.error());
    if (!progress) {
      warn(progress.error().message);
      return {};
    }
    handed_in_.progress.emplace_back(file.file, *progress);
    return {};
  }
  const auto lab = cli::lab_of_file(labs_, file.name);
  if (!lab) {
    warn(lab.error().message);
    return {};
  }
  const std::string stem = fs::path(file.name).stem().string();
  const std::string& of = stem.starts_with(lab->lab().name) ? lab->lab().name : lab->stem();
  const std::size_t rest = stem.find_first_not_of("_-. ", std::min(of.size(), stem.size()));
  const std::string student = !file.student.empty()       ? file.student
                              : rest == std::string::npos ? std::string()
                                                          : stem.substr(rest);
  if (student.empty()) {
    warn(
        tr("{}: the file name does not name a student. Write it as {}_NAME.cu, or put it in a "
           "folder with the student's name.",
           name, of));
    return {};
  }
  handed_in_.texts.push_back({student, {file.file, *lab}});
  return {};
}

// Texts that were kept in the progress, beside files of their own.
void Grader::take_labs_of_progress() {
  for (const auto& [file, progress] : handed_in_.progress) {
    for (const cli::NamedLab& lab : labs_) {
      const auto lesson = progress.lessons.find(lab.lesson->id);
      if (lesson == progress.lessons.end()) {
        continue;
      }
      const auto kept = lesson->second.labs.find(lab.lab().name);
      if (kept != lesson->second.labs.end() && !kept->second.text.empty()) {
        handed_in_.texts.push_back(
            {progress.student, {.file = file, .lab = lab, .text = kept->second.text}});
      }
    }
  }
}

void Grader::grade_labs() {
  take_labs_of_progress();
  std::vector<cli::Submission> all;
  for (const Collected::Text& text : handed_in_.texts) {
    all.push_back(text.submission);
  }
  cli::ProgressLine line("course", static_cast<std::uint32_t>(all.size()), tr("submissions"));
  const auto graded =
      cli::grade_submissions(all, options_.limits, options_.cores, tools_, line.done());
  for (std::size_t i = 0; i < graded.size(); ++i) {
    const auto& grade = graded[i].grade;
    const double share =
        graded[i].passed() ? 1.0 : grade["rows_passed"].get<double>() / grade["rows"].get<double>();
    double& best = graded_[{handed_in_.texts[i].student, graded[i].lab.lab().name}];
    best = std::max(best, share);
  }
}

Grader::OpenLesson* Grader::open(const std::string& name) {
  const auto known = lessons_.find(name);
  if (known != lessons_.end()) {
    return known->second.lesson == nullptr ? nullptr : &known->second;
  }
  OpenLesson& open = lessons_[name];
  auto lesson = workspace::find_lesson(name, context_.paths);
  if (!lesson || lesson->id != name) {
    warn(tr("The lesson {} is not graded: there is no such lesson here.", name));
    return nullptr;
  }
  open.lesson = std::make_shared<const lesson::Lesson>(std::move(*lesson));
  open.evaluator = std::make_unique<workspace::LessonEvaluator>(
      open.lesson, std::make_shared<const problem::Catalog>(tools_.catalog), context_.compiler,
      workspace::shipped_timings(context_.paths));
  return &open;
}

bool Grader::is_right(OpenLesson& open, std::size_t beat, const std::string& given) {
  const auto verdict = given.empty() ? Result<workspace::ShownVerdict>()
                                     : open.evaluator->verdict(beat, given, spoken_language());
  return verdict && verdict->is_right;
}

// Judged again: what the progress says about the answer counts for nothing.
GradedItem Grader::question(const HandedIn& progress, const std::string& file, OpenLesson& open,
                            std::size_t beat, const LessonProgress& of) {
  const lesson::Lesson& lesson = *open.lesson;
  const std::string& name = lesson.name_of(lesson.beats[beat]);
  GradedItem item{progress.student, lesson.id, name,
                  std::string(word_of(lesson::BeatKind::Question).file),
                  lesson.about(lesson.beats[beat]).in(spoken_language())};
  const auto answer = of.answers.find(name);
  if (answer == of.answers.end()) {
    return item;
  }
  const auto& [given, was_right, second, was_understood, is_over] = answer->second;
  const bool is_first_right = is_right(open, beat, given);
  item.is_correct = is_first_right || is_right(open, beat, second);
  item.tries = (given.empty() ? 0 : 1) + (second.empty() ? 0 : 1);
  item.points = course::points_of(is_first_right ? 1 : item.tries, item.is_correct);
  if (item.is_correct != was_understood) {
    warn(tr("{}: the answer to {} of {} was noted as {}. It was judged again: {}.", file, name,
            lesson.id, was_understood ? tr("correct") : tr("wrong"),
            item.is_correct ? tr("correct") : tr("wrong")));
  }
  return item;
}

GradedItem Grader::lab(const std::string& student, const lesson::Lesson& lesson,
                       const lesson::Lab& lab, const LessonProgress& of) const {
  GradedItem item{student, lesson.id, lab.name, std::string(word_of(lesson::BeatKind::Lab).file),
                  lab.title.in(spoken_language())};
  const auto kept = of.labs.find(lab.name);
  if (kept != of.labs.end()) {
    item.tries = kept->second.failures + (kept->second.is_passed ? 1 : 0);
  }
  const auto graded = graded_.find({student, lab.name});
  if (graded != graded_.end()) {
    item.tries = std::max(item.tries, 1);
    item.points = graded->second;
    item.is_correct = item.points == 1.0;
  }
  return item;
}

void Grader::grade(const HandedIn& progress, const std::string& file, const std::string& name) {
  OpenLesson* const open = this->open(name);
  if (open == nullptr) {
    return;
  }
  const LessonProgress none;
  const auto found = progress.lessons.find(name);
  const LessonProgress& of = found == progress.lessons.end() ? none : found->second;
  const lesson::Lesson& lesson = *open->lesson;
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    const lesson::Beat& beat = lesson.beats[i];
    if (beat.kind == lesson::BeatKind::Scene) {
      continue;
    }
    items_.push_back(beat.kind == lesson::BeatKind::Question
                         ? question(progress, file, *open, i, of)
                         : lab(progress.student, lesson, lesson.labs[beat.index], of));
    const auto seconds = of.seconds.find(lesson.name_of(beat));
    if (seconds != of.seconds.end()) {
      items_.back().seconds = seconds->second;
    }
  }
}

std::vector<GradedItem> Grader::grade() {
  grade_labs();
  // A lesson is begun by a seen beat or a submission.
  std::map<std::string, std::pair<std::string, HandedIn>> students;
  for (const auto& [file, progress] : handed_in_.progress) {
    const bool is_new = students.try_emplace(progress.student, file.string(), progress).second;
    if (!is_new) {
      warn(tr("{}: {} has handed in more than one progress. The first, {}, counts.", file.string(),
              progress.student, students.at(progress.student).first));
    }
  }
  for (const Collected::Text& text : handed_in_.texts) {
    auto& [file, progress] = students[text.student];
    progress.student = text.student;
    progress.lessons.try_emplace(text.submission.lab.lesson->id);
  }
  for (const auto& [student, of] : students) {
    for (const auto& [lesson, progress] : of.second.lessons) {
      grade(of.second, of.first, lesson);
    }
  }
  return std::move(items_);
}

// Percent by student and lesson.
std::string table_of(const std::vector<GradedItem>& items) {
  std::set<std::string> lessons;
  for (const GradedItem& item : items) {
    lessons.insert(item.lesson);
  }
  std::vector<std::string> head{tr("student")};
  head.insert(head.end(), lessons.begin(), lessons.end());
  cli::Table table(head);
  for (const auto& [student, percent] : course::percent_of(items)) {
    std::vector<std::string> row{student};
    for (const std::string& lesson : lessons) {
      const auto grade = percent.find(lesson);
      row.push_back(grade == percent.end() ? "-" : fmt::format("{:.0f}%", grade->second));
    }
    table.add(std::move(row));
  }
  return table.text();
}

Result<int> grade(const GradeOptions& options, cli::Context& context) {
  auto labs = cli::find_labs(context, "");
  const auto tools = cli::course_tools(context);
  TILESTEP_RETURN_IF_ERROR(labs);
  TILESTEP_RETURN_IF_ERROR(tools);
  std::vector<course::Participant> participants;
  if (!options.participants.empty()) {
    const auto text = problem::read_file(options.participants);
    TILESTEP_RETURN_IF_ERROR(text);
    auto read = course::read_participants(*text, options.participants);
    TILESTEP_RETURN_IF_ERROR(read);
    participants = std::move(*read);
  }
  Grader grader(options, context, *tools, std::move(*labs));
  TILESTEP_RETURN_IF_ERROR(grader.collect());
  const std::vector<GradedItem> items = grader.grade();
  cli::say("{}", table_of(items));
  if (!options.csv.empty()) {
    TILESTEP_RETURN_IF_ERROR(problem::write_file(options.csv, course::gradebook_csv(items)));
    cli::say("{}\n", options.csv);
  }
  if (!options.moodle.empty()) {
    const course::MoodleGrades grades = course::moodle_grades(items, participants);
    TILESTEP_RETURN_IF_ERROR(problem::write_file(options.moodle, grades.csv));
    cli::say("{}\n", options.moodle);
    for (const std::string& student : grades.unknown) {
      fmt::print(stderr, "{}\n",
                 printable(tr("{} has no ID number and no e-mail address, so Moodle cannot import "
                              "the row. Name a list that has one: --participants FILE.csv.",
                              student)));
    }
  }
  return 0;
}

}  // namespace

void add_grade_command(CLI::App& app, cli::Context& context) {
  auto options = std::make_shared<GradeOptions>();
  auto* command = app.add_subcommand(
      "grade",
      "Grade a folder of progress files and lab submissions: every answer is judged again");
  command
      ->add_option("folder", options->folder,
                   "Folder of what was handed in: files of \"Hand in progress …\", and submissions "
                   "such as lab5_samples_alice.cu or alice/lab5_samples.cu")
      ->required()
      ->option_text("DIR");
  command
      ->add_option("--csv", options->csv,
                   "Gradebook: a row for each question and lab, with tries, points and time")
      ->option_text("FILE.csv");
  command
      ->add_option("--moodle", options->moodle,
                   "Grades in percent for Moodle's grade import: a column for each lesson")
      ->option_text("FILE.csv");
  command
      ->add_option("--participants", options->participants,
                   "Names, ID numbers and e-mail addresses, as Moodle exports them")
      ->option_text("FILE.csv");
  command
      ->add_option("--time-limit", options->limits.seconds,
                   "Limit of CPU time for one submission, in seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--cores", options->cores, "Submissions to grade at once; 0: one per CPU core")
      ->capture_default_str();
  command->footer(
      "Example:\n  tilestep course grade handed-in --csv grades.csv --moodle moodle.csv\n"
      "Exit status: 0 graded; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = cli::status_of(grade(*options, context)); });
}

}  // namespace tilestep::program
