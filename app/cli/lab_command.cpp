#include "cli/lab.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "course/lab.h"
#include "lesson/variant.h"
#include "problem/file.h"
#include "problem/language.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace tilestep::cli {
namespace {

namespace fs = std::filesystem;

bool has_name(const NamedLab& lab, std::string_view name) {
  return lab.lab().name == name || lab.stem() == name;
}

// The number of characters of a file's stem that are the lab's name; 0: another lab.
constexpr std::string_view kGoesOn = "_-. ";
std::size_t common_beginning(const std::string& stem, const std::string& name) {
  const bool is_it = stem.starts_with(name) && (stem.size() == name.size() ||
                                                kGoesOn.find(stem[name.size()]) != kGoesOn.npos);
  return is_it ? name.size() : 0;
}

std::string names_of(std::span<const NamedLab> labs) {
  std::vector<std::string> names;
  for (const NamedLab& lab : labs) {
    names.push_back(lab.lab().name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

using nlohmann::json;

// The schedule in the syntax of --schedule.
std::string schedule_option(const simt::Schedule& schedule) {
  const std::string_view word = word_of(schedule.kind).file;
  return schedule.kind == simt::ScheduleKind::RunAhead
             ? fmt::format("{}:{}", word, schedule.run_ahead_warp)
         : schedule.kind == simt::ScheduleKind::Random ? fmt::format("{}:{}", word, schedule.seed)
                                                       : std::string(word);
}

struct LabOptions {
  std::vector<std::string> what;  // files; with --copy the lab's name
  std::string lab;
  std::string lesson;
  std::string copy_to;
  std::optional<std::string> seed;
  std::string roster;
  LabLimits limits;
  std::size_t cores = 0;
  bool list = false;
  bool as_json = false;
  bool work = false;
};

// Finds a lab by its own name or its kernel's: "samples-exercise", "lab5_samples". The error lists
// the labs.
Result<NamedLab> lab_named(std::span<const NamedLab> labs, const std::string& name) {
  const auto found =
      std::ranges::find_if(labs, [&name](const NamedLab& lab) { return has_name(lab, name); });
  if (found == labs.end()) {
    return fail(tr("There is no lab '{}'. The labs are {}.", name, names_of(labs)));
  }
  return *found;
}

// The names of a roster: one per line.
Result<std::vector<std::string>> names_in(const std::string& roster) {
  const auto text = problem::read_file(roster);
  TILESTEP_RETURN_IF_ERROR(text);
  std::vector<std::string> names;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const std::string name(trimmed(line));
    if (name.find_first_of("/\\") != std::string::npos) {
      return fail(tr("{}: '{}' cannot be part of a file name. Write names without / and \\.",
                     roster, name));
    }
    if (!name.empty()) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    return fail(tr("{} has no names. Write one name per line.", roster));
  }
  return names;
}

// The longest name of a roster with which the file's stem ends, as lab5_samples_alice.cu does.
Result<std::string> name_of_file(const std::vector<std::string>& names, const fs::path& file,
                                 const std::string& roster) {
  const std::string stem = file.stem().string();
  std::string found;
  for (const std::string& name : names) {
    const std::size_t begin = stem.size() - std::min(stem.size(), name.size());
    const bool ends =
        stem.ends_with(name) && (begin == 0 || kGoesOn.find(stem[begin - 1]) != kGoesOn.npos);
    found = ends && name.size() > found.size() ? name : found;
  }
  if (found.empty()) {
    return fail(tr("{}: the file name does not end with a name of {}.", file.string(), roster));
  }
  return found;
}

// Reports mistakes of the call before anything is graded.
Result<std::vector<Submission>> submissions_of(const LabOptions& options,
                                               const std::vector<NamedLab>& labs) {
  std::vector<Submission> all;
  std::vector<std::string> names;
  if (!options.roster.empty()) {
    auto read = names_in(options.roster);
    TILESTEP_RETURN_IF_ERROR(read);
    names = std::move(*read);
  }
  for (const std::string& file : options.what) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      return fail(tr("{}: there is no such file. Name the .cu files to grade.", file));
    }
    const auto lab = options.lab.empty() ? lab_of_file(labs, file) : lab_named(labs, options.lab);
    TILESTEP_RETURN_IF_ERROR(lab);
    std::optional<std::string> seed = options.seed;
    if (!names.empty()) {
      auto name = name_of_file(names, file, options.roster);
      TILESTEP_RETURN_IF_ERROR(name);
      seed = std::move(*name);
    }
    all.push_back({file, *lab, std::move(seed)});
  }
  if (all.empty()) {
    return fail(tr("Nothing to grade. Name the .cu files: tilestep lab FILE.cu --lab NAME."));
  }
  return all;
}

json submissions_json(const std::vector<GradedSubmission>& all) {
  json submissions = json::array();
  for (const GradedSubmission& one : all) {
    json submission = {{"file", one.file.string()},
                       {"lab", one.lab.lab().name},
                       {"lesson", one.lab.lesson->id},
                       {"variant", one.seed}};
    submission.update(one.grade);
    submissions.push_back(std::move(submission));
  }
  const auto passed = std::ranges::count_if(all, &GradedSubmission::passed);
  return {{"schema", "tilestep-lab"},
          {"version", 1},
          {"passed", passed},
          {"failed", all.size() - static_cast<std::size_t>(passed)},
          {"submissions", std::move(submissions)}};
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string rows_text(const json& grade) {
  return tr("{} of {}", grade["rows_passed"].get<std::size_t>(), grade["rows"].get<std::size_t>());
}

std::vector<std::string> row_of(const GradedSubmission& one, bool has_variants) {
  const json& failed = one.grade["failed_row"];
  std::vector<std::string> row{one.file.string(), rows_text(one.grade),
                               failed.is_null()
                                   ? ""
                                   : fmt::format("{}: {}", failed["row"].get<std::size_t>(),
                                                 failed["launch"].get<std::string>()),
                               one_line(one.grade["sentence"].get<std::string>())};
  if (has_variants) {
    row.insert(row.begin() + 1, one.seed);
  }
  return row;
}

// The further causes of a single submission.
std::string further_causes(const json& grade) {
  std::string text;
  const json& causes = grade["causes"];
  for (std::size_t i = 1; i < causes.size(); ++i) {
    text += fmt::format("  {}\n", one_line(causes[i]["sentence"].get<std::string>()));
  }
  return text.empty() ? text : tr("\nAlso:\n{}", text);
}

// A table, and the number that pass; for a single submission all causes.
std::string submissions_text(const std::vector<GradedSubmission>& all) {
  const bool has_variants =
      std::ranges::any_of(all, [](const GradedSubmission& one) { return !one.seed.empty(); });
  std::vector<std::string> head{tr("submission"), tr("rows"), tr("first failure"), tr("why")};
  if (has_variants) {
    head.insert(head.begin() + 1, tr("variant"));
  }
  Table table(head, Table::Last::Sentence);
  for (const GradedSubmission& one : all) {
    table.add(row_of(one, has_variants));
  }
  const auto passed = std::ranges::count_if(all, &GradedSubmission::passed);
  return table.text() + (all.size() == 1 ? further_causes(all.front().grade) : "") +
         tr("\n{} of {} pass.\n", passed, all.size());
}

Result<int> grade(const LabOptions& options, const std::vector<NamedLab>& labs,
                  const Context& context) {
  const auto submissions = submissions_of(options, labs);
  const auto tools = course_tools(context);
  TILESTEP_RETURN_IF_ERROR(submissions);
  TILESTEP_RETURN_IF_ERROR(tools);
  ProgressLine line("lab", static_cast<std::uint32_t>(submissions->size()), tr("submissions"));
  const std::vector<GradedSubmission> graded =
      grade_submissions(*submissions, options.limits, options.cores, *tools, line.done());
  if (options.as_json) {
    fmt::print("{}\n", json_text(submissions_json(graded)));
  } else {
    say("{}", submissions_text(graded));
  }
  return std::ranges::all_of(graded, &GradedSubmission::passed) ? 0 : 1;
}

// The launch of the failed row, and what to look at.
json failed_row_json(const lesson::Lab& lab, const course::LabGrade& grade,
                     const problem::Catalog& catalog) {
  const lesson::LabRow& row = lab.rows[grade.rows_passed];
  const state::AppState& state = grade.counterexample.state;
  const auto& [problem, block_size] = state.parameters;
  const lesson::Place& place = grade.counterexample.place;
  const bool is_step = place.kind == lesson::Place::Kind::Step;
  return {{"row", grade.rows_passed + 1},
          {"launch", course::launch_text(state, catalog)},
          {"M", problem.M},
          {"N", problem.N},
          {"K", problem.K},
          {"block_size", block_size},
          {"schedule", schedule_option(state.schedule)},
          {"warp_size", state.warp_size},
          {"block", state.focus.block},
          {"thread", state.focus.thread},
          {"cell", state.focus.cell_name},
          {"step", is_step ? json(place.number) : json(nullptr)},
          {"hint", row.hint.in(spoken_language())}};
}

json labs_json(const std::vector<NamedLab>& labs) {
  json all = json::array();
  for (const NamedLab& lab : labs) {
    all.push_back({{"name", lab.lab().name},
                   {"kernel", lab.stem()},
                   {"file", lab.lab().kernel},
                   {"lesson", lab.lesson->id},
                   {"title", lab.lab().title.in(spoken_language())},
                   {"rows", lab.lab().rows.size()},
                   {"variants", lesson::variants_of(lab.lab())}});
  }
  return all;
}

std::string labs_text(const std::vector<NamedLab>& labs) {
  Table table({tr("lab"), tr("kernel"), tr("lesson"), tr("rows"), tr("variants"), tr("title")},
              Table::Last::Sentence);
  for (const NamedLab& lab : labs) {
    table.add({lab.lab().name, lab.stem(), lab.lesson->id, fmt::format("{}", lab.lab().rows.size()),
               grouped(lesson::variants_of(lab.lab())), lab.lab().title.in(spoken_language())});
  }
  return table.text();
}

int print_list(const std::vector<NamedLab>& labs, bool as_json) {
  if (as_json) {
    fmt::print("{}\n", json_text(labs_json(labs)));
  } else {
    say("{}", labs_text(labs));
  }
  return 0;
}

// Writes the starter code of a variant to a new file.
Result<void> write_starter(const lesson::Lab& lab, const std::string& seed,
                           const std::string& file) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) {
    return fail(tr("{} exists, and --copy does not overwrite files. Choose another name.", file));
  }
  const auto text = problem::read_file(lab.kernel);
  TILESTEP_RETURN_IF_ERROR(text);
  return problem::write_file(file, lesson::starter_code(lab, *text, seed));
}

