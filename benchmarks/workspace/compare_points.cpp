// The number of neighboring points of a data set whose ratio the model explains
// (docs/insight/model.md, "Two points").
//
//   benchmark_compare_points DATASET.json ANSWERS [SIZE] > pairs.csv
//
// Visits the measured BLOCK_SIZEs of every kernel at every problem size (or only at SIZE), compares
// each with the next, and writes one pair per line. The number of pairs with a rest of at most 10 %
// is printed to stderr, by size and by kernel. Counts are kept in the folder ANSWERS for reuse.
#include "analysis/compare_points.h"

#include "analysis/words.h"
#include "data.h"
#include "folders.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tilestep {
namespace {

struct Walked {
  analysis::LaunchFacts facts;
  double measured_ms = 0.0;
};
// By kernel and problem size, then by BLOCK_SIZE.
using Curves = std::map<std::pair<std::string, std::string>, std::map<int, Walked>>;

struct Tally {
  int pairs = 0;
  int explained = 0;
};

Curves count_all(const timing::DataSet& data, const problem::Catalog& catalog, int size,
                 int architecture, const workspace::CountTools& tools) {
  Curves curves;
  for (const timing::Point& point : data.points) {
    const problem::Problem& p = point.problem;
    const bool wanted = size == 0 || p == problem::Problem{size, size, size};
    if (!wanted || point.block_size < 1 || point.samples_ms.empty() || !point.verified) {
      continue;
    }
    auto facts = workspace::count_launch({point.kernel, {p, point.block_size}, architecture},
                                         catalog, tools);
    if (facts && facts->why_not.empty()) {
      curves[{point.kernel, fmt::format("{}x{}x{}", p.M, p.N, p.K)}][point.block_size] = {
          std::move(*facts), point.samples_ms.statistics().median_ms};
    }
  }
  return curves;
}

void print_pair(const std::string& size, const Walked& a, const Walked& b,
                const analysis::Comparison& c) {
  fmt::print("{},{},{},{},{:.6g},{:.6g},{:.4f},{:.4f}", a.facts.kernel, size,
             a.facts.parameters.block_size, b.facts.parameters.block_size, a.measured_ms,
             b.measured_ms, c.predicted, c.rest);
  for (const auto& word : kWords<analysis::Cause>) {
    double ratio = 1.0;
    for (const analysis::Factor& factor : c.factors) {
      ratio = factor.cause == word.value ? factor.ratio : ratio;
    }
    fmt::print(",{:.4f}", ratio);
  }
  fmt::print("\n");
}

void print_tallies(const std::map<std::string, Tally>& tallies) {
  for (const auto& [name, tally] : tallies) {
    fmt::print(stderr, "{:<30} {:>5} of {:>5} pairs explained, {:.1f}%\n", name, tally.explained,
               tally.pairs, 100.0 * tally.explained / tally.pairs);
  }
}

void walk(const Curves& curves, const analysis::GpuModel& gpu) {
  std::map<std::string, Tally> by_size;
  std::map<std::string, Tally> by_kernel;
  Tally all;
  for (const auto& [key, points] : curves) {
    for (auto a = points.begin(); a != points.end() && std::next(a) != points.end(); ++a) {
      const auto b = std::next(a);
      const analysis::Comparison c = analysis::compare_points(
          {std::to_string(a->first), &a->second.facts, gpu, a->second.measured_ms},
          {std::to_string(b->first), &b->second.facts, gpu, b->second.measured_ms});
      print_pair(key.second, a->second, b->second, c);
      for (Tally* tally : {&by_kernel[key.first], &by_size[key.second], &all}) {
        ++tally->pairs;
        tally->explained += c.explained ? 1 : 0;
      }
    }
  }
  print_tallies(by_kernel);
  print_tallies(by_size);
  print_tallies({{"all", all}});
}

int run(const char* file, const char* answers, int size) {
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
  fmt::print("kernel,size,block_size,other,measured_ms,other_ms,predicted,rest");
  for (const auto& word : kWords<analysis::Cause>) {
    fmt::print(",{}", word.file);
  }
  fmt::print("\n");
  walk(count_all(data, catalog, size, gpu.architecture, {compiler, cancel, &kept}), gpu);
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  int size = 0;
  if (argc == 4) {
    std::from_chars(argv[3], argv[3] + std::strlen(argv[3]), size);
  }
  if (argc < 3 || argc > 4 || (argc == 4 && size < 1)) {
    std::fputs("benchmark_compare_points DATASET.json ANSWERS [SIZE]\n", stderr);
    return 2;
  }
  return tilestep::run(argv[1], argv[2], size);
}
