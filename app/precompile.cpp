// tilestep_precompile KERNELS OUT: fills the compile cache that the program ships.
//
// Every catalog kernel is loaded as the program would load it, for BLOCK_SIZE 1 to 32 and in both
// builds, with OUT as the cache; so a machine without NVIDIA's compiler finds whatever it asks for
// (the probes of shared arrays included). Kernels that are equal for two sizes are compiled once.
#include "compile/compiler.h"
#include "problem/catalog.h"
#include "ptx/loader.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilestep {
namespace {

constexpr int kLargestBlockSize = 32;

struct Job {
  problem::Launch launch;
  compile::Build build = compile::Build::Step;
};

// A launch for this BLOCK_SIZE, at the first of some sizes that the kernel allows.
Result<problem::Launch> any_launch(const problem::LaunchSpec& spec, int block_size) {
  const problem::Problem usual = spec.default_problem.value_or(problem::Problem{});
  Result<problem::Launch> launch = problem::evaluate_shape(spec, {usual, block_size});
  for (const int size : {block_size, 4 * block_size, 64 * block_size}) {
    if (!launch) {
      launch = problem::evaluate_shape(spec, {{size, size, size}, block_size});
    }
  }
  return launch;
}

std::vector<Job> jobs_for(const problem::Catalog& catalog) {
  std::vector<Job> jobs;
  std::set<std::string> keys;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    for (int block_size = 1; block_size <= kLargestBlockSize; ++block_size) {
      const Result<problem::Launch> launch = any_launch(spec, block_size);
      if (!launch) {
        fmt::print("BLOCK_SIZE {} left out: {}\n", block_size, launch.error().message);
        continue;
      }
      for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
        if (keys.insert(compile::cache_key(compile::make_request(*launch, build))).second) {
          jobs.push_back({*launch, build});
        }
      }
    }
  }
  return jobs;
}

// Returns what went wrong first; empty: nothing.
std::string run(const std::vector<Job>& jobs, compile::Compiler& compiler) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const auto kernel = ptx::load_kernel(compiler, jobs[i].launch, jobs[i].build);
      const std::string message = kernel ? kernel->note : kernel.error().error.message;
      const std::lock_guard lock(mutex);
      if (failure.empty() && !message.empty()) {
        failure = fmt::format("{}: {}", jobs[i].launch.entry, message);
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  threads.clear();  // joins
  return failure;
}

int precompile(const std::string& kernels, const std::string& out) {
  const Result<problem::Catalog> catalog = problem::load_catalog(kernels);
  if (!catalog) {
    fmt::print(stderr, "{}\n", catalog.error().message);
    return 2;
  }
  compile::CacheOptions cache;
  cache.directory = out;
  cache.max_bytes = std::numeric_limits<std::uint64_t>::max();
  compile::Compiler compiler(cache);
  if (const compile::NvrtcInfo nvrtc = compiler.nvrtc(); !nvrtc.found) {
    fmt::print(stderr,
               "{} Or configure with -DTILESTEP_PTX_CACHE=OFF to build without the "
               "catalog's PTX.\n",
               nvrtc.why_not);
    return 2;
  }
  const std::vector<Job> jobs = jobs_for(*catalog);
  const std::string failure = run(jobs, compiler);
  if (!failure.empty()) {
    fmt::print(stderr, "{}\n", failure);
    return 1;
  }
  fmt::print("{} kernels, {} builds\n", catalog->kernels.size(), jobs.size());
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tilestep_precompile KERNELS OUT\n");
    return 2;
  }
  return tilestep::precompile(argv[1], argv[2]);
}