// A file for each name of the roster, in the folder of --copy.
Result<int> copy_for_all(const LabOptions& options, const NamedLab& lab) {
  const auto names = names_in(options.roster);
  TILESTEP_RETURN_IF_ERROR(names);
  std::error_code failed;
  fs::create_directories(options.copy_to, failed);
  for (const std::string& name : *names) {
    const fs::path file = fs::path(options.copy_to) / fmt::format("{}_{}.cu", lab.stem(), name);
    TILESTEP_RETURN_IF_ERROR(write_starter(lab.lab(), name, file.string()));
  }
  say("{0} has {1} files, a variant of {2} for each name of {3}. Grade them: tilestep lab "
      "{0}/*.cu --roster {3}\n",
      options.copy_to, names->size(), lab.lab().name, options.roster);
  return 0;
}

// Writes the starter code to a new file, or one for each name of a roster.
Result<int> copy_text(const LabOptions& options, const std::vector<NamedLab>& labs) {
  if (options.what.size() != 1 || !options.lab.empty()) {
    return fail(tr("--copy writes the starter code of one lab: tilestep lab NAME --copy FILE.cu."));
  }
  const auto lab = lab_named(labs, options.what.front());
  TILESTEP_RETURN_IF_ERROR(lab);
  if (!options.roster.empty()) {
    return copy_for_all(options, *lab);
  }
  TILESTEP_RETURN_IF_ERROR(write_starter(lab->lab(), options.seed.value_or(""), options.copy_to));
  say("{} is the starter code of {}. Grade it: tilestep lab {} --lab {}\n", options.copy_to,
      lab->lab().name, options.copy_to, lab->lab().name);
  return 0;
}

