// How far a curve that was drawn before it was seen is from the measured one. Pure.
#pragma once

#include "state/app_state.h"
#include "timing/dataset.h"

#include <string>

namespace tilestep::analysis {

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
