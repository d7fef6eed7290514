// Counts of one launch, for explanations: its cost, and its block's use of an SM.
#pragma once

#include "analysis/gpu_model.h"
#include "insight/count/cost.h"
#include "insight/count/warp_schedule.h"
#include "insight/occupancy/occupancy.h"
#include "problem/launch/launch.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::analysis {

inline constexpr double kSectorBytes = 32.0;      // of global memory
inline constexpr double kWavefrontBytes = 128.0;  // of a pass through shared memory

// The total cost of the accesses of one line to one memory.
struct LineAccesses {
  std::uint32_t line = 0;
  std::uint32_t target = insight::kOtherTarget;
  simt::AccessKind kind = simt::AccessKind::Load;
  std::uint64_t sectors = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t elements = 0;  // of all lanes

  friend bool operator==(const LineAccesses&, const LineAccesses&) = default;
};
// Ascending, by line first.
[[nodiscard]] std::vector<LineAccesses> by_line(std::span<const insight::AccessCost> accesses);

struct LaunchFacts {
  std::string kernel;  // catalog id
  problem::Parameters parameters;
  std::string edited_source;  // "": the kernel's own text
  std::string why_not;  // why there is no such launch, as a sentence; then the fields below are
                        // invalid
  double flops = 0.0;   // that the problem needs (problem::needed_flops)
  std::uint64_t blocks = 0;
  int threads = 0;           // per block
  bool is_estimate = false;  // counted from a sample of the blocks
  double error = 0.0;        // for an estimate: relative error of the counts
                             // (insight::Profile::error)
  insight::Cost cost;
  std::vector<LineAccesses> accesses;
  std::uint64_t barriers = 0;   // per block
  double heaviest_block = 1.0;  // its instructions / those of the average block
  // Averages per block, from a sample (insight/count/block_sample.h).
  double global_passes = 0.0;  // of global memory through the L1 cache
  double l2_sectors = 0.0;     // 32-byte sectors from behind it
  double loads_of_new = 0.0;   // share of a load's executions that access 64 bytes that are new
                               // to its warp
  // Of the average warp, from the loops of the machine code; without it, or without such loops,
  // from the PTX (insight/count/warp_schedule.h).
  insight::WarpSchedule schedule;
  double heaviest_warp = 1.0;  // of a block: its instructions / those of the average warp
  int architecture = 0;        // of `needs`, and of the machine code
  // Shared loads are counted with ptxas's widths (loading/prepare.h), not with those of the PTX.
  bool is_machine_code = false;
  // From the machine code for that architecture; empty if it cannot be made (no NVRTC).
  std::optional<insight::BlockNeeds> needs;
};

// Whether they were counted for that architecture; 0: any.
[[nodiscard]] bool are_for(const LaunchFacts& facts, int architecture);
// The facts for this kernel, these parameters, that architecture and text; null: not counted yet.
[[nodiscard]] const LaunchFacts* find_facts(std::span<const LaunchFacts> facts,
                                            const std::string& kernel,
                                            const problem::Parameters& parameters, int architecture,
                                            const std::string& edited_source = "");

// The few numbers of a launch that BLOCK_SIZE changes, each with its cause: for the row next to the
// slider.

enum class LaunchQuantity : std::uint8_t {
  Blocks,
  Loads,
  Sectors,
  Passes,
  IdleLanes,
  Waves,
  Speed
};

// Whether more of it is better; Neither for numbers without a cost of their own.
enum class Better : std::uint8_t { Neither, More, Less };

struct LaunchNumber {
  LaunchQuantity quantity = LaunchQuantity::Blocks;
  std::string name;  // "loads per element of A"
  std::string of;    // "A"; for timed numbers, the size
  double value = 0.0;
  Better better = Better::Neither;
  std::string cause;  // "289 threads in 10 warps of 32 lanes"

  // "1,024", "4.25", "9.4 %"
  [[nodiscard]] std::string text() const;
  // False: not measured.
  [[nodiscard]] bool is_known() const { return quantity != LaunchQuantity::Speed || value > 0.0; }
  friend bool operator==(const LaunchNumber&, const LaunchNumber&) = default;
};

struct NumberedLaunch {
  const problem::Launch* launch = nullptr;  // on stage
  const LaunchFacts* facts = nullptr;       // of the launch; null: not counted
  // The same kernel and BLOCK_SIZE at the size of the timings: waves and speed. Null: not counted.
  const LaunchFacts* timed = nullptr;
  std::optional<double> gflops;  // as measured; 0: not measured; empty: must not be shown
  problem::Problem measured;
  GpuModel gpu;
};
// The known numbers.
[[nodiscard]] std::vector<LaunchNumber> numbers_of(const NumberedLaunch& of);

}  // namespace tilestep::analysis
