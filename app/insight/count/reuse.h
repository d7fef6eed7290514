// How often each element of a buffer is read, added up block by block.
#pragma once

#include "insight/count/block_meter.h"
#include "insight/count/profile.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

class ReadCounts {
 public:
  explicit ReadCounts(const problem::Buffer& buffer);

  // What the blocks of a range read whose representative, at `from`, read `footprint`.
  void add(const BlockMeter::Footprint& footprint, const BlockRange& range,
           const std::array<std::uint32_t, 3>& from);
  [[nodiscard]] Reuse reuse() const;

 private:
  void add_runs(const std::vector<ElementRun>& runs, std::int64_t shift, std::uint64_t times);

  std::size_t rows_;
  std::size_t cols_;
  std::size_t pitch_;
  std::vector<std::uint32_t> reads_;  // by element
};

}  // namespace tilestep::insight
