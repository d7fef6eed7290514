// The machine code that a warp of a launch executes, and how long it takes alone: the loops of the
// code (ptx/sass/loops.h), with the launch's counts as numbers of passes.
#pragma once

#include "insight/count/profile.h"
#include "ptx/sass/loops.h"

#include <optional>
#include <span>

namespace tilestep::insight {

// Counts of the average warp of a launch.
struct WarpCounts {
  double multiply_adds = 0.0;  // float32, of the whole warp
  double barriers = 0.0;
  double global_loads = 0.0;
  double shared_stores = 0.0;
  double matrix_products = 0.0;  // mma.sync
  // Clocks of a scheduler's tensor core for wgmma. It multiplies and adds 256 TF32 numbers in a
  // clock (NVIDIA H100 Tensor Core GPU Architecture: 1,024 an SM), so 16 rows of N by 8 take N / 2.
  double warpgroup_clocks = 0.0;
};
[[nodiscard]] WarpCounts warp_counts(const simt::Program& program, const Profile& profile);

struct WarpSchedule {
  double instructions = 0.0;
  double clocks = 0.0;  // alone, with loads from global memory free
  double waits = 0.0;   // for loads from global memory, one after the other
  // Products in the machine code: of float32, and of matrices by a tensor core.
  double products = 0.0;
  double matrix_products = 0.0;
  double register_reads = 0.0;    // of both (ptx/sass/sass.h)
  double even_reads = 0.0;        // of multiply-adds, from the bank of even registers
  double port_waits = 0.0;        // clocks that these reads take beyond one for each product
  double warpgroup_clocks = 0.0;  // as in WarpCounts
};

// The passes of each loop follow from the counts: for the innermost loop with the most
// multiply-adds from these (or from products of matrices, if a launch has some), for a loop around
// it from the remaining barriers, for a separate loop that only fills shared memory from stores.
// Code outside all loops is ignored. Empty if no loop multiplies and adds.
[[nodiscard]] std::optional<WarpSchedule> schedule_of(std::span<const ptx::SassLoop> loops,
                                                      const WarpCounts& counts);

// Instructions of the warp that executes most in a block of the most frequent class, relative to
// the average warp.
[[nodiscard]] double heaviest_warp(const simt::Program& program, const Profile& profile);

}  // namespace tilestep::insight
