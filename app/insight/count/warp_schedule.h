// What a warp of a launch executes as machine code, and how long it would take alone: the loops of
// the code (ptx/sass/loops.h), as often as the launch's counts say.
#pragma once

#include "insight/count/profile.h"
#include "ptx/sass/loops.h"

#include <optional>
#include <span>

namespace tilestep::insight {

// Of the average warp of a launch.
struct WarpCounts {
  double multiply_adds = 0.0;  // float32, of the whole warp
  double barriers = 0.0;
  double global_loads = 0.0;
  double shared_stores = 0.0;
  double matrix_products = 0.0;  // mma.sync
  // Of the tensor core of a scheduler, for wgmma: it multiplies and adds 256 TF32 numbers in a
  // clock (NVIDIA H100 Tensor Core GPU Architecture: 1,024 an SM), so 16 rows of N by 8 take N / 2.
  double warpgroup_clocks = 0.0;
};
[[nodiscard]] WarpCounts warp_counts(const simt::Program& program, const Profile& profile);

struct WarpSchedule {
  double instructions = 0.0;
  double clocks = 0.0;  // alone, if loads from global memory took no time
  double waits = 0.0;   // for loads from global memory, one after the other
  // Of the machine code: of float32, and of matrices by a tensor core.
  double products = 0.0;
  double matrix_products = 0.0;
  double register_reads = 0.0;    // of both (ptx/sass/sass.h)
  double even_reads = 0.0;        // of multiply-adds, from the bank of even registers
  double port_waits = 0.0;        // clocks beyond one for each product that these reads take
  double warpgroup_clocks = 0.0;  // as in WarpCounts
};

// Passes of the innermost loop with most multiply-adds are counted by these (or by products of
// matrices, where a launch has some), of a loop around it by the barriers that are left, of one
// beside it that only fills shared memory by stores. What stands outside of all loops is left out.
// Nothing where no loop multiplies and adds.
[[nodiscard]] std::optional<WarpSchedule> schedule_of(std::span<const ptx::SassLoop> loops,
                                                      const WarpCounts& counts);

// The warp of a block that executes most, beside the average one, in the most frequent class.
[[nodiscard]] double heaviest_warp(const simt::Program& program, const Profile& profile);

}  // namespace tilestep::insight
