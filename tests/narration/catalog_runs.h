// The catalog's kernels at a small size and at an odd one.
#pragma once

#include "catalog_launch.h"
#include "narrated.h"

#include <string>
#include <vector>

namespace tilestep::test {

struct CatalogRun {
  std::string name;  // "tiled_8x8x8_b4"
  problem::Launch launch;
  std::uint32_t thread = 0;  // the narrated one, if the block has so many
};

// Whether the kernel is narrated: of several tile sizes, only the one for the stage.
inline bool is_narrated(const problem::LaunchSpec& spec) {
  return spec.instance.empty() || spec.instance == "teaching";
}

inline std::vector<CatalogRun> catalog_runs() {
  struct Size {
    problem::Problem problem;
    int block;
  };
  const std::vector<Size> small{{{8, 8, 8}, 4}, {{8, 8, 8}, 2}, {{4, 4, 4}, 4}, {{3, 3, 3}, 3}};
  const std::vector<Size> odd{{{7, 5, 6}, 4}, {{6, 3, 9}, 3}, {{12, 4, 8}, 4},
                              {{5, 5, 5}, 5}, {{3, 2, 9}, 3}, {{7, 5, 6}, 2}};
  std::vector<CatalogRun> runs;
  for (const problem::LaunchSpec& spec : repository_catalog().kernels) {
    for (const std::vector<Size>& sizes : {small, odd}) {
      if (!is_narrated(spec)) {
        continue;
      }
      for (const Size& size : sizes) {
        const bool several =
            spec.id.starts_with("register_tile_1d") || spec.id == "register_tile_2d";
        const int block = several ? 2 : size.block;
        auto launch = problem::evaluate(spec, {size.problem, block}, {});
        if (!launch) {
          continue;
        }
        fill_small(*launch);
        const problem::Problem& p = size.problem;
        // At the odd sizes thread (2,1) has no element: two kernels are narrated with such a
        // thread.
        const bool without = spec.id == "tiled" || spec.id == "naive";
        std::uint32_t thread = &sizes == &small || without ? 6 : 4;
        if (spec.id.starts_with("warpgroup")) {  // one that multiplies, one that splits
          thread = &sizes == &small ? 128 : 32;
        }
        runs.push_back({spec.id + "_" + std::to_string(p.M) + "x" + std::to_string(p.N) + "x" +
                            std::to_string(p.K) + "_b" + std::to_string(block),
                        std::move(*launch), thread});
        break;
      }
    }
  }
  return runs;
}

// The narrated block and thread: not the first ones, if there are others.
inline std::uint32_t narrated_block(const record::Recording& r) {
  return r.program().block_count() > 1 ? 1 : 0;
}
inline std::uint32_t narrated_thread(const record::Recording& r, std::uint32_t thread) {
  return std::min(r.program().threads_per_block() - 1, thread);
}

}  // namespace tilestep::test
