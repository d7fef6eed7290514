// tilestep why: the reasons for a launch's speed, counted, predicted and, if a data set has it,
// measured. tilestep chart: timings as SVG or CSV.
#include "analysis/compare_points.h"
#include "analysis/why.h"
#include "analysis/words.h"
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "clock/estimate.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "state/words.h"
#include "timing/dataset.h"
#include "workspace/bench.h"
#include "workspace/chart_request.h"
#include "workspace/survey.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace tilestep::cli {
namespace {

using nlohmann::json;

struct WhyOptions {
  LaunchOptions launch;
  std::string data;
  std::string gpu;
  std::string against;  // a BLOCK_SIZE, or a kernel
  bool all_block_sizes = false;
  bool as_json = false;
};

struct WhySetting {
  problem::Catalog catalog;
  timing::DataSet data;  // may be empty
  analysis::GpuModel gpu;
};

Result<analysis::GpuModel> gpu_named(const std::string& name) {
  std::string known;
  for (const analysis::GpuModel& gpu : analysis::known_gpus()) {
    if (gpu.name == name || gpu.name.find(name) != std::string::npos) {
      return gpu;
    }
    known += (known.empty() ? "" : ", ") + gpu.name;
  }
  return fail(tr("--gpu {}: unknown GPU. Choose from: {}.", name, known));
}

// The kernels whose measured times are needed; empty: all kernels.
std::vector<std::string> asked_kernels(const WhyOptions& options, const problem::Catalog& catalog) {
  std::vector<std::string> kernels{options.launch.kernel, options.against};
  if (std::ranges::find(kernels, problem::kBestBySize) != kernels.end()) {
    return {};
  }
  if (const problem::LaunchSpec* rung = workspace::next_rung(catalog, options.launch.kernel)) {
    kernels.push_back(rung->id);
  }
  return kernels;
}

Result<WhySetting> surroundings(const WhyOptions& options, const workspace::Paths& paths) {
  WhySetting s;
  auto catalog = problem::load_catalog(paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  s.catalog = std::move(*catalog);
  const std::vector<std::string> kernels = asked_kernels(options, s.catalog);
  auto data = !options.data.empty() ? timing::load_dataset(options.data)
              : kernels.empty()     ? timing::load_dataset(shipped_timings(paths))
                                    : timing::load_dataset_of(kernels, shipped_timings(paths));
  TILESTEP_RETURN_IF_ERROR(data);
  s.data = std::move(*data);
  s.gpu = analysis::gpu_model(s.data.provenance);
  if (!options.gpu.empty()) {
    const auto gpu = gpu_named(options.gpu);
    TILESTEP_RETURN_IF_ERROR(gpu);
    s.gpu = *gpu;
  }
  return s;
}

double measured_ms(const WhySetting& s, const analysis::LaunchFacts& facts) {
  const timing::Point* point =
      s.gpu.name != s.data.provenance.gpu
          ? nullptr
          : s.data.find(facts.kernel, facts.parameters.problem, facts.parameters.block_size);
  return point == nullptr ? 0.0 : point->median_ms();
}

json to_json(const WhySetting& s, const analysis::LaunchFacts& facts) {
  json row = {{"kernel", facts.kernel},
              {"M", facts.parameters.problem.M},
              {"N", facts.parameters.problem.N},
              {"K", facts.parameters.problem.K},
              {"block_size", facts.parameters.block_size}};
  if (!facts.why_not.empty()) {
    row["error"] = facts.why_not;
    return row;
  }
  const analysis::Prediction p = analysis::predict(facts, s.gpu);
  for (const analysis::Bound& bound : p.bounds) {
    row["bounds_ms"][std::string(word_of(bound.resource).file)] = bound.ms;
  }
  row["predicted_ms"] = p.ms;
  row["blocks"] = facts.blocks;
  row["threads"] = facts.threads;
  row["blocks_of_sm"] = p.blocks_of_sm;
  row["balance"] = p.balance;
  row["warp_instructions"] = facts.cost.instructions;
  row["barriers_of_block"] = facts.barriers;
  row["global_passes_of_block"] = facts.global_passes;
  row["l2_sectors_of_block"] = facts.l2_sectors;
  row["shared_wavefronts"] = facts.cost.shared().wavefronts;
  if (const double ms = measured_ms(s, facts); ms > 0.0) {
    row["measured_ms"] = ms;
  }
  return row;
}

json to_json(const clock::SmSummary& summary) {
  json states;
  for (const auto& word : kWords<clock::WarpState>) {
    states[word.file] = summary.states[static_cast<std::size_t>(word.value)];
  }
  return {{"estimated", true},
          {"blocks", word_of(summary.is_launch ? clock::Extent::Sm : clock::Extent::Wave).file},
          {"warps", summary.warps},
          {"clocks", summary.clocks},
          {"issue_slots", summary.issue_slots},
          {"data_stage", summary.data_stage},
          {"clocks_per_instruction", std::move(states)}};
}

std::string title_of(const problem::Catalog& catalog, const std::string& kernel) {
  const problem::LaunchSpec* spec = catalog.find(kernel);
  return spec == nullptr ? kernel : tr(spec->title.c_str());
}

// The next rung's launch, counted; nullopt after the last.
std::optional<analysis::LaunchFacts> count_next(const WhySetting& s,
                                                const problem::LaunchSpec* rung,
                                                const problem::Parameters& parameters,
                                                const workspace::CountTools& tools) {
  return rung == nullptr
             ? std::nullopt
             : workspace::count_launch(
                   {rung->id, workspace::own_parameters(*rung, parameters), s.gpu.architecture},
                   s.catalog, tools);
}

// What the warps of an SM wait for, if the machine code of the launch can be made and the GPU has a
// table of its own.
struct InTime {
  std::optional<clock::SmSummary> summary;
  std::string sentence;
};

InTime in_time(const WhyOptions& options, const WhySetting& s, Context& context) {
  const auto folder = context.paths.assets / "clock";
  const auto table = clock::load_sm_table(folder, s.gpu.name);
  if (!table) {
    return {};
  }
  const auto prepared =
      prepare(context, options.launch, compile::Build::Machine, 0, problem::BufferContents::Filled);
  if (!prepared) {
    return {};
  }
  auto launch = clock::TimedLaunch::make(*prepared, *table);
  if (!launch) {
    return {};
  }
  const Interrupt interrupt;
  const auto summary =
      launch->summarize(*table, clock::TimedLaunch::kQuickInstructions, &interrupt.cancelled());
  if (!summary) {
    return {};
  }
  const auto measured = clock::load_measured_launches(folder, table->gpu);
  const problem::Parameters& parameters = prepared->launch.parameters;
  const clock::MeasuredLaunch* const of_launch =
      measured ? measured->find(prepared->launch.id, parameters.problem, parameters.block_size)
               : nullptr;
  return {*summary, clock::waits_sentence(*summary, of_launch, *table)};
}

void print_reasons(const WhySetting& s, const problem::LaunchSpec* rung,
                   const std::optional<analysis::LaunchFacts>& next_facts,
                   const analysis::LaunchFacts& facts, const std::string& waits) {
  analysis::Subject next;
  if (next_facts) {
    next = {tr(rung->title.c_str()), &*next_facts, measured_ms(s, *next_facts)};
  }
  const bool has_next = next_facts && next_facts->why_not.empty();
  const analysis::Subject subject{title_of(s.catalog, facts.kernel), &facts, measured_ms(s, facts),
                                  workspace::is_last_rung(s.catalog, facts.kernel)};
  const problem::Problem& p = facts.parameters.problem;
  const problem::LaunchSpec* spec = s.catalog.find(facts.kernel);  // null for a .cu file
  const bool has_block_size = spec == nullptr || spec->uses_block_size;
  say("{}  {}×{}×{}{}  {} ({})\n", facts.kernel, p.M, p.N, p.K,
      has_block_size ? tr("  BLOCK_SIZE {}", facts.parameters.block_size) : "", s.gpu.name,
      s.gpu.source);
  for (const analysis::Remark& remark :
       analysis::why(subject, has_next ? &next : nullptr, s.gpu, waits)) {
    say("  {} {}: {}\n", remark.loss == analysis::Loss::Some ? "!" : " ", remark.about,
        remark.sentence);
  }
}

void print_table(const WhySetting& s, const std::vector<analysis::LaunchFacts>& all) {
  Table table({"BLOCK_SIZE", tr("predicted ms"), tr("bottleneck"), tr("measured ms"),
               tr("predicted / measured")});
  for (const analysis::LaunchFacts& facts : all) {
    if (!facts.why_not.empty()) {
      continue;
    }
    const analysis::Prediction p = analysis::predict(facts, s.gpu);
    const double ms = measured_ms(s, facts);
    table.add({std::to_string(facts.parameters.block_size), fmt::format("{:.4g}", p.ms),
               word_of(p.binding()).label.text(), ms > 0.0 ? fmt::format("{:.4g}", ms) : "-",
               ms > 0.0 ? fmt::format("{:.2f}", p.ms / ms) : "-"});
  }
  say("{}", table.text());
}

std::vector<int> block_sizes(const WhyOptions& options, const problem::LaunchSpec& spec,
                             const problem::Parameters& parameters) {
  if (!options.all_block_sizes || !spec.uses_block_size) {
    return {parameters.block_size};
  }
  std::vector<int> all(problem::kLargestBlockSize);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

// The point that --against names: a BLOCK_SIZE of this kernel, or another kernel with this
// BLOCK_SIZE.
Result<workspace::SurveyItem> other_point(const std::string& against, const WhySetting& s,
                                          const workspace::SurveyItem& item) {
  workspace::SurveyItem other = item;
  int block_size = 0;
  const char* end = against.data() + against.size();
  const auto read = std::from_chars(against.data(), end, block_size);
  if (read.ec == std::errc() && read.ptr == end && block_size > 0) {
    other.parameters.block_size = block_size;
    return other;
  }
  const problem::LaunchSpec* spec = s.catalog.find(against);
  if (against == problem::kBestBySize) {
    const auto best = problem::best_for(s.catalog, item.parameters.problem);
    TILESTEP_RETURN_IF_ERROR(best);
    spec = best->spec;
  }
  if (spec == nullptr) {
    return fail(tr("--against {}: neither a BLOCK_SIZE nor a kernel of the catalog.", against));
  }
  other.kernel = spec->id;
  other.parameters = workspace::own_parameters(*spec, item.parameters);
  return other;
}

Result<int> show_comparison(const WhyOptions& options, const WhySetting& s,
                            const workspace::SurveyItem& item, const workspace::CountTools& tools) {
  const auto other = other_point(options.against, s, item);
  TILESTEP_RETURN_IF_ERROR(other);
  std::vector<analysis::LaunchFacts> facts;
  for (const workspace::SurveyItem& one : {item, *other}) {
    facts.push_back(*workspace::count_launch(one, s.catalog, tools));
    if (!facts.back().why_not.empty()) {
      return fail(facts.back().why_not);
    }
  }
  const auto point = [&](const analysis::LaunchFacts& f) {
    const std::string size = std::to_string(f.parameters.block_size);
    const std::string name = item.kernel == other->kernel  ? size
                             : f.parameters.block_size > 0 ? f.kernel + " " + size
                                                           : f.kernel;
    return analysis::ComparedPoint{name, &f, s.gpu, measured_ms(s, f)};
  };
  const auto comparison = analysis::compare_points(point(facts[0]), point(facts[1]));
  say("{}\n", comparison.sentence());
  for (const analysis::Factor& factor : comparison.factors) {
    if (std::fabs(factor.ratio - 1.0) < 0.0005) {
      continue;
    }
    say("  {:.3f}×  {}: {}\n", factor.ratio, word_of(factor.cause).label, factor.sentence());
  }
  return 0;
}

Result<int> show_reasons(const WhyOptions& options, Context& context) {
  const auto s = surroundings(options, context.paths);
  TILESTEP_RETURN_IF_ERROR(s);
  const auto spec = find_spec(s->catalog, options.launch);
  TILESTEP_RETURN_IF_ERROR(spec);
  const auto choice = parse_choice(s->catalog, options.launch, *spec);
  TILESTEP_RETURN_IF_ERROR(choice);
  const std::atomic<bool> cancel{false};
  workspace::KeptAnswers kept(workspace::answer_options(context.paths));
  const workspace::CountTools tools{context.compiler, cancel, &kept};
  const problem::Parameters parameters = workspace::own_parameters(*spec, choice->parameters);
  if (!options.against.empty()) {
    return show_comparison(options, *s, {spec->id, parameters, s->gpu.architecture}, tools);
  }
  const std::vector<int> sizes = block_sizes(options, *spec, parameters);
  const bool in_words = !options.as_json && !options.all_block_sizes;
  const problem::LaunchSpec* rung = in_words ? workspace::next_rung(s->catalog, spec->id) : nullptr;
  std::vector<analysis::LaunchFacts> all;
  std::optional<analysis::LaunchFacts> next;
  {
    ProgressLine progress("counting", static_cast<std::uint32_t>(sizes.size()), tr("launches"));
    auto next_counted =
        std::async(std::launch::async, [&] { return count_next(*s, rung, parameters, tools); });
    for (const int block_size : sizes) {
      all.push_back(*workspace::count_launch(
          {spec->id, {parameters.problem, block_size}, s->gpu.architecture}, s->catalog, tools));
      ++progress.done();
    }
    next = next_counted.get();
  }
  if (options.as_json) {
    json rows = json::array();
    for (const analysis::LaunchFacts& facts : all) {
      rows.push_back(to_json(*s, facts));
    }
    if (!options.all_block_sizes) {
      if (const InTime time = in_time(options, *s, context); time.summary) {
        rows.front()["sm"] = to_json(*time.summary);
      }
    }
    fmt::print("{}\n", json_text(json{{"gpu", s->gpu.name}, {"launches", std::move(rows)}}));
  } else if (options.all_block_sizes) {
    print_table(*s, all);
  } else if (!all.front().why_not.empty()) {
    return fail(all.front().why_not);
  } else {
    print_reasons(*s, rung, next, all.front(), in_time(options, *s, context).sentence);
  }
  return 0;
}

struct ChartOptions {
  LaunchOptions launch;
  std::vector<std::string> data;
  state::TimingView view;
  std::string out = "chart.svg";
  int width = 1280;
  int height = 720;
};

Result<std::vector<timing::DataSet>> load_all(const ChartOptions& options,
                                              const workspace::Paths& paths) {
  std::vector<std::filesystem::path> files(options.data.begin(), options.data.end());
  if (files.empty()) {
    files.push_back(shipped_timings(paths));
  }
  std::vector<timing::DataSet> all;
  for (const auto& file : files) {
    auto data = timing::load_dataset(file);
    TILESTEP_RETURN_IF_ERROR(data);
    all.push_back(std::move(*data));
  }
  return all;
}

Result<int> draw(const ChartOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  const auto datasets = load_all(options, context.paths);
  auto state = make_state(*catalog, options.launch);
  TILESTEP_RETURN_IF_ERROR(datasets);
  TILESTEP_RETURN_IF_ERROR(state);
  state->tab = state::Tab::Timing;
  const problem::Problem problem =
      options.launch.size.empty() ? state->timing.problem : state->parameters.problem;
  state->timing = options.view;
  state->timing.problem = problem;
  state->timing.dataset = datasets->front().name;
  for (const timing::DataSet& data : *datasets) {
    state->timing.overlays.insert(data.name);
  }
  const timing::DataSet* const dataset = &datasets->front();
  const int architecture = workspace::shown_gpu(*state, dataset).architecture;
  const std::atomic<bool> cancel{false};
  workspace::KeptAnswers kept(workspace::answer_options(context.paths));
  const std::vector<workspace::SurveyItem> items =
      workspace::wanted(*state, {&*catalog, dataset, nullptr, architecture});
  std::vector<analysis::LaunchFacts> facts;
  {
    ProgressLine progress("counting", static_cast<std::uint32_t>(items.size()), tr("launches"));
    for (const workspace::SurveyItem& item : items) {
      facts.push_back(*workspace::count_launch(item, *catalog, {context.compiler, cancel, &kept}));
      ++progress.done();
    }
  }
  const analysis::Chart chart =
      analysis::make_chart(workspace::chart_request(*state, {&*catalog, *datasets, facts}));
  if (chart.is_empty()) {
    return fail(tr("No measurement for this launch. Choose another --size or --block."));
  }
  const bool csv = std::filesystem::path(options.out).extension() == ".csv";
  const std::string text =
      csv ? analysis::to_csv(chart) : analysis::to_svg(chart, options.width, options.height);
  if (is_standard_output(options.out)) {
    fmt::print("{}", text);
    return 0;
  }
  const Result<void> written = problem::write_file(options.out, text);
  TILESTEP_RETURN_IF_ERROR(written);
  say("{}\n", options.out);
  return 0;
}

}  // namespace

void add_why(CLI::App& app, Context& context) {
  auto options = std::make_shared<WhyOptions>();
  auto* command = app.add_subcommand(
      "why", "Show what limits the speed of a launch: counted, predicted and measured");
  add_launch_options(*command, options->launch);
  command->add_option("--data", options->data,
                      "Timing data set (default: the one shipped for the H200)");
  command->add_option("--gpu", options->gpu, "Predict for this GPU; part of its name is enough");
  command->add_option("--against", options->against,
                      "Compare with this BLOCK_SIZE or kernel, and show why one is slower");
  command->add_flag("--all", options->all_block_sizes, "Print a table for BLOCK_SIZE 1 to 32");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  tilestep why tiled --size 4096 --block 16\n"
      "  tilestep why tiled --size 4096 --block 16 --against 17\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = status_of(show_reasons(*options, context)); });
}

void add_chart(CLI::App& app, Context& context) {
  auto options = std::make_shared<ChartOptions>();
  options->view.predict = false;
  auto* command = app.add_subcommand("chart", "Draw timings as SVG, or write them as CSV");
  add_launch_options(*command, options->launch);
  command->add_option(
      "--data", options->data,
      "Timing data sets; additional ones are drawn on top of the first (default: the H200's)");
  const std::vector<std::string> plots = file_words<state::TimingPage>(state::is_plot);
  add_word_option(*command, "--page", options->view.page, tr("Plot: {}", alternatives(plots)),
                  plots)
      ->option_text("PAGE");
  add_word_option(*command, "--unit", options->view.unit,
                  tr("Unit of speed: {}", alternatives(file_words<state::SpeedUnit>())))
      ->option_text("UNIT");
  command->add_flag("--predict", options->view.predict,
                    "Add the model's curve for the kernel, dashed");
  command->add_flag("--every-kernel", options->view.every_kernel,
                    "All kernels (default: the ladder and the named kernel)");
  command->add_flag("--alone", options->view.alone,
                    "Only the named kernel, on an axis that fits its curve");
  command->add_flag("--log,!--linear", options->view.log_scale, "Axis of speed (default: log)");
  command->add_option("--width", options->width, "Width of an SVG in pixels")
      ->check(CLI::Range(320, 16384));
  command->add_option("--height", options->height, "Height of an SVG in pixels")
      ->check(CLI::Range(240, 16384));
  command->add_option("--out", options->out, "A .svg or .csv file; -: print the SVG")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  tilestep chart tiled --size 1024 --predict --out tiled.svg\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(draw(*options, context)); });
}

}  // namespace tilestep::cli
