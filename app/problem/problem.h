// The size of a matrix product C = A·B, and conventions of all rooms.
//
//   A: M×K   B: K×N   C: M×N   all row-major
//   row ↔ y ↔ M          column ↔ x ↔ N
#pragma once

#include <cstdint>
#include <type_traits>

namespace tilestep::problem {

// The limit of sliders, sweeps and the shipped PTX: a block has at most 32×32 threads.
inline constexpr int kLargestBlockSize = 32;

struct Problem {
  int M = 8;
  int N = 8;
  int K = 8;

  friend bool operator==(const Problem&, const Problem&) = default;
};

// A CUDA dim3. `linear` counts x fastest, as threadIdx and blockIdx do.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  [[nodiscard]] constexpr std::uint64_t linear(Dim3 i) const {
    return (std::uint64_t{i.z} * y + i.y) * x + i.x;
  }
  [[nodiscard]] constexpr Dim3 at(std::uint64_t linear_index) const {
    return {static_cast<std::uint32_t>(linear_index % x),
            static_cast<std::uint32_t>(linear_index / x % y),
            static_cast<std::uint32_t>(linear_index / x / y)};
  }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace tilestep::problem

namespace tilestep {

// The smallest multiple of `alignment` (0 counts as 1) that is at least `value`.
template <class Integer>
[[nodiscard]] constexpr Integer align_up(Integer value, std::type_identity_t<Integer> alignment) {
  static_assert(std::is_unsigned_v<Integer>);
  return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace tilestep
