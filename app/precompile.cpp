// tilestep_precompile KERNELS OUT: fills the compile cache that the program ships.
//
// It loads every catalog kernel as the program does, for the launches of problem::shipped_launches
// and in both builds, with OUT as the cache. A machine without NVIDIA's compiler then finds what it
// needs (the probes of shared arrays included). Kernels with tiles of their own take NVIDIA's
// assembler up to a second, so their machine code for the GPU of the shipped timings is cached too.
// Launches with the same code are compiled once.
#include "compile/compiler.h"
#include "loading/loader.h"
#include "problem/describe/catalog.h"

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

// The GPU of assets/timings.
constexpr int kArchitecture = 90;

struct Job {
  problem::Launch launch;
  compile::Build build = compile::Build::Step;
  bool machine_code = false;
};

// All kernels, and the variations that are in best_by_size.
std::vector<const problem::LaunchSpec*> shipped(const problem::Catalog& catalog) {
  std::vector<const problem::LaunchSpec*> all;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    all.push_back(&spec);
  }
  for (const problem::LaunchSpec& spec : catalog.candidates) {
    if (std::ranges::count(catalog.best.winners, spec.id, &problem::Winner::kernel) > 0) {
      all.push_back(&spec);
    }
  }
  return all;
}

std::vector<Job> jobs_for(const problem::Catalog& catalog) {
  std::vector<Job> jobs;
  std::set<std::string> keys;
  for (const problem::LaunchSpec* const one : shipped(catalog)) {
    const problem::LaunchSpec& spec = *one;
    for (const problem::Launch& launch : problem::shipped_launches(catalog, spec)) {
      for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
        if (keys.insert(compile::cache_key(compile::make_request(launch, build))).second) {
          jobs.push_back({launch, build});
        }
      }
      const auto cubin = compile::make_cubin_request(launch, kArchitecture);
      if (!spec.uses_block_size && keys.insert(compile::cache_key(cubin)).second) {
        jobs.push_back({launch, compile::Build::Fast, true});
      }
    }
  }
  return jobs;
}

// The error; empty: none.
std::string run(const Job& job, compile::Compiler& compiler) {
  if (job.machine_code) {
    const auto output = compiler.compile(compile::make_cubin_request(job.launch, kArchitecture));
    return !output ? output.error().message : output->ok() ? "" : output->log;
  }
  const auto kernel = loading::load_kernel(compiler, job.launch, job.build);
  return kernel ? kernel->note : kernel.error().error.message;
}

// Returns the first error; empty: none.
std::string run(const std::vector<Job>& jobs, compile::Compiler& compiler) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const std::string message = run(jobs[i], compiler);
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
  threads.clear();  // joins the threads
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
