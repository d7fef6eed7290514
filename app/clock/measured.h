// Launches whose clocks and warp states Nsight Compute measured (assets/clock/h200_launches.json).
#pragma once

#include "clock/sm.h"
#include "problem/problem.h"
#include "problem/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::clock {

struct MeasuredLaunch {
  std::string kernel;
  problem::Problem problem;
  int block_size = 0;  // 0: the kernel has none
  std::int64_t blocks = 0;
  std::int64_t clocks_busiest = 0;  // of the SM that worked longest
  std::int64_t clocks_mean = 0;     // of all SMs
  std::int64_t instructions = 0;
  std::array<double, kWarpStates> states{};  // clocks per instruction, by WarpState
};

// One wave with the matrices in L2.
struct MeasuredWave {
  std::string kernel;
  int block_size = 0;
  int K = 0;
  std::vector<std::pair<int, std::int64_t>> clocks;  // by blocks at once, ascending
};

struct MeasuredLaunches {
  std::string gpu;
  std::string date;
  std::vector<std::string> fitted;  // kernels that were used to fit the model
  std::vector<MeasuredLaunch> launches;
  std::vector<MeasuredWave> waves;

  // Null: not measured.
  [[nodiscard]] const MeasuredWave* find_wave(const std::string& kernel, int block_size,
                                              int K) const;
  // Null: not measured.
  [[nodiscard]] const MeasuredLaunch* find(const std::string& kernel, const problem::Problem& size,
                                           int block_size) const;
};

[[nodiscard]] Result<MeasuredLaunches> load_measured_launches(const std::filesystem::path& file);
// The launches that ship, in a folder of tables; fails if `gpu` is not the GPU that they ran on.
[[nodiscard]] Result<MeasuredLaunches> load_measured_launches(const std::filesystem::path& folder,
                                                              const std::string& gpu);

}  // namespace tilestep::clock
