// One entry for each block of a part of the grid: a machine may run a few blocks of a grid that has
// hundreds of millions.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilestep::simt {

// Blocks first to last - 1, by their linear index.
struct BlockPart {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  [[nodiscard]] std::uint32_t count() const { return last - first; }
  [[nodiscard]] bool holds(std::uint64_t block) const { return block >= first && block < last; }
  friend bool operator==(const BlockPart&, const BlockPart&) = default;
};

// Entries start as T{}. Every block outside the part reads as `outside`, and cannot be written.
template <class T>
class BlockTable {
 public:
  BlockTable() = default;
  explicit BlockTable(BlockPart part, T outside = {})
      : part_(part), entries_(part.count()), outside_(std::move(outside)) {}

  [[nodiscard]] BlockPart part() const { return part_; }
  [[nodiscard]] const T& operator[](std::size_t block) const {
    return part_.holds(block) ? entries_[block - part_.first] : outside_;
  }
  [[nodiscard]] T& at(std::size_t block) {
    assert(part_.holds(block));
    return entries_[block - part_.first];
  }
  // Of the part's blocks, in their order.
  [[nodiscard]] const std::vector<T>& entries() const { return entries_; }

  friend bool operator==(const BlockTable&, const BlockTable&) = default;

 private:
  BlockPart part_;
  std::vector<T> entries_;
  T outside_{};
};

}  // namespace tilestep::simt
