#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/ceilings.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace tilestep::cli {
namespace {

using nlohmann::ordered_json;

struct ErrorOptions {
  std::string kernels = problem::kBestBySize;
  std::string size = "2048";
  int block_size = 16;
  std::vector<std::string> inputs{"random", "decades"};
  std::string cublas = "all";
  bool as_json = false;
};

// "random:1"
std::string input_text(const problem::InputSpec& input) {
  return fmt::format("{}:{}", word_of(input.pattern).file, input.seed);
}

std::string value_text(float value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

std::string reference_text(const timing::ErrorReference& reference) {
  return reference.is_of_gpu
             ? tr("Reference: cublasDgemm, compared with the host's float64 sums in rows {}: they "
                  "differ by at most {:.1e} times the sum of the products' magnitudes.",
                  fmt::join(reference.host_rows, ", "), reference.largest_slip)
             : tr("Reference: the host's float64 sums, for only {} rows, because there is no "
                  "cuBLAS.",
                  reference.host_rows.size());
}

std::string table_text(const timing::ErrorTable& table) {
  Table rows({input_text(table.input), "max |d|", "mean |d|", "‖d‖/‖C‖", "max |d|/RMS",
              tr("not finite"), ""},
             Table::Last::Sentence);
  for (const timing::ErrorRow& row : table.rows) {
    const timing::ErrorFigures& f = row.figures;
    const auto figure = [&](double value) {
      return row.note.empty() ? fmt::format("{:.2e}", value) : std::string("–");
    };
    rows.add({row.series, figure(f.max_abs), figure(f.mean_abs), figure(f.frobenius),
              figure(f.max_over_rms), row.note.empty() ? std::to_string(f.not_finite) : "–",
              row.note});
  }
  return rows.text() + reference_text(table.reference) + "\n";
}

std::string special_text(const timing::SpecialRow& row, std::size_t column) {
  const timing::SpecialRow::Got& got = row.got[column];
  const std::string first = value_text(got.first);
  return got.below == 0.0F ? first : tr("{}; {} in C[1][0]", first, value_text(got.below));
}

std::string specials_text(const std::vector<timing::SpecialRow>& all) {
  std::vector<std::string> head{"A[0][0]"};
  for (const timing::SpecialValue& special : timing::special_values()) {
    head.emplace_back(special.name.text());
  }
  head.emplace_back();
  Table rows(std::move(head), Table::Last::Sentence);
  for (const timing::SpecialRow& row : all) {
    std::vector<std::string> cells{row.series};
    for (std::size_t i = 0; i < timing::special_values().size(); ++i) {
      cells.push_back(row.note.empty() ? special_text(row, i) : "–");
    }
    cells.push_back(row.note);
    rows.add(std::move(cells));
  }
  return tr("C[0][0] where A is all zeros except A[0][0], and B is all ones ({0}×{1}×{2}):\n",
            timing::kSpecialProblem.M, timing::kSpecialProblem.N, timing::kSpecialProblem.K) +
         rows.text();
}

// JSON has no infinity and no NaN: they are written as texts.
ordered_json json_value(float value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(value_text(value));
}

ordered_json json_of(const timing::ErrorTable& table) {
  ordered_json out = {{"input", input_text(table.input)},
                      {"reference", table.reference.is_of_gpu ? "cublasDgemm" : "host"},
                      {"host_rows", table.reference.host_rows},
                      {"largest_slip", table.reference.largest_slip},
                      {"series", ordered_json::array()}};
  for (const timing::ErrorRow& row : table.rows) {
    ordered_json one = {{"kernel", row.series}};
    if (!row.note.empty()) {
      one["note"] = row.note;
    } else {
      one["max_abs"] = row.figures.max_abs;
      one["mean_abs"] = row.figures.mean_abs;
      one["frobenius"] = row.figures.frobenius;
      one["max_over_rms"] = row.figures.max_over_rms;
      one["elements"] = row.figures.elements;
      one["not_finite"] = row.figures.not_finite;
    }
    out["series"].push_back(std::move(one));
  }
  return out;
}

ordered_json json_of(const timing::SpecialRow& row) {
  ordered_json out = {{"kernel", row.series}};
  if (!row.note.empty()) {
    out["note"] = row.note;
  }
  for (std::size_t i = 0; i < row.got.size(); ++i) {
    out["values"].push_back({{"A00", json_value(timing::special_values()[i].value)},
                             {"C00", json_value(row.got[i].first)},
                             {"C10", json_value(row.got[i].below)}});
  }
  return out;
}

// Replaces best_by_size by the winner at this size, under its own name.
Result<std::vector<const problem::LaunchSpec*>> chosen_kernels(const std::string& list,
                                                               const problem::Catalog& catalog,
                                                               problem::Problem size) {
  std::vector<const problem::LaunchSpec*> kernels;
  for (const std::string& id : comma_separated(list)) {
    const problem::LaunchSpec* spec = catalog.find(id);
    if (id == problem::kBestBySize) {
      const auto best = problem::best_for(catalog, size);
      TILESTEP_RETURN_IF_ERROR(best);
      spec = best->spec;
      fmt::print(stderr, "{}\n", problem::explanation(*best, catalog.best, size));
    }
    if (spec == nullptr) {
      return fail(tr("'{}' is not in the catalog. Choose one of its kernels.", id));
    }
    if (spec->reference != "matmul") {
      return fail(tr("'{}' computes no product A·B, so there is nothing to compare it with.", id));
    }
    kernels.push_back(spec);
  }
  return kernels;
}

Result<timing::ErrorPlan> make_plan(const ErrorOptions& options, const problem::Catalog& catalog) {
  timing::ErrorPlan plan;
  const auto sizes = parse_problem_list(options.size, "--size");
  if (!sizes || sizes->size() != 1) {
    return sizes ? fail(tr("--size {}: write one size.", options.size))
                 : tl::unexpected(sizes.error());
  }
  plan.parameters = {sizes->front(), options.block_size};
  auto kernels = chosen_kernels(options.kernels, catalog, sizes->front());
  TILESTEP_RETURN_IF_ERROR(kernels);
  plan.kernels = std::move(*kernels);
  auto cublas = timing::parse_cublas(options.cublas);
  TILESTEP_RETURN_IF_ERROR(cublas);
  plan.cublas = std::move(*cublas);
  for (const std::string& text : options.inputs) {
    auto input = parse_input(text);
    TILESTEP_RETURN_IF_ERROR(input);
    plan.inputs.push_back(std::move(*input));
  }
  return plan;
}

Result<int> measure_and_print(const ErrorOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  auto plan = make_plan(options, *catalog);
  TILESTEP_RETURN_IF_ERROR(plan);
  const Interrupt interrupt;
  const auto device = gpu::Device::open();
  TILESTEP_RETURN_IF_ERROR(device);
  if (const std::string why_not = (*device)->why_no_cublas(); !why_not.empty()) {
    fmt::print(stderr, "{}\n", tr("Without cuBLAS: {}", why_not));
    plan->cublas.clear();
  }
  const auto report =
      timing::measure_errors(**device, context.compiler, *plan, &interrupt.cancelled());
  TILESTEP_RETURN_IF_ERROR(report);
  const ErrorSurroundings where{(*device)->info().name, (*device)->info().driver_version,
                                (*device)->cublas_version(), timing::utc_now(),
                                plan->parameters.problem};
  if (options.as_json) {
    fmt::print("{}\n", errors_json(*report, where));
  } else {
    say("{}", errors_text(*report, where));
  }
  return interrupt.cancelled() ? 1 : 0;
}

}  // namespace

std::string errors_text(const timing::ErrorReport& report, const ErrorSurroundings& where) {
  const problem::Problem& p = where.problem;
  std::string text =
      tr("{}×{}×{} on {}, driver {}, {}, cuBLAS {}, {}\nd: difference from the float64 product\n",
         p.M, p.N, p.K, where.gpu, where.driver, report.compiler,
         where.cublas.empty() ? "–" : where.cublas, where.date);
  for (const timing::ErrorTable& table : report.tables) {
    text += "\n" + table_text(table);
  }
  return text + "\n" + specials_text(report.specials);
}

std::string errors_json(const timing::ErrorReport& report, const ErrorSurroundings& where) {
  const problem::Problem& p = where.problem;
  ordered_json out = {{"schema", "tilestep-errors"},
                      {"version", 1},
                      {"gpu", where.gpu},
                      {"driver", where.driver},
                      {"cuda", report.compiler},
                      {"cublas", where.cublas},
                      {"date", where.date},
                      {"M", p.M},
                      {"N", p.N},
                      {"K", p.K},
                      {"tables", ordered_json::array()},
                      {"special_values", ordered_json::array()}};
  for (const timing::ErrorTable& table : report.tables) {
    out["tables"].push_back(json_of(table));
  }
  for (const timing::SpecialRow& row : report.specials) {
    out["special_values"].push_back(json_of(row));
  }
  return json_text(out);
}

void add_errors(CLI::App& app, Context& context) {
  auto options = std::make_shared<ErrorOptions>();
  auto* command = app.add_subcommand(
      "errors", "Compare GPU results of kernels and cuBLAS with the float64 product");
  command->add_option("kernels", options->kernels, "Catalog ids, comma-separated")
      ->capture_default_str();
  command->add_option("--size", options->size, "Problem size: N for M = N = K, or MxNxK")
      ->capture_default_str();
  command->add_option("--block", options->block_size, "BLOCK_SIZE")
      ->check(CLI::Range(1, problem::kLargestBlockSize))
      ->capture_default_str();
  command->add_option("--input", options->inputs, "Values of A and B, as in `run`; repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      ->add_option(
          "--cublas", options->cublas,
          tr("Ways to call cuBLAS, comma-separated: {}", fmt::join(timing::cublas_words(), ", ")))
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep errors tensor_tf32x3,best_by_size --size 2048\n"
      "Exit status: 0 success; 1 interrupted; 2 wrong use, or no GPU.");
  command->callback(
      [options, &context] { context.status = status_of(measure_and_print(*options, context)); });
}

}  // namespace tilestep::cli
