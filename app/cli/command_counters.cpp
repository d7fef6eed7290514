// tilestep counters: the cost of a launch, by kernel, line, warp and access.
#include "cli/command.h"
#include "cli/counters_report.h"
#include "cli/launch_options.h"
#include "cli/occupancy_command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "cli/words.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "workspace/survey.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace tilestep::cli {

namespace {

struct CountersOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Fast;
  CountersBy by = CountersBy::Kernel;
  bool all_blocks = false;
  bool as_machine_code = false;
  std::string architecture = "9.0";
  bool as_json = false;
  bool as_csv = false;
};

Result<int> counters(const CountersOptions& options, Context& context) {
  if (options.as_machine_code && options.build == compile::Build::Step) {
    return fail(tr("--as-machine-code counts the fast build. Remove --build step."));
  }
  int architecture = 0;
  std::optional<MachineCodeNote> note;
  if (options.as_machine_code) {
    const auto sm = parse_architecture(options.architecture);
    TILESTEP_RETURN_IF_ERROR(sm);
    architecture = (*sm)->number;
    note = MachineCodeNote{(*sm)->version(), false, {}, {}};
  }
  auto prepared =
      prepare(context, options.launch, options.build, architecture,
              options.all_blocks ? problem::BufferContents::Filled : problem::BufferContents::Zero);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  if (note) {
    note->agrees = prepared->is_machine_code;
    note->why_not = prepared->why_not_machine_code;
    note->padding = prepared->padding;
  }
  const auto fill = [&] {
    auto filled =
        prepare(context, options.launch, options.build, architecture, {}, &prepared->spec);
    if (filled) {
      *prepared = std::move(*filled);
    }
    return filled.has_value();
  };
  const insight::Profile profile =
      options.all_blocks ? insight::profile(prepared->program, insight::MethodChoice::AlwaysFull)
                         : workspace::count_launch(*prepared, fill);
  auto forms = insight::compare_closed_forms(prepared->spec, *prepared->program, profile);
  TILESTEP_RETURN_IF_ERROR(forms);
  if (note && note->agrees) {
    // A merged load also reads words that are not needed.
    std::erase_if(*forms, [](const auto& form) { return form.quantity == "shared loads"; });
  }
  const CountersReport report{headline(*prepared), std::string(word_of(options.build).file),
                              *prepared->program,  profile,
                              std::move(*forms),   std::move(note)};
  fmt::print("{}", options.as_json  ? json_text(counters_json(report)) + "\n"
                   : options.as_csv ? counters_csv(counters_json(report))
                                    : printable(counters_text(report, options.by)));
  return 0;
}

}  // namespace

void add_counters(CLI::App& app, Context& context) {
  auto options = std::make_shared<CountersOptions>();
  auto* command =
      app.add_subcommand("counters", "Count what a launch costs, by kernel, line, warp or access");
  add_launch_options(*command, options->launch);
  add_word_option(*command, "--build", options->build,
                  "Build: fast (optimized), step (-G) or machine (the hardware's instructions)");
  add_word_option(*command, "--by", options->by,
                  tr("Table: {} (default: kernel)", alternatives(file_words<CountersBy>())))
      ->option_text("TABLE");
  command->add_flag("--as-machine-code", options->as_machine_code,
                    "Count the machine code (needs NVRTC, but no GPU)");
  command->add_option("--arch", options->architecture, "Compute capability for --as-machine-code")
      ->capture_default_str();
  command->add_flag("--all-blocks", options->all_blocks,
                    "Execute every block, even those proved equivalent to another");
  auto* json_flag = command->add_flag("--json", options->as_json, "Print all tables as JSON");
  command->add_flag("--csv", options->as_csv, "Print the kernel and its lines as CSV")
      ->excludes(json_flag);
  command->footer(
      "Example:\n"
      "  tilestep counters tiled --size 4096 --block 16 --by line\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = status_of(counters(*options, context)); });
}

}  // namespace tilestep::cli
