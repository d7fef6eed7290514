// The coordinates in which blocks are told apart.
//
// At first they are x, y and z of blockIdx. A kernel may take one of them apart: blockIdx.x / n and
// blockIdx.x % n change by leaps along x. Split into b % n and b / n, two axes, both are linear.
#pragma once

#include "insight/count/block_domain.h"
#include "insight/count/profile.h"
#include "problem/problem.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::insight {

class BlockAxes {
 public:
  explicit BlockAxes(const problem::Dim3& grid);

  // An axis of `period` blocks, and one of whole periods. False: there is no room for more axes, or
  // its blocks are no whole number of periods (a dimension's highest axis may be cut off).
  [[nodiscard]] bool split(std::size_t axis, std::uint32_t period);

  [[nodiscard]] problem::Dim3 block_at(const AxisPoint& point) const;
  // Of blockIdx.x, y or z (0, 1, 2).
  [[nodiscard]] Form form_of(std::size_t dimension) const;
  // The whole grid.
  [[nodiscard]] std::vector<BlockRange> ranges() const;
  // Every steps[i]-th block of a range along each axis, from its first, as sets of blockIdx.
  [[nodiscard]] std::vector<BlockSet> sets(const BlockRange& range, const AxisPoint& steps) const;

 private:
  struct Axis {
    std::size_t dimension = 0;
    std::uint32_t stride = 1;  // blocks of the dimension from one to the next
    std::uint32_t extent = 1;  // the last of a dimension may be cut off within
  };
  std::array<std::uint32_t, 3> grid_;
  std::vector<Axis> axes_;
};

}  // namespace tilestep::insight
