// The error of predictions against measurements (docs/insight/model.md).
//
//   prediction_error DATASET.json ANSWERS [KERNEL…] > points.csv
//
// Counts every measured launch (of the named kernels), predicts it, and writes both with the
// bounds, one launch per line. The quartiles and the ninth decile of the errors are printed to
// stderr, by kernel, by size, and for kernels with and without BLOCK_SIZE: the latter are the rungs
// near cuBLAS. Counts are kept in the folder ANSWERS for reuse.
#include "analysis/prediction.h"
#include "analysis/words.h"
#include "data.h"
#include "folders.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace tilestep {
namespace {

// Relative errors by group.
using Errors = std::map<std::string, std::vector<double>>;

double bound(const analysis::Prediction& prediction, analysis::Resource resource) {
  const auto found = std::find_if(prediction.bounds.begin(), prediction.bounds.end(),
                                  [&](const analysis::Bound& b) { return b.resource == resource; });
  return found == prediction.bounds.end() ? 0.0 : found->ms;
}

void print_head() {
  fmt::print("kernel,M,N,K,block_size,measured_ms,predicted_ms");
  for (const auto& word : kWords<analysis::Resource>) {
    fmt::print(",{}", word.file);
  }
  fmt::print("\n");
}

// The error, as a share of the measurement.
double print_point(const timing::Point& point, const analysis::Prediction& prediction) {
  const double measured = point.samples_ms.statistics().median_ms;
  fmt::print("{},{},{},{},{},{:.6g},{:.6g}", point.kernel, point.problem.M, point.problem.N,
             point.problem.K, point.block_size, measured, prediction.ms);
  for (const auto& word : kWords<analysis::Resource>) {
    fmt::print(",{:.6g}", bound(prediction, word.value));
  }
  fmt::print("\n");
  return prediction.ms / measured - 1.0;
}

void print_errors(Errors all) {
  fmt::print(stderr, "{:<30} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "launches", "quarter", "median",
             "3/4", "9/10");
  for (auto& [whose, errors] : all) {
    std::ranges::sort(errors, {}, [](double error) { return std::fabs(error); });
    const auto at = [&errors = errors](double share) {
      const double place = share * static_cast<double>(errors.size() - 1);
      return 100.0 * std::fabs(errors[static_cast<std::size_t>(place)]);
    };
    fmt::print(stderr, "{:<30} {:>8} {:>6.1f}% {:>6.1f}% {:>6.1f}% {:>6.1f}%\n", whose,
               errors.size(), at(0.25), at(0.5), at(0.75), at(0.9));
  }
}

int run(const char* file, const char* answers, const std::vector<std::string>& kernels) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto read = read_launches(file);
  if (!read) {
    return 2;
  }
  const auto& [catalog, data] = *read;
  const analysis::GpuModel gpu = analysis::gpu_model(data.provenance);
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  workspace::KeptAnswers kept({answers, {}, std::numeric_limits<std::uint64_t>::max()});
  const std::atomic<bool> cancel{false};
  Errors by_kernel;
  Errors by_size;
  Errors by_group;
  print_head();
  for (const timing::Point& point : data.points) {
    const bool wanted =
        kernels.empty() || std::ranges::find(kernels, point.kernel) != kernels.end();
    if (!wanted || !point.verified || point.samples_ms.empty() ||
        catalog.find(point.kernel) == nullptr) {  // cuBLAS
      continue;
    }
    const auto facts =
        workspace::count_launch({point.kernel, {point.problem, point.block_size}, gpu.architecture},
                                catalog, {compiler, cancel, &kept});
    if (facts && facts->why_not.empty()) {
      const double error = print_point(point, analysis::predict(*facts, gpu));
      const problem::Problem& p = point.problem;
      const char* const group = point.block_size > 0 ? "with BLOCK_SIZE" : "without";
      by_kernel[point.kernel].push_back(error);
      by_size[fmt::format("{}x{}x{} {}", p.M, p.N, p.K, group)].push_back(error);
      by_group[group].push_back(error);
    }
  }
  print_errors(std::move(by_kernel));
  print_errors(std::move(by_size));
  print_errors(std::move(by_group));
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("prediction_error DATASET.json ANSWERS [KERNEL…]\n", stderr);
    return 2;
  }
  return tilestep::run(argv[1], argv[2], {argv + 3, argv + argc});
}
