// Sets of blocks that do the same, and how a value differs from one of them to the next.
//
// A block is executed once, and for every integer it computes we keep by how much that integer
// changes when blockIdx grows by one in x, y or z (Form). Whatever the execution relied on (the
// outcome of a comparison, that a sum does not wrap, that an address lies in its buffer) is a
// condition that is linear in blockIdx: keep_within() cuts the set down to the blocks that meet it.
#pragma once

#include "problem/problem.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilestep::insight {

__extension__ using Wide = __int128;  // sums of 64-bit products, without a thought of overflow

// value(block) = value(representative) + Σ per_block[i] · (block[i] - representative[i]), modulo
// the width of the register. Not `known`: it may depend on memory, or otherwise on the block.
struct Form {
  bool known = false;
  std::array<std::int64_t, 3> per_block{};

  friend bool operator==(const Form&, const Form&) = default;
};

inline constexpr Form kConstantForm{true, {}};

// Sign-extends the low `bits` bits: factors are kept as small as they are.
[[nodiscard]] constexpr std::int64_t wrap(std::uint64_t value, std::uint32_t bits) {
  const std::uint32_t unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

[[nodiscard]] Form add(const Form& a, const Form& b, std::uint32_t bits);
[[nodiscard]] Form subtract(const Form& a, const Form& b, std::uint32_t bits);
[[nodiscard]] Form scale(const Form& a, std::uint64_t factor, std::uint32_t bits);

// Blocks first[i] to last[i], both included, in x, y and z.
struct BlockRange {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 3> last{};

  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t blocks = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      blocks *= std::uint64_t{last[i]} - first[i] + 1;
    }
    return blocks;
  }
  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

class BlockDomain {
 public:
  BlockDomain(const BlockRange& range, const problem::Dim3& representative);

  [[nodiscard]] const BlockRange& range() const { return range_; }

  // Every block of the domain has the same value.
  [[nodiscard]] bool is_constant(const Form& form) const {
    return form.known && (form.per_block[0] == 0 || range_.first[0] == range_.last[0]) &&
           (form.per_block[1] == 0 || range_.first[1] == range_.last[1]) &&
           (form.per_block[2] == 0 || range_.first[2] == range_.last[2]);
  }
  // Keeps blocks with low <= value + form <= high, the representative (whose value is `value` and
  // lies within) always among them. What is kept is a range again, so a condition on several
  // coordinates may cost blocks that meet it.
  void keep_within(Wide value, const Form& form, Wide low, Wide high);

 private:
  void limit(Wide slack, const Form& form, int sign);

  BlockRange range_;
  std::array<std::uint32_t, 3> representative_;
};

}  // namespace tilestep::insight
