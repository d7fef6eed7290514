// One of two runs that are compared: the thread that is followed, and what its block adds up.
#pragma once

#include "insight/trace/accumulators.h"
#include "record/recording.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilestep::insight {

struct Side {
  const record::Recording& run;
  const BlockSums& sums;  // of the block below
  std::uint32_t block = 0;
  std::uint32_t thread = 0;        // in the block
  std::optional<std::size_t> sum;  // an index into the block's; nothing: the thread has none
};

}  // namespace tilestep::insight
