// Predicted time of a launch, from counts alone: a small analytic model, described in
// docs/insight/model.md, with its error against measurements.
//
// Every resource gives a lower bound: its busy time if it never waits. The SM with the most blocks
// decides (whole waves and the tail). Latency is one more bound: the time that a warp takes alone,
// or a block whose warps go from barrier to barrier together. The prediction is a root of the sum
// of their powers, and a launch's own time.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::analysis {

// Clocks until a load from global memory that hits in L2 is complete: measured on an H100.
inline constexpr double kClocksOfL2 = 285.0;
// Issue slots that the four schedulers of an SM use per clock: fitted to one half of an H200's
// kernels (docs/insight/model.md).
inline constexpr double kSlotsInAClock = 3.65;

enum class Resource { Issue, TensorCores, Latency, SharedMemory, L2, Dram };

struct Bound {
  Resource resource = Resource::Issue;
  double ms = 0.0;
};

struct Prediction {
  double ms = 0.0;
  // Longest first. Exception: if a block is alone on its SM, latency is after the pipe whose time
  // it is.
  std::vector<Bound> bounds;
  double waves = 0.0;    // blocks / blocks that the GPU holds at once
  int blocks_of_sm = 0;  // at once
  std::uint64_t blocks_of_busiest_sm = 0;
  double balance = 1.0;  // average blocks of an SM / those of the busiest: 1 is no tail

  [[nodiscard]] Resource binding() const { return bounds.front().resource; }
};

// Precondition: facts.why_not is empty and gpu.is_known().
[[nodiscard]] Prediction predict(const LaunchFacts& facts, const GpuModel& gpu);

// The model's inputs from a launch, as independent numbers, so that each can be that of another
// launch (compare_points.h).
struct Terms {
  double multiply_adds = 1.0;
  double least_bytes = 0.0;  // of A, B and C
  // For each multiply-add, if all lanes of the warps worked.
  double warp_instructions = 0.0;
  double port_waits = 0.0;        // issue slots that products lose while they read registers
  double matrix_products = 0.0;   // by tensor cores
  double warpgroup_clocks = 0.0;  // of a scheduler's tensor core, for wgmma
  double lone_clocks = 0.0;       // of a warp alone, if global memory took no time
  double memory_waits = 0.0;
  double shared_passes = 0.0;
  double global_passes = 0.0;
  double barriers = 0.0;           // that warps pass
  double dram_waits = 0.0;         // share of memory_waits that DRAM ends, not L2
  double l1_waits = 0.0;           // share that L1 ends, because the block has read the sector
                                   // before
  double l2_sectors = 0.0;         // for each multiply-add
  double bytes_again = 0.0;        // for each multiply-add: bytes that L2 has lost and DRAM
                                   // transfers again
  double working_lanes = 1.0;      // share of the lanes, over all executed instructions
  double resident_warps = 1.0;     // per SM
  double warps_in_step = 0.0;      // share of those that barriers keep together; 0: no barriers
  double busiest_scheduler = 1.0;  // warps of a block on it / on the average scheduler
  double balance = 1.0;            // as in Prediction
  double filled_rounds = 1.0;      // blocks of the busiest SM / those of as many full rounds
  double heaviest_warp = 1.0;      // of a block / the average one, if warps run independently

  friend bool operator==(const Terms&, const Terms&) = default;
};

// Preconditions as for predict().
[[nodiscard]] Terms terms_of(const LaunchFacts& facts, const GpuModel& gpu);
// The time of a launch with these terms: equals predict().ms up to rounding.
[[nodiscard]] double predicted_ms(const Terms& terms, const GpuModel& gpu);

// The distance of a curve, drawn before it was shown, from the measured one. Pure.

struct GuessVerdict {
  int compared = 0;       // points that were drawn and measured
  int block_size = 0;     // of the largest miss, as a ratio
  double drawn = 0.0;     // at the largest miss, GFLOP/s
  double measured = 0.0;  // at the largest miss, GFLOP/s
  double median = 1.0;    // of the misses, as ratios of at least 1
  std::string sentence;   // the largest miss, then the others
};

[[nodiscard]] GuessVerdict judge(const state::GuessView& guess, const timing::DataSet& data,
                                 problem::Problem problem);

}  // namespace tilestep::analysis
