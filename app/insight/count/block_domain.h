// Sets of blocks that do the same, and how a value differs from one of them to the next.
//
// One block is executed. For every integer that it computes, Form holds how the integer changes
// from block to block, along each axis of profile.h. Everything that the execution relies on (the
// outcome of a comparison, that a sum does not wrap, that an address lies in its buffer) is a
// condition that is linear in the coordinates: keep_within() reduces the set to blocks that meet
// it. The iterations of a long loop are treated alike: they are one more axis (loop_skipper.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilestep::insight {

__extension__ using Wide = __int128;  // sums of 64-bit products cannot overflow it

// Axes of blocks, and the axis of a loop's iterations.
inline constexpr std::size_t kBlockAxes = 6;
inline constexpr std::size_t kIterations = kBlockAxes;
inline constexpr std::size_t kAxes = kBlockAxes + 1;
using AxisPoint = std::array<std::uint32_t, kAxes>;

// value(block) = value(representative) + Σ per_block[i] · (block[i] - representative[i]), modulo
// the width of the register. Not `known`: the value may depend on memory, or nonlinearly on the
// block.
struct Form {
  bool known = false;
  std::array<std::int64_t, kAxes> per_block{};

  friend bool operator==(const Form& a, const Form& b) {
    std::uint64_t differing = a.known == b.known ? 0 : 1;
    for (std::size_t i = 0; i < kAxes; ++i) {
      differing |= static_cast<std::uint64_t>(a.per_block[i] ^ b.per_block[i]);
    }
    return differing == 0;
  }
};

inline constexpr Form kConstantForm{true, {}};

// Sign-extends the low `bits` bits, which keeps factors small.
[[nodiscard]] constexpr std::int64_t wrap(std::uint64_t value, std::uint32_t bits) {
  const std::uint32_t unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

[[nodiscard]] Form add(const Form& a, const Form& b, std::uint32_t bits);
[[nodiscard]] Form subtract(const Form& a, const Form& b, std::uint32_t bits);
[[nodiscard]] Form scale(const Form& a, std::uint64_t factor, std::uint32_t bits);

// Blocks first[i] to last[i], both included, along each axis.
struct BlockRange {
  AxisPoint first{};
  AxisPoint last{};

  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t blocks = 1;
    for (std::size_t i = 0; i < kAxes; ++i) {
      blocks *= std::uint64_t{last[i]} - first[i] + 1;
    }
    return blocks;
  }
  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

// Moves `at` to the next point of the range, the first axis fastest. False: there is none.
[[nodiscard]] bool next_point(const BlockRange& range, AxisPoint& at);

class BlockDomain {
 public:
  BlockDomain(const BlockRange& range, const AxisPoint& representative)
      : range_(range), representative_(representative) {}

  [[nodiscard]] const BlockRange& range() const { return range_; }

  // Whether every block of the domain has the same value.
  [[nodiscard]] bool is_constant(const Form& form) const {
    bool constant = form.known;
    for (std::size_t i = 0; i < kAxes; ++i) {
      constant = constant && (form.per_block[i] == 0 || range_.first[i] == range_.last[i]);
    }
    return constant;
  }
  // Keeps blocks with low <= value + form <= high. The representative (whose value is `value` and
  // lies within) is always kept. The result is a range again, so a condition on several coordinates
  // may drop blocks that meet it.
  void keep_within(Wide value, const Form& form, Wide low, Wide high);
  // Keeps no other block and no other iteration.
  void keep_representative() {
    range_ = {representative_, representative_};
    set_iterations(0);
  }
  // Iterations 0 to `last` of a loop; number 0 is executed.
  void set_iterations(std::uint32_t last) { range_.last[kIterations] = last; }

 private:
  void limit(Wide slack, const Form& form, int sign);

  BlockRange range_;
  AxisPoint representative_;
};

}  // namespace tilestep::insight
