#include "analysis/chart_parts.h"

#include <algorithm>
#include <cmath>

namespace tilestep::analysis {

using problem::Problem;
using state::SpeedUnit;

namespace {

double cublas_gflops(const timing::DataSet& data, Problem problem) {
  const timing::Point* point = data.find(timing::kCublas, problem, 0);
  return point == nullptr || point->samples_ms.empty()
             ? 0.0
             : timing::gflops(problem, point->samples_ms.statistics().median_ms);
}

}  // namespace

bool is_library(const std::string& kernel) {
  return kernel == timing::kCublas || kernel == timing::kCublasTf32;
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
  if (kernel == timing::kCublas) {
    return "cuBLAS SGEMM";
  }
  if (kernel == timing::kCublasTf32) {
    return "cuBLAS, TF32 tensor cores";
  }
  const auto found = std::find_if(request.titles.begin(), request.titles.end(),
                                  [&](const auto& title) { return title.first == kernel; });
  return found == request.titles.end() ? kernel : found->second;
}

std::size_t style_of(const ChartRequest& request, const std::string& kernel) {
  const auto found = std::find_if(request.titles.begin(), request.titles.end(),
                                  [&](const auto& title) { return title.first == kernel; });
  return static_cast<std::size_t>(found - request.titles.begin());
}

Curve new_curve(const ChartRequest& request, std::size_t dataset, const std::string& kernel) {
  const timing::DataSet& data = *request.datasets[dataset];
  Curve curve;
  curve.kernel = kernel;
  curve.dataset = data.name;
  curve.name = title_of(request, kernel);
  curve.is_overlay = dataset > 0;
  if (curve.is_overlay) {
    curve.name += " · " + data.name;
  }
  curve.role = is_library(kernel) ? Role::Library : Role::Measured;
  curve.style = style_of(request, kernel);
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

std::vector<double> ticks_of(const Axis& axis) {
  if (!axis.ticks.empty()) {
    return axis.ticks;
  }
  constexpr std::size_t kFewest = 3;
  std::vector<double> ticks = axis.is_log ? decades(axis) : even_steps(axis);
  return ticks.size() < kFewest ? even_steps(axis) : ticks;
}

}  // namespace tilestep::analysis
