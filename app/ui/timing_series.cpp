#include "ui/timing_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tilestep::ui {
namespace {

constexpr int kWarpSize = 32;

SeriesPoint summarise(const timing::Point& point) {
  SeriesPoint s;
  s.point = &point;
  s.statistics = timing::statistics(point.samples_ms);
  s.gflops = timing::gflops(point.problem, s.statistics.median_ms);
  s.below = s.gflops - timing::gflops(point.problem, s.statistics.q3_ms);
  s.above = timing::gflops(point.problem, s.statistics.q1_ms) - s.gflops;
  return s;
}

bool is_square(const timing::Point& point, int size) {
  return point.problem == problem::Problem{size, size, size};
}

}  // namespace

TimingPlot make_plot(const timing::DataSet& data, int size) {
  TimingPlot plot;
  for (const std::string& kernel : data.kernels()) {
    Series series{kernel, {}};
    for (const timing::Point& point : data.points) {
      if (point.kernel != kernel || !is_square(point, size) || point.samples_ms.empty()) {
        continue;
      }
      if (kernel == timing::kCublas) {
        plot.cublas = summarise(point);
      } else if (kernel == timing::kCublasTf32) {
        plot.cublas_tf32 = summarise(point);
      } else {
        series.points.push_back(summarise(point));
      }
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const SeriesPoint& a, const SeriesPoint& b) {
                return a.point->block_size < b.point->block_size;
              });
    if (!series.points.empty()) {
      plot.kernels.push_back(std::move(series));
    }
  }
  return plot;
}

const timing::DataSet* find_dataset(const std::vector<timing::DataSet>& datasets,
                                    const std::string& name) {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [&name](const timing::DataSet& d) { return d.name == name; });
  if (found != datasets.end()) {
    return &*found;
  }
  return datasets.empty() ? nullptr : &datasets.front();
}

int nearest_size(const timing::DataSet& data, int wanted) {
  int nearest = 0;
  for (const int size : data.square_sizes()) {
    if (nearest == 0 || std::abs(size - wanted) < std::abs(nearest - wanted)) {
      nearest = size;
    }
  }
  return nearest;
}

std::vector<Remark> remarks(const timing::Point& point) {
  std::vector<Remark> all;
  if (point.block_size <= 0) {
    return all;
  }
  const int threads = point.block_size * point.block_size;
  const int warps = (threads + kWarpSize - 1) / kWarpSize;
  const int idle = warps * kWarpSize - threads;
  all.push_back({idle == 0, "threads a block",
                 idle == 0 ? fmt::format("{} = {} full warp{}, no idle lane", threads, warps,
                                         warps == 1 ? "" : "s")
                           : fmt::format("{} in {} warp{}: {} of {} lanes idle", threads, warps,
                                         warps == 1 ? "" : "s", idle, warps * kWarpSize)});
  const int rest = point.problem.N % point.block_size;
  all.push_back({rest == 0, "edge",
                 rest == 0 ? fmt::format("{} is {} whole tiles", point.problem.N,
                                         point.problem.N / point.block_size)
                           : fmt::format("{} is {:.2f} tiles: {:.0f} % of the last is padding",
                                         point.problem.N,
                                         static_cast<double>(point.problem.N) / point.block_size,
                                         100.0 * (point.block_size - rest) / point.block_size)});
  if (point.registers > 0) {
    all.push_back({true, "registers", fmt::format("{} a thread", point.registers)});
  }
  if (point.shared_bytes > 0) {
    all.push_back({true, "shared memory", fmt::format("{} bytes a block", point.shared_bytes)});
  }
  return all;
}

}  // namespace tilestep::ui
