// How far predictions are from what was measured (docs/insight.md, "Prediction").
//
//   prediction_error DATASET.json SIZE KERNEL… > points.csv
//
// Counts every measured launch of the kernels at that size, predicts it, and writes both with the
// bounds, one launch a line; the errors' median, ninth decile and worst go to stderr.
#include "analysis/prediction.h"
#include "data.h"
#include "folders.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tilestep {
namespace {

constexpr std::array kResources = {analysis::Resource::Issue, analysis::Resource::Latency,
                                   analysis::Resource::SharedMemory, analysis::Resource::L2,
                                   analysis::Resource::Dram};

double bound(const analysis::Prediction& prediction, analysis::Resource resource) {
  const auto found = std::find_if(prediction.bounds.begin(), prediction.bounds.end(),
                                  [&](const analysis::Bound& b) { return b.resource == resource; });
  return found == prediction.bounds.end() ? 0.0 : found->ms;
}

// The error, as a share of what was measured.
double print_point(const timing::Point& point, const analysis::Prediction& prediction) {
  const double measured = point.samples_ms.statistics().median_ms;
  fmt::print("{},{},{},{:.6g},{:.6g}", point.kernel, point.problem.M, point.block_size, measured,
             prediction.ms);
  for (const analysis::Resource resource : kResources) {
    fmt::print(",{:.6g}", bound(prediction, resource));
  }
  fmt::print("\n");
  return prediction.ms / measured - 1.0;
}

void summarise(std::vector<double> errors) {
  if (errors.empty()) {
    return;
  }
  std::sort(errors.begin(), errors.end(),
            [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const auto at = [&](double share) {
    return 100.0 *
           std::fabs(
               errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))]);
  };
  fmt::print(stderr, "{} launches: median {:.1f} %, nine of ten within {:.1f} %, worst {:+.1f} %\n",
             errors.size(), at(0.5), at(0.9), 100.0 * errors.back());
}

int run(const char* file, int size, const std::vector<std::string>& kernels) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto read = read_launches(file);
  if (!read) {
    return 2;
  }
  const auto& [catalog, data] = *read;
  const analysis::GpuModel gpu = analysis::gpu_model(data.provenance);
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  const std::atomic<bool> cancel{false};
  std::vector<double> errors;
  fmt::print("kernel,size,block_size,measured_ms,predicted_ms,issue,latency,shared,l2,dram\n");
  for (const timing::Point& point : data.points) {
    const bool wanted = point.problem == problem::Problem{size, size, size} && point.verified &&
                        std::find(kernels.begin(), kernels.end(), point.kernel) != kernels.end();
    if (!wanted || point.samples_ms.empty()) {
      continue;
    }
    const auto facts =
        workspace::count_launch({point.kernel, {point.problem, point.block_size}, gpu.architecture},
                                catalog, {compiler, cancel});
    if (facts && facts->why_not.empty()) {
      errors.push_back(print_point(point, analysis::predict(*facts, gpu)));
    }
  }
  summarise(std::move(errors));
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  int size = 0;
  if (argc < 4 ||
      std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), size).ec != std::errc() ||
      size < 1) {
    std::fputs("prediction_error DATASET.json SIZE KERNEL…\n", stderr);
    return 2;
  }
  return tilestep::run(argv[1], size, {argv + 3, argv + argc});
}
