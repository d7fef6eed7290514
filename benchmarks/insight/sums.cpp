// The cost of following a block's sums, and the kinds of sums of a kernel.
//
//   benchmark_sums [N [BLOCK_SIZE [KERNEL…]]]
//
// Follows one block of every kernel at N×N×N (64), and prints: its sums and the places that hold
// them, the time to follow them, the time to query all of them for their value and their latest
// product (as a frame does), the time to write one of them out, and the growth of the largest
// resident set.
#include "catalog_launch.h"
#include "insight/trace/accumulators.h"
#include "simulated.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace tilestep {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// "1 acc", "16 acc", "1 t, lost y".
std::string kind(const insight::BlockSums& sums) {
  std::set<std::size_t> per_thread;
  std::set<std::string> lost;
  for (const insight::OwnedSum& sum : sums.sums()) {
    per_thread.insert(sums.of_thread(sum.thread).size());
    if (sum.compensation.kind != insight::SumHome::Kind::None) {
      lost.insert(sum.compensation.name);
    }
  }
  std::string text = per_thread.empty() ? "0" : fmt::format("{}", *per_thread.rbegin());
  text += " " + sums.common_name();
  for (const std::string& name : lost) {
    text += ", lost " + name;
  }
  return text;
}

void measure(test::Simulated& simulated, const problem::Launch& launch, const std::string& id) {
  auto recording = record::Recording::make(simulated.program(launch), {});
  if (!recording) {
    fmt::print("{:<36} {}\n", id, recording.error().message);
    return;
  }
  const double before = peak_mb();
  auto start = Clock::now();
  const insight::BlockSums sums(**recording, 0);
  const double follow = ms_since(start);
  const double grown = peak_mb() - before;
  const std::uint64_t middle = (*recording)->step_count() / 2;
  start = Clock::now();
  std::size_t latest = 0;
  for (std::size_t i = 0; i < sums.sums().size(); ++i) {
    latest += sums.now(i, middle).assigned && sums.latest(i, middle) ? 1U : 0U;
  }
  const double ask = ms_since(start);
  start = Clock::now();
  const auto terms =
      sums.sums().empty() ? std::nullopt : sums.accumulation(0, (*recording)->step_count());
  const double write = ms_since(start);
  fmt::print("{:<36} {:>5} sums  {:<16} {:>8.1f} ms {:>7.3f} ms {:>7.3f} ms {:>6.0f} MB  {}\n", id,
             sums.sums().size(), kind(sums), follow, ask, write, grown,
             terms ? terms->terms.size() : latest);
}

int run(int argc, char** argv) {
  int n = 64;
  int block_size = 0;
  if (argc > 1) {
    std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), n);
  }
  if (argc > 2) {
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), block_size);
  }
  const std::set<std::string> wanted(argv + std::min(argc, 3), argv + argc);
  test::Simulated simulated;
  fmt::print("{:<36} {:>10}  {:<16} {:>11} {:>10} {:>10} {:>9}  terms\n", "kernel", "", "a thread",
             "follow", "ask all", "write one", "memory");
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    if (!wanted.empty() && !wanted.contains(spec.id)) {
      continue;
    }
    const int size = block_size == 0 ? spec.default_block_size : block_size;
    const auto launch = problem::evaluate(spec, {{n, n, n}, size}, {});
    if (launch) {
      measure(simulated, *launch, spec.id);
    } else {
      fmt::print("{:<36} {}\n", spec.id, launch.error().message);
    }
  }
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  return tilestep::run(argc, argv);
}
