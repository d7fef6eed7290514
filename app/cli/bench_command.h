// Sweeps over kernels, sizes and block sizes on the GPU.
#pragma once

#include "problem/problem.h"
#include "problem/result.h"
#include "timing/dataset.h"
#include "timing/sweep.h"

#include <cstdint>
#include <string>

namespace tilestep::cli {

// The options of tilestep bench.
struct BenchOptions {
  std::string kernels;  // comma-separated ids; empty: the whole catalog
  std::string sizes = "512,1024,2048,4096";
  std::string block_sizes = "1.." + std::to_string(problem::kLargestBlockSize);
  int samples = 30;
  double seconds_per_point = timing::SweepPlan{}.max_seconds_per_point;
  double time_limit = timing::SweepPlan{}.time_limit_seconds;  // per launch
  std::string out;                                             // data set; empty: none
  bool resume = false;
  bool time_wrong = false;
  bool no_cublas = false;
  bool tf32 = false;
  std::string cublas;  // words of timing/dataset_points.h, comma-separated
  bool warm = false;
  std::uint32_t order_seed = 1;
  std::string shard = "0/1";
  std::string devices = "0";  // ordinals, comma-separated, or "all"
  bool as_json = false;
};

[[nodiscard]] Result<timing::SweepPlan> make_plan(const BenchOptions& options,
                                                  const problem::Catalog& catalog);

// Median GFLOP/s, one table per problem: a row per BLOCK_SIZE, a column per kernel, with the share
// of cuBLAS if measured.
[[nodiscard]] std::string summary(const timing::DataSet& data);

}  // namespace tilestep::cli
