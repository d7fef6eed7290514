#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset.h"
#include "timing/dataset_points.h"
#include "timing/host_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <vector>

namespace tilestep::cli {
namespace {

struct TuneOptions {
  BenchOptions bench;
  std::string table;  // file for the winners; empty: none
  std::string from;   // a data set; empty: measure on the GPU
};

double tera(const problem::Winner& winner) {
  return timing::gflops(winner.problem, winner.median_ms) / 1e3;
}

std::string share(const problem::Winner& winner) {
  return winner.cublas_ms > 0.0
             ? fmt::format("{:.1f}%", 100.0 * winner.cublas_ms / winner.median_ms)
             : "–";
}

std::string lead(const problem::Winner& winner) {
  return winner.runner_up.empty()
             ? "–"
             : tr("{:.1f}% ahead of {}", 100.0 * (winner.runner_up_ms / winner.median_ms - 1.0),
                  winner.runner_up);
}

// The rivals that --kernels selects: a kernel with its variations, or a single variation.
Result<std::string> chosen_rivals(const std::string& wanted, const problem::Catalog& catalog) {
  std::string chosen;
  std::vector<std::string> rungs;
  std::set<std::string> unknown;
  for (const std::string& id : comma_separated(wanted)) {
    unknown.insert(id);
  }
  const std::set<std::string> ids = unknown;
  for (const std::string& rival : timing::rival_ids(catalog)) {
    const std::string base = rival.substr(0, rival.find(':'));
    if (rival == base) {
      rungs.push_back(rival);
    }
    if (ids.empty() || ids.contains(rival) || ids.contains(base)) {
      chosen += (chosen.empty() ? "" : ",") + rival;
    }
    unknown.erase(rival);
    unknown.erase(base);
  }
  if (!unknown.empty()) {
    return fail(tr("--kernels {}: '{}' does not compete for best_by_size. Choose from: {}.", wanted,
                   *unknown.begin(), fmt::join(rungs, ", ")));
  }
  return chosen;
}

Result<int> finish(const TuneOptions& options, const Measured& measured,
                   const problem::Catalog& catalog) {
  const problem::BestTable table = timing::best_table(measured.data, catalog);
  if (table.winners.empty()) {
    return fail(tr("No competing kernel has a verified point. Measure some with `tilestep tune`."));
  }
  if (!options.table.empty()) {
    TILESTEP_RETURN_IF_ERROR(problem::write_file(options.table, problem::to_toml(table)));
    fmt::print(stderr, "{}", tr("Written: {}, {} sizes\n", options.table, table.winners.size()));
  }
  if (options.bench.as_json) {
    fmt::print("{}\n", winners_json(table));
  } else {
    say("{}", winners_text(table));
  }
  if (!measured.is_whole) {
    tell_interrupted(options.bench, measured.data);
  }
  const bool all_right = std::ranges::all_of(measured.data.points, [](const timing::Point& point) {
    return point.samples_ms.empty() ? !point.note.starts_with("result ") : point.verified;
  });
  return measured.is_whole && all_right ? 0 : kIncomplete;
}

Result<int> tune(TuneOptions options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  if (!options.from.empty()) {
    auto data = timing::load_dataset(options.from);
    TILESTEP_RETURN_IF_ERROR(data);
    return finish(options, {std::move(*data), true}, *catalog);
  }
  auto rivals = chosen_rivals(options.bench.kernels, *catalog);
  TILESTEP_RETURN_IF_ERROR(rivals);
  options.bench.kernels = std::move(*rivals);
  auto plan = make_plan(options.bench, *catalog);
  TILESTEP_RETURN_IF_ERROR(plan);
  const auto measured = measure(options.bench, *plan, *catalog, context);
  TILESTEP_RETURN_IF_ERROR(measured);
  TILESTEP_RETURN_IF_ERROR(keep(options.bench, measured->data));
  return finish(options, *measured, *catalog);
}

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

// Relative errors have little meaning if sums cancel, so positive values are the default.
problem::InputSpec input_of(const HostOptions& options, const LaunchChoice& choice) {
  if (options.launch.input.empty() && options.launch.preset.empty()) {
    problem::InputSpec input;
    input.pattern = problem::Pattern::Unit;
    return input;
  }
  return choice.input;
}

Result<int> host(const HostOptions& options, Context& context) {
  const Interrupt interrupt;
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  problem::LaunchSpec any;
  any.default_problem = problem::Problem{512, 512, 512};
  const auto choice = parse_choice(*catalog, options.launch, any);
  TILESTEP_RETURN_IF_ERROR(choice);
  const timing::HostPlan plan{choice->parameters.problem, input_of(options, *choice),
                              options.samples};
  const auto points = timing::measure_host(plan, &interrupt.cancelled());
  TILESTEP_RETURN_IF_ERROR(points);
  if (options.as_json) {
    fmt::print("{}\n", json_text(to_json(plan, *points)));
  } else {
    print_text(plan, *points);
  }
  return 0;
}

}  // namespace

std::string winners_text(const problem::BestTable& table) {
  std::string text =
      tr("{}, driver {}, {}, cuBLAS {}, SM clock {} MHz, {}\n", table.gpu, table.driver, table.cuda,
         table.cublas.empty() ? "–" : table.cublas, table.sm_clock_mhz, table.date);
  Table rows({"M×N×K", tr("kernel"), "TFLOP/s", tr("quartile spread"), tr("of cuBLAS"), tr("lead")},
             Table::Last::Sentence);
  for (const problem::Winner& winner : table.winners) {
    const problem::Problem& p = winner.problem;
    rows.add({fmt::format("{}×{}×{}", p.M, p.N, p.K), winner.kernel,
              fmt::format("{:.2f}", tera(winner)),
              fmt::format("{:.1f}%", 100.0 * (winner.q3_ms - winner.q1_ms) / winner.median_ms),
              share(winner), lead(winner)});
  }
  return text + rows.text();
}

std::string winners_json(const problem::BestTable& table) {
  nlohmann::ordered_json out = {{"schema", "tilestep-best"},
                                {"version", 1},
                                {"gpu", table.gpu},
                                {"driver", table.driver},
                                {"cuda", table.cuda},
                                {"cublas", table.cublas},
                                {"date", table.date},
                                {"sm_clock_mhz", table.sm_clock_mhz},
                                {"memory_clock_mhz", table.memory_clock_mhz},
                                {"max_sm_clock_mhz", table.max_sm_clock_mhz},
                                {"method", table.method},
                                {"winners", nlohmann::ordered_json::array()}};
  for (const problem::Winner& winner : table.winners) {
    const problem::Problem& p = winner.problem;
    nlohmann::ordered_json one = {{"M", p.M}, {"N", p.N}, {"K", p.K}, {"kernel", winner.kernel}};
    one["values"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : winner.values) {
      one["values"][name] = value;
    }
    one["median_ms"] = winner.median_ms;
    one["q1_ms"] = winner.q1_ms;
    one["q3_ms"] = winner.q3_ms;
    if (winner.cublas_ms > 0.0) {
      one["cublas_ms"] = winner.cublas_ms;
    }
    if (!winner.runner_up.empty()) {
      one["runner_up"] = winner.runner_up;
      one["runner_up_ms"] = winner.runner_up_ms;
    }
    out["winners"].push_back(std::move(one));
  }
  return json_text(out);
}

void add_tune(CLI::App& app, Context& context) {
  auto options = std::make_shared<TuneOptions>();
  auto* command = app.add_subcommand(
      "tune", "Find the fastest kernel and tile sizes for each problem size, compared with cuBLAS");
  add_measuring_options(*command, options->bench);
  command->get_option("--kernels")
      ->description(tr("Kernels to try, each with its variations, or single variations, "
                       "comma-separated (default: all that compete)"));
  command->add_option(
      "--table", options->table,
      "Write the winners to this .toml, in the format of kernels/best_by_size.toml");
  command->add_option("--from", options->from,
                      "Use the points of this data set instead of measuring");
  command->add_flag("--json", options->bench.as_json, "Print the winners as JSON");
  command->footer(
      "Example:\n"
      "  tilestep tune --sizes 1024,4096 --out tune.json --table best_by_size.toml\n"
      "Exit status: 0 success; 1 a wrong result, or interrupted; 2 wrong use, or no GPU.");
  command->callback([options, &context] { context.status = status_of(tune(*options, context)); });
}

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
      "Example:\n  tilestep host --size 1000\nWithout --input and --preset, the inputs are "
      "positive (--input unit).\nThe CPU BLAS is found at run time; TILESTEP_BLAS names another "
      "library.\nExit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(host(*options, context)); });
}

}  // namespace tilestep::cli
