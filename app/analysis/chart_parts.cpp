#include "analysis/chart.h"
#include "analysis/prediction.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tilestep::analysis {
namespace {

using problem::Problem;
using state::SpeedUnit;

constexpr Message kDrawn = "your prediction";
constexpr Message kPeak = "FFMA peak";

// The factor for GFLOP/s, also for a GPU without measurements; 0: nothing to compare with.
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

// Relative error of each predicted mark that was measured, ascending.
std::vector<double> errors_of(const ChartRequest& request, Problem problem, const Curve& curve) {
  std::vector<double> errors;
  for (const Mark& mark : curve.marks) {
    const timing::Point* const point =
        request.datasets.empty()
            ? nullptr
            : request.datasets.front()->find(curve.kernel, problem, mark.block_size);
    if (point != nullptr && !point->samples_ms.empty()) {
      errors.push_back(std::abs(timing::gflops(*point, point->median_ms()) / mark.gflops - 1.0));
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
                        : tr(" · dashed: predicted, median error {:.0f}%, largest {:.0f}%",
                             100.0 * errors[errors.size() / 2], 100.0 * errors.back());
}

Mark predicted_mark(const LaunchFacts& facts, const GpuModel& gpu, double factor) {
  Mark mark;
  mark.block_size = facts.parameters.block_size;
  mark.x = mark.block_size == 0 ? kFixedTiles : mark.block_size;
  mark.gflops = timing::gflops(facts.flops, predict(facts, gpu).ms);
  mark.y = factor * mark.gflops;
  return mark;
}

}  // namespace

using problem::Problem;
using state::SpeedUnit;

namespace {

double cublas_gflops(const timing::DataSet& data, Problem problem) {
  const timing::Point* point = data.find(timing::kCublas, problem, 0);
  return point == nullptr || point->samples_ms.empty()
             ? 0.0
             : timing::gflops(problem, point->median_ms());
}

}  // namespace

bool is_library(const std::string& kernel) {
  return timing::is_cublas(kernel);
}

bool is_square(Problem p) {
  return p.M == p.N && p.N == p.K;
}

bool is_shown(const ChartRequest& request, const std::string& kernel) {
  return request.kernels.empty() || is_library(kernel) ||
         request.view.page == state::TimingPage::Ladder ||
         std::ranges::find(request.kernels, kernel) != request.kernels.end();
}

Scale::Scale(const ChartRequest& request, const timing::DataSet& data)
    : unit_(request.view.unit),
      data_(data),
      peak_(&data == request.datasets.front() ? request.gpu.peak_gflops
                                              : gpu_model(data.provenance).peak_gflops) {}

double Scale::factor(Problem problem) const {
  switch (unit_) {
    case SpeedUnit::Gflops:
      return 1.0;
    case SpeedUnit::OfCublas: {
      const double whole = cublas_gflops(data_, problem);
      return whole > 0.0 ? 100.0 / whole : 0.0;
    }
    case SpeedUnit::OfPeak:
      return peak_ > 0.0 ? 100.0 / peak_ : 0.0;
  }
  return 1.0;
}

Mark measured_mark(const timing::Point& point, double x, double factor) {
  Mark mark;
  mark.x = x;
  mark.point = &point;
  mark.block_size = point.block_size;
  mark.statistics = point.samples_ms.statistics();
  mark.gflops = timing::gflops(point, mark.statistics.median_ms);
  mark.y = factor * mark.gflops;
  mark.below = mark.y - factor * timing::gflops(point, mark.statistics.q3_ms);
  mark.above = factor * timing::gflops(point, mark.statistics.q1_ms) - mark.y;
  return mark;
}

std::string chart_title(const ChartRequest& request, const std::string& kernel) {
  if (const timing::CublasSeries* const cublas = timing::find_cublas(kernel)) {
    return cublas->title.english;
  }
  const auto found = std::ranges::find(request.names, kernel, &KernelName::id);
  return found == request.names.end() ? kernel : found->title;
}

void set_style(const ChartRequest& request, const std::string& kernel, Curve& curve) {
  const auto found = std::ranges::find(request.names, kernel, &KernelName::id);
  const std::string family = found == request.names.end() ? std::string() : found->family;
  curve.family = static_cast<std::size_t>(std::ranges::find(request.families, family) -
                                          request.families.begin());
  curve.style = static_cast<std::size_t>(std::count_if(
      request.names.begin(), found, [&](const KernelName& name) { return name.family == family; }));
  curve.is_wrong = found != request.names.end() && found->is_wrong;
  if (const timing::CublasSeries* const cublas = timing::find_cublas(kernel)) {
    curve.style = static_cast<std::size_t>(cublas - timing::cublas_series().data());
  }
}

Curve new_curve(const ChartRequest& request, std::size_t dataset, const std::string& kernel) {
  const timing::DataSet& data = *request.datasets[dataset];
  Curve curve;
  curve.kernel = kernel;
  curve.dataset = data.name;
  curve.english = chart_title(request, kernel);
  curve.name = tr(curve.english.c_str());
  curve.is_overlay = dataset > 0;
  if (curve.is_overlay) {
    curve.name += " · " + data.name;
    curve.english += " · " + data.name;
  }
  curve.role = is_library(kernel) ? Role::Library : Role::Measured;
  set_style(request, kernel, curve);
  return curve;
}

namespace {

std::vector<double> even_steps(const Axis& axis) {
  const double rough = (axis.high - axis.low) / 6.0;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  const double step = decade * (rough > 5 * decade   ? 10.0
                                : rough > 2 * decade ? 5.0
                                : rough > decade     ? 2.0
                                                     : 1.0);
  std::vector<double> ticks;
  for (double k = std::ceil(axis.low / step); k * step <= axis.high; ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

std::vector<double> decades(const Axis& axis) {
  std::vector<double> ticks;
  for (double decade = std::pow(10.0, std::floor(std::log10(axis.low))); decade <= axis.high;
       decade *= 10.0) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      ticks.push_back(digit * decade);
    }
  }
  std::erase_if(ticks, [&](double t) { return t < axis.low || t > axis.high; });
  return ticks;
}

}  // namespace

std::string tick_text(const Axis& axis, double tick) {
  if (!axis.name_of_last.empty() && !axis.ticks.empty() && tick == axis.ticks.back()) {
    return axis.name_of_last;
  }
  const double value = tick / axis.divisor;
  const bool is_speed = axis.ticks.empty();  // sizes are written without a comma
  return is_speed && value >= 1000.0 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                                     : fmt::format("{:g}", value);
}

std::string speed_text(const Axis& axis, double speed) {
  const double value = speed / axis.divisor;
  return value >= 1000.0  ? grouped(static_cast<std::uint64_t>(std::llround(value)))
         : value >= 100.0 ? fmt::format("{:.0f}", value)
                          : fmt::format("{:.1f}", value);
}

std::vector<double> ticks_of(const Axis& axis) {
  if (!axis.ticks.empty()) {
    return axis.ticks;
  }
  constexpr std::size_t kFewest = 3;
  std::vector<double> ticks = axis.is_log ? decades(axis) : even_steps(axis);
  return ticks.size() < kFewest ? even_steps(axis) : ticks;
}

namespace {

constexpr double kExactPower = 1e-6;

// If ticks are closer (by their logarithm) than a name is wide, one remains: a power of two.
void part_ticks(std::vector<double>& ticks, double width) {
  const auto is_power = [](double tick) {
    return std::fabs(std::remainder(std::log2(tick), 1.0)) < kExactPower;
  };
  std::vector<double> parted;
  for (const double tick : ticks) {
    if (parted.empty() || std::log(tick / parted.back()) >= width) {
      parted.push_back(tick);
    } else if (is_power(tick) && !is_power(parted.back())) {
      parted.back() = tick;
    }
  }
  ticks = std::move(parted);
}

}  // namespace

std::vector<double> ticks_with_room(const Axis& wanted, double most) {
  std::vector<double> ticks = ticks_of(wanted);
  if (static_cast<double>(ticks.size()) > most && wanted.is_log && wanted.ticks.empty()) {
    std::erase_if(ticks, [](double tick) {
      return std::fabs(std::remainder(std::log10(tick), 1.0)) > kExactPower;
    });
  }
  if (wanted.is_log && !wanted.ticks.empty()) {
    part_ticks(ticks, std::log(wanted.high / wanted.low) / most);
  }
  while (ticks.size() > 2 && static_cast<double>(ticks.size()) > most) {
    std::size_t at = 0;
    std::erase_if(ticks, [&at](double) { return at++ % 2 == 1; });
  }
  return ticks;
}

void name_ends(const ChartRequest& request, Chart& chart) {
  const bool of_cublas = request.view.unit == SpeedUnit::Gflops && !request.datasets.empty();
  for (Curve& curve : chart.curves) {
    if (curve.marks.empty()) {
      continue;
    }
    const Mark& last = curve.marks.back();
    const double cublas =
        of_cublas && last.point != nullptr && !is_library(curve.kernel) && !curve.is_overlay
            ? cublas_gflops(*request.datasets.front(), last.point->problem)
            : 0.0;
    curve.end = cublas > 0.0 ? fmt::format("{:.1f}%", 100.0 * last.gflops / cublas)
                             : speed_text(chart.y, last.y);
  }
}

// Overlapping labels form a block, whose middle is the mean of their desired positions; blocks that
// touch are joined.
std::vector<double> spread_labels(const std::vector<double>& wanted, double height, double top,
                                  double bottom) {
  struct Block {
    double sum = 0.0;  // of the desired positions of its first label, one from each of its labels
    double count = 0.0;
    double first = 0.0;
  };
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  const auto settle = [&](Block& block) {
    const double last_of_bottom = bottom - height * (block.count - 0.5);
    block.first = std::max(top + height / 2, std::min(block.sum / block.count, last_of_bottom));
  };
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    blocks.push_back({wanted[i], 1.0, 0.0});
    settle(blocks.back());
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      if (before.first + height * before.count <= last.first) {
        break;
      }
      before.sum += last.sum - height * before.count * last.count;
      before.count += last.count;
      settle(before);
      blocks.pop_back();
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t at = 0;
  for (const Block& block : blocks) {
    for (double k = 0.0; k < block.count; ++k) {
      places[order[at++]] = block.first + height * k;
    }
  }
  return places;
}

// The curves that were not measured: the model's, the user's expectation, the GPU's peak.

void add_prediction(const ChartRequest& request, Problem problem, Chart& chart) {
  const std::string& kernel = request.predicted_kernel;
  const double factor = factor_of(request, problem);
  if (kernel.empty() || factor == 0.0 || !request.predicted_gpu().is_known() ||
      request.view.guess.hides(kernel)) {
    return;
  }
  Curve curve;
  curve.kernel = kernel;
  const std::string title = chart_title(request, kernel);
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
