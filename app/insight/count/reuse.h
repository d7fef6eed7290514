// How often the elements of a buffer are read, added up class by class of blocks.
#pragma once

#include "insight/count/block_meter.h"
#include "insight/count/profile.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

class ReadTally {
 public:
  ReadTally() = default;
  virtual ~ReadTally() = default;
  ReadTally(const ReadTally&) = delete;
  ReadTally& operator=(const ReadTally&) = delete;
  ReadTally(ReadTally&&) = delete;
  ReadTally& operator=(ReadTally&&) = delete;

  // What the blocks of a range read whose first one read `footprint`.
  virtual void add(const BlockMeter::Footprint& footprint, const BlockRange& range) = 0;
  [[nodiscard]] virtual Reuse reuse() const = 0;
};

// One number for each element.
class ReadCounts final : public ReadTally {
 public:
  explicit ReadCounts(const problem::Buffer& buffer);

  void add(const BlockMeter::Footprint& footprint, const BlockRange& range) override;
  [[nodiscard]] Reuse reuse() const override;

 private:
  void add_runs(const std::vector<ElementRun>& runs, std::int64_t shift, std::uint64_t times);

  std::size_t rows_;
  std::size_t cols_;
  std::size_t pitch_;
  std::vector<std::uint32_t> reads_;  // by element
};

}  // namespace tilestep::insight
