// tilestep counters: what a launch costs, by kernel, line, warp and access.

#include "cli/command.h"
#include "cli/counters_report.h"
#include "cli/occupancy_report.h"
#include "cli/prepare.h"
#include "loading/machine_code.h"
#include "loading/program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::cli {

namespace {

struct CountersOptions {
  LaunchOptions launch;
  std::string build = "fast";
  CountersBy by = CountersBy::Kernel;
  bool all_blocks = false;
  bool as_machine_code = false;
  std::string architecture = "9.0";
  bool as_json = false;
};

// Puts the program in `prepared` that loads from shared memory as the machine code does, where
// there is one.
Result<MachineCodeNote> take_machine_code(Prepared& prepared, const CountersOptions& options) {
  const auto sm = parse_architecture(options.architecture);
  if (!sm) {
    return tl::unexpected(sm.error());
  }
  MachineCodeNote note{(*sm)->version(), false, {}};
  compile::Compiler compiler({prepared.paths.user_cache, {prepared.paths.ptx_cache}});
  auto translated =
      loading::as_machine_code(compiler, prepared.launch, prepared.kernel, (*sm)->number);
  note.agrees = translated && translated->agrees;
  note.why_not = translated ? translated->why_not : translated.error().message;
  if (note.agrees) {
    auto program = loading::make_program(translated->kernel, prepared.debug.get(), prepared.launch,
                                         options.launch.warp_size);
    if (!program) {
      return tl::unexpected(program.error());
    }
    prepared.kernel = std::move(translated->kernel);
    prepared.program = std::move(*program);
  }
  return note;
}

int counters(const CountersOptions& options) {
  const auto build = options.build == "step" ? compile::Build::Step : compile::Build::Fast;
  if (options.as_machine_code && build == compile::Build::Step) {
    return wrong_use({"--as-machine-code counts the fast build. Remove --build step."});
  }
  auto prepared = prepare(options.launch, build);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  std::optional<MachineCodeNote> note;
  if (options.as_machine_code) {
    auto taken = take_machine_code(*prepared, options);
    if (!taken) {
      return wrong_use(taken.error());
    }
    note = std::move(*taken);
  }
  const insight::Profile profile = insight::profile(
      prepared->program, options.all_blocks ? insight::MethodChoice::AlwaysFull
                                            : insight::MethodChoice::RepresentativesIfTheyHold);
  auto forms = insight::compare_closed_forms(prepared->spec, *prepared->program, profile);
  if (!forms) {
    return wrong_use(forms.error());
  }
  if (note && note->agrees) {
    // A merged load also reads words that nobody asked for.
    std::erase_if(*forms, [](const auto& form) { return form.quantity == "shared loads"; });
  }
  const CountersReport report{headline(*prepared), options.build,  *prepared->program, profile,
                              std::move(*forms),   std::move(note)};
  fmt::print("{}", options.as_json ? counters_json(report).dump(2) + "\n"
                                   : counters_text(report, options.by));
  return 0;
}

}  // namespace

void add_counters(CLI::App& app, int& status) {
  auto options = std::make_shared<CountersOptions>();
  auto* command =
      app.add_subcommand("counters", "Count what a launch costs, by kernel, line, warp or access");
  add_launch_options(*command, options->launch);
  command
      ->add_option("--build", options->build, "Build: fast (as the hardware runs it) or step (-G)")
      ->check(CLI::IsMember({"fast", "step"}))
      ->capture_default_str();
  const std::map<std::string, CountersBy> tables{{"kernel", CountersBy::Kernel},
                                                 {"line", CountersBy::Line},
                                                 {"warp", CountersBy::Warp},
                                                 {"access", CountersBy::Access}};
  command->add_option("--by", options->by, "Table: kernel, line, warp or access (default: kernel)")
      ->transform(CLI::Transformer(tables))
      ->option_text("TABLE");
  command->add_flag("--as-machine-code", options->as_machine_code,
                    "Merge shared-memory loads as ptxas does (needs NVRTC, but no GPU)");
  command->add_option("--arch", options->architecture, "Compute capability for --as-machine-code")
      ->capture_default_str();
  command->add_flag("--all-blocks", options->all_blocks,
                    "Execute every block, even those proved equal to another");
  command->add_flag("--json", options->as_json, "Print all tables as JSON");
  command->footer(
      "Example:\n  tilestep counters tiled --size 4096 --block 16 --by line\nExit status: 0 "
      "success; 2 wrong use or input.");
  command->callback([options, &status] { status = counters(*options); });
}

}  // namespace tilestep::cli
