// Launches counted by a GPU's own counters: recorded with scripts/record_counters.py, shown next to
// the emulator's counts (docs/reports/counters.md).
#pragma once

#include "problem/problem.h"
#include "problem/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::timing {

struct CountedLaunch {
  std::string kernel;  // catalog id
  problem::Problem problem;
  int block_size = 0;
  std::uint64_t global_load_requests = 0, global_load_sectors = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0;
  std::uint64_t shared_load_instructions = 0, shared_load_wavefronts = 0;
  std::uint64_t shared_store_instructions = 0, shared_store_wavefronts = 0;
  std::uint64_t thread_ffma = 0;        // multiply-adds of single threads
  std::uint64_t warp_instructions = 0;  // of the machine code
  // Counts of the same launch in other runs, if the hardware's counts do not repeat.
  std::vector<std::uint64_t> shared_load_wavefronts_again, shared_store_wavefronts_again;
};

struct CounterSet {
  std::string name;  // file stem
  std::string gpu, driver, date, method;
  std::vector<CountedLaunch> launches;

  // Null: not recorded.
  [[nodiscard]] const CountedLaunch* find(const std::string& kernel, problem::Problem problem,
                                          int block_size) const;
  [[nodiscard]] std::vector<problem::Problem> problems(const std::string& kernel) const;
};

// Errors name the file and what is wrong in it. The set has no name yet.
[[nodiscard]] Result<CounterSet> parse_counter_set(const std::string& json,
                                                   const std::string& name);
[[nodiscard]] Result<CounterSet> load_counter_set(const std::filesystem::path& file);

}  // namespace tilestep::timing
