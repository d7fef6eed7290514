// best_by_size: for each problem, the fastest kernel and its sizes as `tilestep tune` has measured
// them; not a kernel of its own (docs/formats/winners.md).
#pragma once

#include "problem/problem.h"
#include "problem/result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::problem {

inline constexpr const char* kBestBySize = "best_by_size";

// The fastest kernel measured at one size. Milliseconds, cold; 0: not measured.
struct Winner {
  Problem problem;
  std::string kernel;  // of the catalog, or one of its candidates: "sliced_k:BM=32:SLICES=8"
  // The kernel's sizes when it was measured, as LaunchSpec::values.
  std::vector<std::pair<std::string, std::int64_t>> values;
  double median_ms = 0.0;
  double q1_ms = 0.0;
  double q3_ms = 0.0;
  double cublas_ms = 0.0;  // median of cublasSgemm (pedantic) in the same run
  std::string runner_up;   // the second fastest; empty: no other kernel was measured
  double runner_up_ms = 0.0;

  friend bool operator==(const Winner&, const Winner&) = default;
};

// The content of best_by_size.toml.
struct BestTable {
  std::string gpu;
  std::string driver;
  std::string cuda;    // version of the NVRTC that compiled the kernels
  std::string cublas;  // version; empty: no cuBLAS
  std::string date;    // ISO 8601, UTC
  int sm_clock_mhz = 0;
  int memory_clock_mhz = 0;
  int max_sm_clock_mhz = 0;
  std::string method;
  std::vector<Winner> winners;  // by M, N, K; each size once

  friend bool operator==(const BestTable&, const BestTable&) = default;
};

// Errors name file and line.
[[nodiscard]] Result<BestTable> parse_best(const std::string& toml_text, const std::string& name);
[[nodiscard]] std::string to_toml(const BestTable& table);

// The winner at that size; else at the recorded size with the smallest sum of |log2| of the ratios
// of M, N and K; the first in the table among equals. Null if the table is empty.
[[nodiscard]] const Winner* nearest_winner(const BestTable& table, Problem wanted);

struct Catalog;
struct LaunchSpec;

// Fails if a winner is not in the catalog, or was measured with other sizes than the catalog has.
// `name`: the table's file.
[[nodiscard]] Result<void> check_winners(const Catalog& catalog, const std::string& name);

// The kernel that best_by_size means for a problem. The pointers point into the catalog.
struct Best {
  const LaunchSpec* spec = nullptr;
  const Winner* winner = nullptr;
};

// Fails with a sentence if there is no table.
[[nodiscard]] Result<Best> best_for(const Catalog& catalog, Problem wanted);
// "best_by_size at 1024×1024×1024 is sliced_k with BM = 64, …: 41.9 TFLOP/s, 125.3 % of cuBLAS
// (NVIDIA H200, 2026-11-26)."; at an unrecorded size it also names the recorded one.
[[nodiscard]] std::string explanation(const Best& best, const BestTable& table, Problem wanted);

}  // namespace tilestep::problem
