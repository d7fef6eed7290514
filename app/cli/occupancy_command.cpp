#include "cli/occupancy_command.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "insight/occupancy/occupancy.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ptx/sass/sass.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <re2/re2.h>

namespace tilestep::cli {
namespace {

using insight::Occupancy;
using nlohmann::json;

constexpr int kOccupancySchema = 1;

// ptxas counts in hexadecimal; other errors are the compiler's own words.
std::string compile_sentence(const compile::Output& output, const std::string& source_name) {
  const auto error = std::find_if(
      output.diagnostics.begin(), output.diagnostics.end(),
      [](const compile::Diagnostic& d) { return d.severity == compile::Severity::Error; });
  if (error == output.diagnostics.end()) {
    return tr("{} did not compile.", source_name);
  }
  static const RE2 too_much(R"(too much shared data \(0x([0-9a-f]+) bytes, 0x([0-9a-f]+) max\))",
                            RE2::Latin1);
  std::uint64_t wanted = 0;
  std::uint64_t allowed = 0;
  if (RE2::PartialMatch(error->message, too_much, RE2::Hex(&wanted), RE2::Hex(&allowed))) {
    return tr(
        "Does not compile: {} bytes of shared memory per block, but at most {} are allowed. Choose "
        "a smaller BLOCK_SIZE.",
        wanted, allowed);
  }
  const std::string place =
      error->line > 0 ? fmt::format("{}:{}: ", error->file, error->line) : std::string();
  return tr("Does not compile: {}{}.", place, error->message);
}

void fill(OccupancyRow& row, const ptx::CubinKernel& kernel, const problem::Launch& launch,
          const insight::Architecture& sm) {
  row.occupancy = insight::occupancy(insight::needs_of(kernel, launch), sm);
  row.static_shared_bytes = static_cast<int>(kernel.static_shared_bytes);
  row.dynamic_shared_bytes = static_cast<int>(launch.dynamic_shared_bytes);
  row.local_bytes = static_cast<int>(kernel.local_bytes);
}

std::vector<std::string> cells(const OccupancyRow& row, const insight::Architecture& sm) {
  if (!row.why_not.empty()) {
    return {std::to_string(row.block_size), "-", "-", "-", "-", "-", "-", "-", row.why_not};
  }
  const Occupancy& o = row.occupancy;
  return {std::to_string(row.block_size),
          std::to_string(o.needs.threads),
          o.idle_lanes() == 0 ? std::to_string(o.warps_of_block)
                              : tr("{} ({} idle)", o.warps_of_block, o.idle_lanes()),
          std::to_string(o.needs.registers),
          grouped(static_cast<std::uint64_t>(o.needs.shared_bytes)),
          std::to_string(o.blocks),
          tr("{} of {}", o.warps(), o.warps_of_sm),
          fmt::format("{:.1f}%", 100.0 * o.share()),
          insight::explain(o, sm)};
}

json row_json(const OccupancyRow& row, const insight::Architecture& sm) {
  if (!row.why_not.empty()) {
    return {{"block_size", row.block_size}, {"error", row.why_not}};
  }
  const Occupancy& o = row.occupancy;
  json limits = json::object();
  for (std::size_t i = 0; i < insight::kLimits; ++i) {
    const int allowed = o.blocks_by[i];
    limits[std::string(words_of<insight::Limit>()[i].file)] =
        allowed == insight::kNoLimit ? json(nullptr) : json(allowed);
  }
  json limiters = json::array();
  for (const insight::Limit limit : o.limiters()) {
    limiters.push_back(word_of(limit).file);
  }
  return {{"block_size", row.block_size},
          {"threads", o.needs.threads},
          {"warps_of_block", o.warps_of_block},
          {"idle_lanes", o.idle_lanes()},
          {"registers", o.needs.registers},
          {"static_shared_bytes", row.static_shared_bytes},
          {"dynamic_shared_bytes", row.dynamic_shared_bytes},
          {"local_bytes", row.local_bytes},
          {"blocks", o.blocks},
          {"warps", o.warps()},
          {"occupancy", o.share()},
          {"blocks_by_limit", std::move(limits)},
          {"limiters", std::move(limiters)},
          {"sentence", insight::explain(o, sm)}};
}

std::string product(const problem::Problem& p) {
  return fmt::format("{}×{}×{}", p.M, p.N, p.K);
}

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

Result<int> show_occupancy(const OccupancyOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels, options.launch.kernel);
  TILESTEP_RETURN_IF_ERROR(catalog);
  const auto spec = find_spec(*catalog, options.launch);
  const auto sm = parse_architecture(options.architecture);
  TILESTEP_RETURN_IF_ERROR(spec);
  TILESTEP_RETURN_IF_ERROR(sm);
  const auto choice = parse_choice(*catalog, options.launch, *spec);
  TILESTEP_RETURN_IF_ERROR(choice);
  const auto report = occupancy_report(context.compiler, *spec, choice->parameters.problem,
                                       block_sizes(options, *spec, *choice), **sm);
  TILESTEP_RETURN_IF_ERROR(report);
  fmt::print("{}", options.as_json ? json_text(occupancy_json(*report)) + "\n"
                                   : printable(occupancy_text(*report)));
  return 0;
}

}  // namespace

