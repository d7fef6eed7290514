#include "timing/dataset.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilestep::timing {

namespace {

// Quantile of sorted values, R type 7: linear between the two order statistics around
// (n - 1)·fraction.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = static_cast<double>(sorted.size() - 1) * fraction;
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Statistics statistics(const std::vector<double>& samples_ms) {
  Statistics result;
  if (samples_ms.empty()) {
    return result;
  }
  std::vector<double> sorted = samples_ms;
  std::sort(sorted.begin(), sorted.end());
  result.median_ms = quantile(sorted, 0.5);
  result.q1_ms = quantile(sorted, 0.25);
  result.q3_ms = quantile(sorted, 0.75);
  result.min_ms = sorted.front();
  result.max_ms = sorted.back();
  result.samples = sorted.size();
  return result;
}

double gflops(problem::Problem problem, double milliseconds) {
  if (!(milliseconds > 0.0)) {
    return 0.0;
  }
  return 2.0 * problem.M * problem.N * problem.K / (milliseconds * 1e6);
}

const Point* DataSet::find(const std::string& kernel, problem::Problem problem,
                           int block_size) const {
  const auto it = std::find_if(points.begin(), points.end(), [&](const Point& point) {
    return point.block_size == block_size && point.problem == problem && point.kernel == kernel;
  });
  return it == points.end() ? nullptr : &*it;
}

double DataSet::median_ms(const std::string& kernel, problem::Problem problem,
                          int block_size) const {
  const Point* const point = find(kernel, problem, block_size);
  return point == nullptr ? 0.0 : point->median_ms();
}

std::vector<int> DataSet::square_sizes() const {
  std::set<int> sizes;
  for (const Point& point : points) {
    if (point.problem.M == point.problem.N && point.problem.N == point.problem.K) {
      sizes.insert(point.problem.M);
    }
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<std::string> DataSet::kernels() const {
  std::vector<std::string> ids;
  bool cublas = false;
  for (const Point& point : points) {
    if (point.kernel == kCublas) {
      cublas = true;
    } else if (std::find(ids.begin(), ids.end(), point.kernel) == ids.end()) {
      ids.push_back(point.kernel);
    }
  }
  if (cublas) {
    ids.emplace_back(kCublas);
  }
  return ids;
}

}  // namespace tilestep::timing
