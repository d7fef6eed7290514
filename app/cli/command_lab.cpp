// tilestep lab: grade submissions, list the labs, hand out their texts.
#include "cli/command.h"
#include "cli/course_tools.h"
#include "cli/json_text.h"
#include "cli/lab_batch.h"
#include "cli/lab_catalog.h"
#include "cli/lab_report.h"
#include "cli/lab_worker.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace tilestep::cli {
namespace {

namespace fs = std::filesystem;

struct LabOptions {
  std::vector<std::string> what;  // files; with --copy the lab's name
  std::string lab;
  std::string lesson;
  std::string copy_to;
  LabLimits limits;
  std::size_t cores = 0;
  bool list = false;
  bool as_json = false;
  bool work = false;
};

int print_list(const std::vector<NamedLab>& labs, bool as_json) {
  if (as_json) {
    fmt::print("{}\n", json_text(labs_json(labs)));
  } else {
    say("{}", labs_text(labs));
  }
  return 0;
}

// The text to start from, as a new file.
int copy_text(const LabOptions& options, const std::vector<NamedLab>& labs) {
  if (options.what.size() != 1 || !options.lab.empty()) {
    return wrong_use(
        {tr("--copy hands out the text of one lab: tilestep lab NAME --copy FILE.cu.")});
  }
  const auto lab = lab_named(labs, options.what.front());
  if (!lab) {
    return wrong_use(lab.error());
  }
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(options.copy_to, ignored))) {
    return wrong_use(
        {tr("{} exists. Choose another name: no file is written over.", options.copy_to)});
  }
  const auto text = problem::read_file(lab->lab().kernel);
  const auto written =
      text ? problem::write_file(options.copy_to, *text) : tl::unexpected(text.error());
  if (!written) {
    return wrong_use(written.error());
  }
  say("{} is the text of {} to start from. Grade it: tilestep lab {} --lab {}\n", options.copy_to,
      lab->lab().name, options.copy_to, lab->lab().name);
  return 0;
}

// What is wrong with the call is told before anything is graded.
Result<std::vector<Submission>> submissions_of(const LabOptions& options,
                                               const std::vector<NamedLab>& labs) {
  std::vector<Submission> all;
  for (const std::string& file : options.what) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      return fail(tr("{}: there is no such file. Name the .cu files to grade.", file));
    }
    const auto lab = options.lab.empty() ? lab_of_file(labs, file) : lab_named(labs, options.lab);
    if (!lab) {
      return tl::unexpected(lab.error());
    }
    all.push_back({file, *lab});
  }
  if (all.empty()) {
    return fail(tr("Nothing to grade. Name the .cu files: tilestep lab FILE.cu --lab NAME."));
  }
  return all;
}

int grade(const LabOptions& options, const std::vector<NamedLab>& labs, const Context& context) {
  const auto submissions = submissions_of(options, labs);
  const auto tools = course_tools(context);
  if (!submissions || !tools) {
    return wrong_use(submissions ? tools.error() : submissions.error());
  }
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

int run_lab(const LabOptions& options, Context& context) {
  const auto labs = find_labs(context, options.lesson);
  if (!labs) {
    return wrong_use(labs.error());
  }
  if (options.work) {
    const auto lab = lab_named(*labs, options.lab);
    return lab ? work_on_lab(*lab, options.limits, context) : wrong_use(lab.error());
  }
  return options.list               ? print_list(*labs, options.as_json)
         : !options.copy_to.empty() ? copy_text(options, *labs)
                                    : grade(options, *labs, context);
}

}  // namespace

void add_lab(CLI::App& app, Context& context) {
  auto options = std::make_shared<LabOptions>();
  auto* command = app.add_subcommand("lab", "Grade submissions of a lesson's lab by running them");
  command->add_option("files", options->what, "Submissions (.cu); with --copy a lab's name");
  command
      ->add_option("--lab", options->lab,
                   "Which lab they are for; otherwise their names say it (lab5_samples_alice.cu)")
      ->option_text("NAME");
  command
      ->add_option("--lesson", options->lesson,
                   "The lesson that the lab is in; otherwise those that ship")
      ->option_text("FILE");
  auto* list = command->add_flag("--list", options->list, "List the labs");
  command
      ->add_option("--copy", options->copy_to,
                   "Write the text that the lab starts from into a new file")
      ->option_text("FILE")
      ->excludes(list);
  command
      ->add_option("--time-limit", options->limits.seconds,
                   "Seconds of computing for one submission; then it is cut off")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--memory-limit", options->limits.mebibytes, "MiB of memory for one submission")
      ->check(CLI::Range(256, 1 << 20))
      ->capture_default_str();
  command->add_option("--cores", options->cores, "Submissions at once; 0: one for each CPU core")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->add_flag("--work", options->work)->group("");  // what it starts for each submission
  command->footer(
      "Examples:\n  tilestep lab --list\n  tilestep lab samples-exercise --copy mine.cu\n"
      "  tilestep lab mine.cu --lab samples-exercise\n"
      "  tilestep lab submissions/*.cu --lab samples-exercise --json\n"
      "Exit status: 0 all pass; 1 some fail; 2 wrong use.");
  command->callback([options, &context] { context.status = run_lab(*options, context); });
}

}  // namespace tilestep::cli
