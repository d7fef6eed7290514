// Where a value came from: read off the executed instructions, not from the source.
#pragma once

#include "record/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

// One product of an accumulation: A[1][4]·B[4][6].
struct Term {
  struct Factor {
    std::uint32_t launch_buffer = 0;  // 0xffffffff: a constant (padding 0, a literal)
    int row = 0;
    int col = 0;
    float value = 0.0F;
    std::string via;              // "As[1][0]" when it came through shared memory
    std::uint32_t loaded_by = 0;  // thread (linear) that brought it from global memory
  };
  Factor a;
  Factor b;
  double times = 1.0;      // how often it is in the sum; negative: subtracted
  std::uint64_t step = 0;  // the step that added it
};

// Products that cancel out are no terms: what a compensated sum keeps of its rounding errors
// ((t - sum) - y) has none, and the sum has each product once.
struct Accumulation {
  std::string variable;     // "acc"
  std::vector<Term> terms;  // in the order they were added
  float value = 0.0F;       // what the machine holds
  float initial = 0.0F;     // the constants in it
  // False: the value is more than `initial` plus the terms (an element by itself, a factor that was
  // itself computed).
  bool complete = true;
};

// The sum that a thread's variable holds at step k. Nothing when the variable is not a float
// register or has no sum of products in it yet. Executes the block up to there: keep a BlockSums
// (accumulators.h) to ask more than once.
[[nodiscard]] std::optional<Accumulation> accumulation(const record::Recording& recording,
                                                       std::uint64_t step, std::uint32_t block,
                                                       std::uint32_t thread,
                                                       const std::string& variable);

// The variable or array that the kernel's sums live in while they grow ("acc", "Cvalue", "Csub",
// …), found from what the first block stores; empty when it keeps none in variables.
[[nodiscard]] std::string accumulator_name(const record::Recording& recording);

}  // namespace tilestep::insight