Result<int> run_lab(const LabOptions& options, Context& context) {
  const auto labs = find_labs(context, options.lesson);
  TILESTEP_RETURN_IF_ERROR(labs);
  if (options.work) {
    const auto lab = lab_named(*labs, options.lab);
    TILESTEP_RETURN_IF_ERROR(lab);
    return work_on_lab(*lab, options.seed.value_or(""), options.limits, context);
  }
  return options.list               ? print_list(*labs, options.as_json)
         : !options.copy_to.empty() ? copy_text(options, *labs)
                                    : grade(options, *labs, context);
}

}  // namespace

Result<std::vector<NamedLab>> find_labs(const Context& context, const std::string& lesson_file) {
  std::vector<NamedLab> labs;
  const std::vector<fs::path> files =
      lesson_file.empty() ? lesson_files(context) : std::vector<fs::path>{lesson_file};
  for (const fs::path& file : files) {
    auto read = lesson::load_lesson(file);
    TILESTEP_RETURN_IF_ERROR(read);
    const auto lesson = std::make_shared<const lesson::Lesson>(std::move(*read));
    for (std::size_t i = 0; i < lesson->labs.size(); ++i) {
      labs.push_back({file, lesson, i});
    }
  }
  if (labs.empty()) {
    return fail(lesson_file.empty()
                    ? tr("No shipped lesson has a lab. Name a lesson that has one: --lesson FILE.")
                    : tr("{} has no lab. Choose a lesson with one.", lesson_file));
  }
  return labs;
}

