// How long a launch should take, from counts alone: a small analytic model, stated in
// docs/insight/model.md, with its error against what was measured.
//
// Every resource gives a lower bound: the time it is busy if it never waits. The SM that has the
// most blocks decides (whole waves and the tail). Latency is one more: the time that a warp, or a
// block whose warps go from barrier to barrier together, takes alone. The prediction is a root of
// the sum of their powers, and a launch's own time.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::analysis {

// Clocks until a load from global memory is there that L2 has: measured on an H100.
inline constexpr double kClocksOfL2 = 285.0;
// Issue slots that the four schedulers of an SM use in a clock: fitted to one half of an H200's
// kernels (docs/insight/model.md).
inline constexpr double kSlotsInAClock = 3.65;

enum class Resource { Issue, TensorCores, Latency, SharedMemory, L2, Dram };

struct Bound {
  Resource resource = Resource::Issue;
  double ms = 0.0;
};

struct Prediction {
  double ms = 0.0;
  // Longest first; but latency behind the pipe that it is the time on, where a block is alone.
  std::vector<Bound> bounds;
  double waves = 0.0;    // blocks / blocks that the GPU holds at once
  int blocks_of_sm = 0;  // at once
  std::uint64_t blocks_of_busiest_sm = 0;
  double balance = 1.0;  // average blocks of an SM / those of the busiest: 1 is no tail

  [[nodiscard]] Resource binding() const { return bounds.front().resource; }
};

// Precondition: facts.why_not is empty and gpu.is_known().
[[nodiscard]] Prediction predict(const LaunchFacts& facts, const GpuModel& gpu);

// All that the model takes of a launch, as numbers that do not depend on each other, so that each
// can be that of another launch (compare_points.h).
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
  double dram_waits = 0.0;         // of those waits the share that DRAM ends, not L2
  double l1_waits = 0.0;           // and L1, because the block has read the sector before
  double l2_sectors = 0.0;         // for each multiply-add
  double bytes_again = 0.0;        // likewise: that L2 has lost and DRAM gives once more
  double working_lanes = 1.0;      // share of the lanes, over all executed instructions
  double resident_warps = 1.0;     // of an SM
  double warps_in_step = 0.0;      // share of those that barriers keep together; 0: no barriers
  double busiest_scheduler = 1.0;  // warps of a block that it has / that the average one has
  double balance = 1.0;            // as in Prediction
  double filled_rounds = 1.0;      // blocks of the busiest SM / those of as many full rounds
  double heaviest_warp = 1.0;      // of a block / the average one, where each goes its own way

  friend bool operator==(const Terms&, const Terms&) = default;
};

// Preconditions as of predict().
[[nodiscard]] Terms terms_of(const LaunchFacts& facts, const GpuModel& gpu);
// The time of a launch that has these terms: predict().ms, but for rounding.
[[nodiscard]] double predicted_ms(const Terms& terms, const GpuModel& gpu);

// How far a curve that was drawn before it was seen is from the measured one. Pure.

struct GuessVerdict {
  int compared = 0;       // points that were drawn and measured
  int block_size = 0;     // of the largest miss, as a ratio
  double drawn = 0.0;     // there, GFLOP/s
  double measured = 0.0;  // likewise
  double median = 1.0;    // of the misses, as ratios of 1 or more
  std::string sentence;   // the largest miss, then the others
};

[[nodiscard]] GuessVerdict judge(const state::GuessView& guess, const timing::DataSet& data,
                                 problem::Problem problem);

}  // namespace tilestep::analysis
