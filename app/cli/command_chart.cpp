// tilestep chart: a plot of the Timing tab as SVG or CSV, without a window.
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "cli/word_option.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "state/words.h"
#include "workspace/chart_request.h"
#include "workspace/survey.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>

namespace tilestep::cli {
namespace {

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
    if (!data) {
      return tl::unexpected(data.error());
    }
    all.push_back(std::move(*data));
  }
  return all;
}

int draw(const ChartOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  const auto datasets = load_all(options, context.paths);
  auto state = make_state(*catalog, options.launch);
  if (!datasets || !state) {
    return wrong_use(datasets ? state.error() : datasets.error());
  }
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
    return wrong_use({tr("No measurement there. Choose another --size or --block.")});
  }
  const bool csv = std::filesystem::path(options.out).extension() == ".csv";
  const std::string text =
      csv ? analysis::to_csv(chart) : analysis::to_svg(chart, options.width, options.height);
  if (is_standard_output(options.out)) {
    fmt::print("{}", text);
    return 0;
  }
  const Result<void> written = problem::write_file(options.out, text);
  if (!written) {
    return wrong_use(written.error());
  }
  say("{}\n", options.out);
  return 0;
}

}  // namespace

void add_chart(CLI::App& app, Context& context) {
  auto options = std::make_shared<ChartOptions>();
  options->view.predict = false;
  auto* command = app.add_subcommand("chart", "Draw timings as SVG, or write them as CSV");
  add_launch_options(*command, options->launch);
  command->add_option(
      "--data", options->data,
      "Timing data sets; further ones are drawn over the first (default: the H200's)");
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
  command->callback([options, &context] { context.status = draw(*options, context); });
}

}  // namespace tilestep::cli
