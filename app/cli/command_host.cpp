// tilestep host: the host's products, timed and compared with the float64 one.
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/launch_options.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "problem/tr.h"
#include "timing/dataset.h"
#include "timing/host_reference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace tilestep::cli {

namespace {

using nlohmann::json;

struct HostOptions {
  LaunchOptions launch;
  int samples = 5;
  bool as_json = false;
};

json to_json(const timing::HostPlan& plan, const std::vector<timing::HostPoint>& points) {
  json list = json::array();
  for (const timing::HostPoint& point : points) {
    list.push_back({{"reference", point.id},
                    {"note", point.note},
                    {"samples_ms", point.samples_ms},
                    {"max_rel_error", point.error.max_rel_error},
                    {"average_rel_error", point.error.average_rel_error}});
  }
  const problem::Problem& size = plan.problem;
  return {{"M", size.M}, {"N", size.N}, {"K", size.K}, {"references", std::move(list)}};
}

void print_text(const timing::HostPlan& plan, const std::vector<timing::HostPoint>& points) {
  const problem::Problem& size = plan.problem;
  say("{}×{}×{}, relative errors against cpu_double\n{:<11} {:>10} {:>9} {:>11} {:>11}\n", size.M,
      size.N, size.K, "", "ms", "GFLOP/s", tr("max error"), tr("average"));
  for (const timing::HostPoint& point : points) {
    if (point.samples_ms.empty()) {
      say("{:<11} {}\n", point.id, point.note);
      continue;
    }
    const double median = timing::statistics(point.samples_ms).median_ms;
    say("{:<11} {:>10.4g} {:>9.3g} {:>11.3g} {:>11.3g}  {}\n", point.id, median,
        timing::gflops(size, median), point.error.max_rel_error, point.error.average_rel_error,
        point.note);
  }
}

// Relative errors mean little where sums cancel, so positive values are the default.
problem::InputSpec input_of(const HostOptions& options, const LaunchChoice& choice) {
  if (options.launch.input.empty() && options.launch.preset.empty()) {
    problem::InputSpec input;
    input.pattern = problem::Pattern::Unit;
    return input;
  }
  return choice.input;
}

int host(const HostOptions& options, Context& context) {
  const Interrupt interrupt;
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  problem::LaunchSpec any;
  any.default_problem = problem::Problem{512, 512, 512};
  const auto choice = parse_choice(*catalog, options.launch, any);
  if (!choice) {
    return wrong_use(choice.error());
  }
  const timing::HostPlan plan{choice->parameters.problem, input_of(options, *choice),
                              options.samples};
  const auto points = timing::measure_host(plan, &interrupt.cancelled());
  if (!points) {
    return wrong_use(points.error());
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(to_json(plan, *points)));
  } else {
    print_text(plan, *points);
  }
  return 0;
}

}  // namespace

void add_host(CLI::App& app, Context& context) {
  auto options = std::make_shared<HostOptions>();
  auto* command = app.add_subcommand(
      "host", "Time the product on the CPU (plain, Kahan, float64, BLAS) and show the errors");
  add_problem_options(*command, options->launch);
  command->add_option("--samples", options->samples, "Timed products per method")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep host --size 1000\n"
      "Without --input and --preset, the inputs are positive: unit.\n"
      "The CPU BLAS is found at run time; TILESTEP_BLAS names another library.\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = host(*options, context); });
}

}  // namespace tilestep::cli