Result<OccupancyReport> occupancy_report(compile::Compiler& compiler,
                                         const problem::LaunchSpec& spec,
                                         const problem::Problem& problem,
                                         const std::vector<int>& block_sizes,
                                         const insight::Architecture& sm) {
  OccupancyReport report{spec.id, problem, sm, {}, {}};
  for (const int block_size : block_sizes) {
    OccupancyRow& row = report.rows.emplace_back();
    row.block_size = block_size;
    const Result<problem::Launch> launch = problem::evaluate_shape(spec, {problem, block_size});
    if (!launch) {
      row.why_not = launch.error().message;
      continue;
    }
    const Result<compile::Output> output =
        compiler.compile(compile::make_cubin_request(*launch, sm.number));
    TILESTEP_RETURN_IF_ERROR(output);
    report.compiler = output->compiler;
    if (!output->ok()) {
      row.why_not = compile_sentence(*output, spec.source_name);
      continue;
    }
    const Result<ptx::CubinKernel> kernel = ptx::read_cubin(output->cubin, output->entry);
    TILESTEP_RETURN_IF_ERROR(kernel);
    fill(row, *kernel, *launch, sm);
  }
  return report;
}

Result<const insight::Architecture*> parse_architecture(const std::string& text) {
  std::vector<std::string> known;
  for (const insight::Architecture& sm : insight::architectures()) {
    const std::string number = std::to_string(sm.number);
    if (text == sm.version() || text == number || text == "sm_" + number) {
      return &sm;
    }
    known.push_back(sm.version());
  }
  return fail(
      tr("--arch {}: choose one of the compute capabilities {}.", text, fmt::join(known, ", ")));
}

std::string occupancy_text(const OccupancyReport& report) {
  Table table({"BLOCK_SIZE", tr("threads"), tr("warps"), tr("registers"), tr("shared"),
               tr("blocks/SM"), tr("warps/SM"), tr("occupancy"), tr("limit")},
              Table::Last::Sentence);
  for (const OccupancyRow& row : report.rows) {
    table.add(cells(row, report.sm));
  }
  return tr(
      "{}  {}  machine code for compute capability {} ({}), {}\n\n{}\nThreads, warps and shared "
      "memory (bytes, static and dynamic) are per block, registers per thread.\n",
      report.kernel, product(report.problem), report.sm.version(), report.sm.name, report.compiler,
      table.text());
}

json occupancy_json(const OccupancyReport& report) {
  const insight::Architecture& sm = report.sm;
  json rows = json::array();
  for (const OccupancyRow& row : report.rows) {
    rows.push_back(row_json(row, sm));
  }
  return {{"schema", "tilestep-occupancy"},
          {"version", kOccupancySchema},
          {"kernel", report.kernel},
          {"M", report.problem.M},
          {"N", report.problem.N},
          {"K", report.problem.K},
          {"compiler", report.compiler},
          {"architecture",
           {{"compute_capability", sm.version()},
            {"name", sm.name},
            {"warps", sm.warps},
            {"blocks", sm.blocks},
            {"shared_bytes", sm.shared_bytes},
            {"reserved_shared_bytes", sm.reserved_bytes}}},
          {"rows", std::move(rows)}};
}

void add_occupancy(CLI::App& app, Context& context) {
  auto options = std::make_shared<OccupancyOptions>();
  auto* command = app.add_subcommand(
      "occupancy", "Show the blocks per SM for each BLOCK_SIZE, and the limiting resource");
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
  command->callback(
      [options, &context] { context.status = status_of(show_occupancy(*options, context)); });
}

}  // namespace tilestep::cli
