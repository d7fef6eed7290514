#include "analysis/chart_parts.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "timing/cublas_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tilestep::analysis {

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
         std::find(request.kernels.begin(), request.kernels.end(), kernel) != request.kernels.end();
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
  mark.gflops = timing::gflops(point.problem, mark.statistics.median_ms);
  mark.y = factor * mark.gflops;
  mark.below = mark.y - factor * timing::gflops(point.problem, mark.statistics.q3_ms);
  mark.above = factor * timing::gflops(point.problem, mark.statistics.q1_ms) - mark.y;
  return mark;
}

std::string title_of(const ChartRequest& request, const std::string& kernel) {
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
  curve.english = title_of(request, kernel);
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

// Of those that are nearer than a name is wide (by their logarithm) one stays: a power of two.
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
    curve.end = cublas > 0.0 ? fmt::format("{:.1f} %", 100.0 * last.gflops / cublas)
                             : speed_text(chart.y, last.y);
  }
}

// Labels that would lie over each other form a block, whose middle is the mean of what its labels
// want; blocks that meet are joined.
std::vector<double> spread_labels(const std::vector<double>& wanted, double height, double top,
                                  double bottom) {
  struct Block {
    double sum = 0.0;  // of the places that its first label would like, by each of its labels
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

}  // namespace tilestep::analysis