Result<NamedLab> lab_of_file(std::span<const NamedLab> labs, const fs::path& file) {
  const std::string stem = file.stem().string();
  const NamedLab* found = labs.size() == 1 ? labs.data() : nullptr;
  std::size_t longest = 0;
  for (const NamedLab& lab : labs) {
    const std::size_t common =
        std::max(common_beginning(stem, lab.lab().name), common_beginning(stem, lab.stem()));
    if (common > longest) {
      longest = common;
      found = &lab;
    }
  }
  if (found == nullptr) {
    return fail(
        tr("{}: the file name does not name a lab. Say which lab it is for: --lab NAME, one of {}.",
           file.string(), names_of(labs)));
  }
  return *found;
}

json lab_grade_json(const lesson::Lab& lab, const course::LabGrade& grade,
                    const problem::Catalog& catalog) {
  json causes = json::array();
  for (const course::LabCause& cause : grade.causes) {
    causes.push_back({{"outcome", word_of(cause.outcome).file},
                      {"sentence", cause.sentence},
                      {"line", cause.line}});
  }
  return {{"passed", grade.passed()},
          {"outcome", word_of(grade.outcome()).file},
          {"sentence", grade.passed() ? "" : grade.causes.front().sentence},
          {"rows", grade.rows},
          {"rows_passed", grade.rows_passed},
          {"failed_row", grade.passed() ? json(nullptr) : failed_row_json(lab, grade, catalog)},
          {"causes", std::move(causes)}};
}

bool GradedSubmission::passed() const {
  return grade["passed"].get<bool>();
}

void add_lab(CLI::App& app, Context& context) {
  auto options = std::make_shared<LabOptions>();
  auto* command = app.add_subcommand("lab", "Grade submissions of a lesson's lab by running them");
  command->add_option("files", options->what, "Submissions (.cu); with --copy, a lab's name");
  command
      ->add_option(
          "--lab", options->lab,
          "Lab of the submissions (default: from the file names, as in lab5_samples_alice.cu)")
      ->option_text("NAME");
  command
      ->add_option("--lesson", options->lesson,
                   "Lesson that contains the lab (default: the shipped lessons)")
      ->option_text("FILE");
  auto* seed =
      command
          ->add_option(
              "--seed", options->seed,
              "Variant of the lab: any text, such as a student's name; the same text gives "
              "the same variant (default: what the first line of the submission names)")
          ->option_text("TEXT");
  command
      ->add_option("--roster", options->roster,
                   "File with one name per line: the file name of each submission ends with its "
                   "name, which is its variant; with --copy FOLDER, write a file for each name")
      ->option_text("FILE")
      ->excludes(seed);
  auto* list = command->add_flag("--list", options->list, "List the labs");
  command->add_option("--copy", options->copy_to, "Write the lab's starter code to a new file")
      ->option_text("FILE")
      ->excludes(list);
  command
      ->add_option("--time-limit", options->limits.seconds,
                   "Limit of CPU time for one submission, in seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--memory-limit", options->limits.mebibytes,
                   "Limit of memory for one submission, in MiB")
      ->check(CLI::Range(256, 1 << 20))
      ->capture_default_str();
  command
      ->add_option("--cores", options->cores, "Submissions to grade at once; 0: one per CPU core")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  // Used for the child process of each submission.
  command->add_flag("--work", options->work)->group("");
  command->footer(
      "Examples:\n  tilestep lab --list\n  tilestep lab samples-exercise --copy mine.cu\n"
      "  tilestep lab mine.cu --lab samples-exercise\n"
      "  tilestep lab submissions/*.cu --lab samples-exercise --json\n"
      "  tilestep lab samples-exercise --copy handed-out --roster names.txt\n"
      "  tilestep lab handed-in/*.cu --roster names.txt\n"
      "Exit status: 0 all pass; 1 some fail; 2 wrong use.");
  command->callback(
      [options, &context] { context.status = status_of(run_lab(*options, context)); });
}

}  // namespace tilestep::cli
