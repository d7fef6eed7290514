// Occupancy: how many blocks of a launch an SM holds at once, and the limiting resource.
//
//   const Architecture* sm = find_architecture(90);
//   const Occupancy o = occupancy(needs_of(cubin_kernel, launch), *sm);
//   o.blocks, o.warps(), o.share()          8 blocks, 64 warps, 1.0
//   explain(o, *sm)                         "All 64 warps that an SM can hold are there."
//
// The formula is that of cuda_occupancy.h in the CUDA Toolkit (13.0), for kernels without a
// preferred split between shared memory and L1 cache: cudaOccupancyMaxActiveBlocksPerMultiprocessor
// computes the same. docs/insight/occupancy.md describes it.
#pragma once

#include "problem/launch/launch.h"
#include "problem/words.h"
#include "ptx/sass/sass.h"

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::insight {

// Limits of an SM of one compute capability. Sources: CUDA C++ Programming Guide 13.0, "Compute
// Capabilities", table "Technical Specifications per Compute Capability"; the CUDA C++ Core
// Libraries have the same numbers (cuda::arch_traits).
struct Architecture {
  int number = 0;               // 90: compute capability 9.0
  const char* name = "";        // "Hopper"
  int warps = 0;                // resident on an SM, at most
  int blocks = 0;               // resident on an SM, at most
  int shared_bytes = 0;         // per SM
  int shared_granularity = 0;   // bytes
  int reserved_bytes = 0;       // shared memory that the system reserves in every block
  std::optional<int> barriers;  // per SM, if limited (cuda_occupancy.h: from 9.0 on)

  // "9.0"
  [[nodiscard]] std::string version() const;
  // The maximum for one block, after opting in (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_…).
  [[nodiscard]] int shared_bytes_of_block() const { return shared_bytes - reserved_bytes; }
};

// Ascending.
[[nodiscard]] std::span<const Architecture> architectures();
[[nodiscard]] const Architecture* find_architecture(int number);  // null: not in the table

// Resources of one block.
struct BlockNeeds {
  int threads = 0;
  int registers = 0;     // per thread
  int shared_bytes = 0;  // static and dynamic
  int barriers = 1;      // numbers of bar.sync in use
  int max_threads = 0;   // from __launch_bounds__; 0: none
};
[[nodiscard]] BlockNeeds needs_of(const ptx::CubinKernel& kernel, const problem::Launch& launch);

enum class Limit { Warps, Registers, SharedMemory, Blocks, Barriers };
inline constexpr std::size_t kLimits = 5;

inline constexpr int kNoLimit = std::numeric_limits<int>::max();

struct Occupancy {
  BlockNeeds needs;
  int blocks = 0;                        // resident on an SM; 0: the launch cannot run
  std::array<int, kLimits> blocks_by{};  // what each Limit alone would allow, or kNoLimit
  int warps_of_block = 0;                // the last one may have idle lanes
  int registers_of_block = 0;            // allocated: by warp, rounded up
  int shared_of_block = 0;               // allocated: with the reserved bytes, rounded up
  int warps_of_sm = 0;                   // maximum

  // The limits that allow at most `blocks`.
  [[nodiscard]] std::vector<Limit> limiters() const;
  [[nodiscard]] int warps() const { return blocks * warps_of_block; }
  [[nodiscard]] double share() const { return static_cast<double>(warps()) / warps_of_sm; }
  [[nodiscard]] int idle_lanes() const { return 32 * warps_of_block - needs.threads; }
};

// Precondition: needs.threads > 0.
[[nodiscard]] Occupancy occupancy(const BlockNeeds& needs, const Architecture& sm);

// One sentence: the limiting resource, with the numbers; or why the launch cannot run, and the
// cure.
[[nodiscard]] std::string explain(const Occupancy& occupancy, const Architecture& sm);

}  // namespace tilestep::insight

namespace tilestep {

// Words for the limits on the blocks of an SM.

template <>
inline constexpr auto kWords<insight::Limit> = std::to_array<Word<insight::Limit>>(
    {{insight::Limit::Warps, "warps", "warps"},
     {insight::Limit::Registers, "registers", "registers"},
     {insight::Limit::SharedMemory, "shared memory", "shared memory"},
     {insight::Limit::Blocks, "blocks", "blocks"},
     {insight::Limit::Barriers, "barriers", "barriers"}});

}  // namespace tilestep
