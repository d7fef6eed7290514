// tilestep occupancy: how many blocks an SM holds, for each BLOCK_SIZE, and what limits them.
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/occupancy_report.h"
#include "cli/prepare.h"
#include "problem/printable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <numeric>

namespace tilestep::cli {

namespace {

struct OccupancyOptions {
  LaunchOptions launch;
  std::string architecture = "9.0";
  bool as_json = false;
};

std::vector<int> block_sizes(const OccupancyOptions& options, const problem::LaunchSpec& spec,
                             const LaunchChoice& choice) {
  if (options.launch.block_size > 0 || !spec.uses_block_size) {
    return {choice.parameters.block_size};
  }
  std::vector<int> all(problem::kLargestBlockSize);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

int show_occupancy(const OccupancyOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels, options.launch.kernel);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  const auto spec = find_spec(*catalog, options.launch);
  const auto sm = parse_architecture(options.architecture);
  if (!spec || !sm) {
    return wrong_use(spec ? sm.error() : spec.error());
  }
  const auto choice = parse_choice(*catalog, options.launch, *spec);
  if (!choice) {
    return wrong_use(choice.error());
  }
  const auto report = occupancy_report(context.compiler, *spec, choice->parameters.problem,
                                       block_sizes(options, *spec, *choice), **sm);
  if (!report) {
    return wrong_use(report.error());
  }
  fmt::print("{}", options.as_json ? json_text(occupancy_json(*report)) + "\n"
                                   : printable(occupancy_text(*report)));
  return 0;
}

}  // namespace

void add_occupancy(CLI::App& app, Context& context) {
  auto options = std::make_shared<OccupancyOptions>();
  auto* command = app.add_subcommand(
      "occupancy",
      "Show how many blocks an SM holds at once for each BLOCK_SIZE, and what limits them");
  add_launch_options(*command, options->launch);
  command
      ->add_option("--arch", options->architecture,
                   "Compute capability to compile for; no GPU is needed")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Without --block: every BLOCK_SIZE from 1 to 32.\n"
      "Example:\n"
      "  tilestep occupancy tiled --arch 8.6\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = show_occupancy(*options, context); });
}

}  // namespace tilestep::cli
