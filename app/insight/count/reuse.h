// How often the elements of a buffer are read, added up by class of blocks.
#pragma once

#include "insight/count/block_meter.h"
#include "insight/count/profile.h"

#include <cstddef>
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

  // Adds the reads of the blocks of a range; `footprint` holds those of its first block.
  virtual void add(const BlockMeter::Footprint& footprint, const BlockRange& range) = 0;
  [[nodiscard]] virtual Reuse reuse() const = 0;
};

// One count for each element.
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

// How often the elements of a large buffer are read, without a count for each of them.
//
// Tiles are rectangles, and blocks and iterations move them along rows or along columns. So the
// reads of a class of blocks in a matrix are a sum of a few products f(row) · g(column), and the
// elements that are read n times are counted by kinds of rows and kinds of columns.

class ReadProducts final : public ReadTally {
 public:
  explicit ReadProducts(const problem::Buffer& buffer);

  void add(const BlockMeter::Footprint& footprint, const BlockRange& range) override;
  // Without elements if some reads are no such products.
  [[nodiscard]] Reuse reuse() const override;

 private:
  using Line = std::vector<std::uint64_t>;  // by row or column
  struct Product {
    Line rows;
    Line cols;
    std::size_t rows_hash = 0;
    std::size_t cols_hash = 0;
  };
  // A part of a row that is read.
  struct Piece {
    std::uint32_t first = 0;  // column
    std::uint32_t count = 0;
    std::uint32_t reads = 0;

    friend auto operator<=>(const Piece&, const Piece&) = default;
  };

  void add_motion(const ElementMotion& motion, std::vector<ElementRun> runs, BlockRange range);
  void add_product(Product product);

  std::size_t rows_;
  std::size_t cols_;
  std::size_t pitch_;
  std::vector<Product> products_;
  bool is_lost_ = false;
};

}  // namespace tilestep::insight
