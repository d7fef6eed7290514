#include "insight/count/block_axes.h"

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

// Blocks of one dimension: first, first + step, …
struct Row {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 1;
};

// Each of `rows` repeated `count` times, `step` apart.
std::vector<Row> repeated(const std::vector<Row>& rows, std::uint32_t step, std::uint32_t count) {
  if (count == 1) {
    return rows;
  }
  std::vector<Row> result;
  for (const Row& row : rows) {
    if (row.count == 1) {
      result.push_back({row.first, step, count});
    } else if (row.step * row.count == step) {
      result.push_back({row.first, row.step, row.count * count});
    } else if (row.count < count) {
      for (std::uint32_t i = 0; i < row.count; ++i) {
        result.push_back({row.first + i * row.step, step, count});
      }
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        result.push_back({row.first + i * step, row.step, row.count});
      }
    }
  }
  return result;
}

}  // namespace

BlockAxes::BlockAxes(const problem::Dim3& grid)
    : grid_{grid.x, grid.y, grid.z}, axes_{{0, 1, grid.x}, {1, 1, grid.y}, {2, 1, grid.z}} {}

bool BlockAxes::split(std::size_t axis, std::uint32_t period) {
  Axis periods = axes_[axis];
  const bool is_highest = std::ranges::none_of(axes_, [&](const Axis& other) {
    return other.dimension == periods.dimension && other.stride > periods.stride;
  });
  if (axes_.size() == kBlockAxes || (!is_highest && periods.extent % period != 0)) {
    return false;
  }
  periods.stride *= period;
  periods.extent = (periods.extent + period - 1) / period;
  axes_[axis].extent = period;
  axes_.push_back(periods);
  return true;
}

problem::Dim3 BlockAxes::block_at(const AxisPoint& point) const {
  std::array<std::uint32_t, 3> at{};
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    at[axes_[i].dimension] += point[i] * axes_[i].stride;
  }
  return {at[0], at[1], at[2]};
}

Form BlockAxes::form_of(std::size_t dimension) const {
  Form form = kConstantForm;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    form.per_block[i] = axes_[i].dimension == dimension ? axes_[i].stride : 0;
  }
  return form;
}

// The numbers below a dimension's extent, as boxes of their digits: those with a smaller leading
// digit, whatever the others; then those with the same one and a smaller next; and so on.
std::vector<BlockRange> BlockAxes::ranges() const {
  std::vector<BlockRange> all{BlockRange{}};
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    std::vector<std::size_t> digits;  // the axes, the largest stride first
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].dimension == dimension) {
        digits.push_back(i);
      }
    }
    std::sort(digits.begin(), digits.end(),
              [this](std::size_t a, std::size_t b) { return axes_[a].stride > axes_[b].stride; });
    std::vector<BlockRange> next;
    for (const BlockRange& others : all) {
      BlockRange range = others;
      std::uint32_t rest = grid_[dimension];
      for (std::size_t d = 0; d < digits.size(); ++d) {
        const std::uint32_t digit = rest / axes_[digits[d]].stride;
        rest %= axes_[digits[d]].stride;
        if (digit != 0) {
          BlockRange box = range;
          box.last[digits[d]] = digit - 1;
          for (std::size_t lower = d + 1; lower < digits.size(); ++lower) {
            box.last[digits[lower]] = axes_[digits[lower]].extent - 1;
          }
          next.push_back(box);
        }
        range.first[digits[d]] = range.last[digits[d]] = digit;
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<BlockSet> BlockAxes::sets(const BlockRange& range, const AxisPoint& steps) const {
  const problem::Dim3 first = block_at(range.first);
  std::array<std::vector<Row>, 3> rows{std::vector<Row>{{first.x}}, std::vector<Row>{{first.y}},
                                       std::vector<Row>{{first.z}}};
  std::vector<std::size_t> order(axes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return axes_[a].stride < axes_[b].stride; });
  for (const std::size_t i : order) {
    std::vector<Row>& of_dimension = rows[axes_[i].dimension];
    of_dimension = repeated(of_dimension, axes_[i].stride * steps[i],
                            (range.last[i] - range.first[i]) / steps[i] + 1);
  }
  std::vector<BlockSet> sets;
  for (const Row& z : rows[2]) {
    for (const Row& y : rows[1]) {
      for (const Row& x : rows[0]) {
        sets.push_back(
            {{x.first, y.first, z.first}, {x.step, y.step, z.step}, {x.count, y.count, z.count}});
      }
    }
  }
  return sets;
}

}  // namespace tilestep::insight
