// A tensor map: the description of a matrix in global memory for bulk tensor copies (PTX ISA 9.0,
// 5.5; CUDA Driver API, cuTensorMapEncodeTiled). One copy moves a box of it to shared memory or
// back. Elements of the box outside the matrix are read as zeros and not stored.
#pragma once

#include "problem/values/element.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tilestep::problem {

struct TensorMap {
  std::uint64_t address = 0;  // of element (0, 0)
  ElementType type = ElementType::F32;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint64_t row_bytes = 0;  // from one row to the next
  std::uint32_t box_rows = 0;
  std::uint32_t box_cols = 0;
  // 0: the box's rows are consecutive in shared memory. 32, 64, 128: rows have that many bytes, and
  // their 16-byte pieces are permuted (swizzled()).
  std::uint32_t swizzle = 0;

  [[nodiscard]] std::uint32_t box_bytes() const;  // moved by one copy
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

// The address of the byte that an unswizzled box has at shared address `address`: bits 7 to 9
// change bits 4 to 6 (128), 7 and 8 change 4 and 5 (64), 7 changes 4 (32).
[[nodiscard]] std::uint64_t swizzled(std::uint64_t address, std::uint32_t swizzle);

// The reason why cuTensorMapEncodeTiled would reject it, as a sentence; empty: it would not.
[[nodiscard]] std::string mistake_in(const TensorMap& map);

inline constexpr std::size_t kTensorMapBytes = 128;  // a CUtensorMap
using TensorMapBytes = std::array<std::byte, kTensorMapBytes>;

// The emulator's own layout: the layout that a GPU's driver writes is not documented, and no kernel
// reads it.
[[nodiscard]] TensorMapBytes to_bytes(const TensorMap& map);
// Nullopt if the bytes are not a tensor map.
[[nodiscard]] std::optional<TensorMap> tensor_map_of(std::span<const std::byte> bytes);

}  // namespace tilestep::problem
