// The curves that were not measured: the model's, what the user expects, the GPU's peak.
#include "analysis/chart_parts.h"
#include "analysis/prediction.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::analysis {
namespace {

using problem::Problem;
using state::SpeedUnit;

constexpr Message kDrawn = "your prediction";
constexpr Message kPeak = "FFMA peak";

// What GFLOP/s are multiplied by, also of a GPU that nothing was measured on; 0: nothing to compare
// with.
double factor_of(const ChartRequest& request, Problem problem) {
  if (!request.datasets.empty()) {
    return Scale(request, *request.datasets.front()).factor(problem);
  }
  switch (request.view.unit) {
    case SpeedUnit::Gflops:
      return 1.0;
    case SpeedUnit::OfPeak:
      return 100.0 / request.gpu.peak_gflops;
    case SpeedUnit::OfCublas:
      break;
  }
  return 0.0;
}

// Relative, of each predicted mark that was measured, ascending.
std::vector<double> errors_of(const ChartRequest& request, Problem problem, const Curve& curve) {
  std::vector<double> errors;
  for (const Mark& mark : curve.marks) {
    const timing::Point* const point =
        request.datasets.empty()
            ? nullptr
            : request.datasets.front()->find(curve.kernel, problem, mark.block_size);
    if (point != nullptr && !point->samples_ms.empty()) {
      const double ms = point->median_ms();
      errors.push_back(std::abs(timing::gflops(problem, ms) / mark.gflops - 1.0));
    }
  }
  std::ranges::sort(errors);
  return errors;
}

std::string note_of(const ChartRequest& request, Problem problem, const Curve& curve) {
  if (request.what_if.is_known()) {
    return tr(" · dashed: predicted, {}", request.what_if.source);
  }
  const std::vector<double> errors = errors_of(request, problem, curve);
  return errors.empty() ? tr(" · dashed: predicted, no measurement to compare with")
                        : tr(" · dashed: predicted, median error {:.0f} %, largest {:.0f} %",
                             100.0 * errors[errors.size() / 2], 100.0 * errors.back());
}

Mark predicted_mark(const LaunchFacts& facts, const GpuModel& gpu, double factor) {
  Mark mark;
  mark.block_size = facts.parameters.block_size;
  mark.x = mark.block_size == 0 ? kFixedTiles : mark.block_size;
  mark.gflops = timing::gflops(facts.parameters.problem, predict(facts, gpu).ms);
  mark.y = factor * mark.gflops;
  return mark;
}

}  // namespace

void add_prediction(const ChartRequest& request, Problem problem, Chart& chart) {
  const std::string& kernel = request.predicted_kernel;
  const double factor = factor_of(request, problem);
  if (kernel.empty() || factor == 0.0 || !request.predicted_gpu().is_known() ||
      request.view.guess.hides(kernel)) {
    return;
  }
  Curve curve;
  curve.kernel = kernel;
  const std::string title = title_of(request, kernel);
  curve.name = tr("{}, predicted", tr(title.c_str()));
  curve.english = title + ", predicted";
  curve.role = Role::Predicted;
  set_style(request, kernel, curve);
  for (const LaunchFacts& facts : request.facts) {
    if (facts.kernel == kernel && facts.parameters.problem == problem && facts.why_not.empty() &&
        are_for(facts, request.gpu.architecture)) {
      curve.marks.push_back(predicted_mark(facts, request.predicted_gpu(), factor));
    }
  }
  if (curve.marks.empty()) {
    return;
  }
  std::ranges::sort(curve.marks, {}, &Mark::x);
  chart.note += note_of(request, problem, curve);
  chart.curves.push_back(std::move(curve));
}

void add_guess(const ChartRequest& request, Problem problem, Chart& chart) {
  const state::GuessView& guess = request.view.guess;
  const double factor = factor_of(request, problem);
  chart.y_of_gflops = factor;
  if (guess.kernel.empty() || guess.gflops.empty() || factor == 0.0) {
    return;
  }
  Curve curve;
  curve.kernel = guess.kernel;
  curve.name = kDrawn.text();
  curve.english = kDrawn.english;
  curve.role = Role::Drawn;
  set_style(request, guess.kernel, curve);
  for (const auto& [block_size, gflops] : guess.gflops) {
    Mark mark;
    mark.x = mark.block_size = block_size;
    mark.gflops = gflops;
    mark.y = factor * mark.gflops;
    curve.marks.push_back(mark);
  }
  chart.curves.push_back(std::move(curve));
}

void add_level_peak(const ChartRequest& request, Problem problem, Chart& chart) {
  const double factor = request.gpu.peak_gflops > 0.0 ? factor_of(request, problem) : 0.0;
  if (factor == 0.0) {
    return;
  }
  Curve curve;
  curve.role = Role::Ceiling;
  curve.name = kPeak.text();
  curve.english = kPeak.english;
  for (const double x : {chart.x.low, chart.x.high}) {
    Mark mark;
    mark.x = x;
    mark.gflops = request.gpu.peak_gflops;
    mark.y = factor * mark.gflops;
    curve.marks.push_back(mark);
  }
  chart.curves.push_back(std::move(curve));
}

}  // namespace tilestep::analysis
