// Elements of buffers as bytes, little-endian as on the GPU.
#pragma once

#include "problem/values/inputs.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilestep::problem {

enum class ElementType { F16, BF16, F32, F64, S8, U8, S16, U16, S32, U32, S64, U64 };
[[nodiscard]] std::size_t byte_size(ElementType type);

// The values that an element type represents exactly.
[[nodiscard]] ValueRange value_range(ElementType type);
// Bits of the significand, the implicit one included; 53 for the integers (they convert to double).
[[nodiscard]] int significand_bits(ElementType type);

// Whether the number can be stored as this type: floating point rounds; integers must be whole, in
// range, and of magnitude at most 2^53.
[[nodiscard]] bool fits(ElementType type, double value);
// Stores one element, rounded to nearest even. Precondition: `value` fits.
void store_element(ElementType type, double value, std::byte* to);
[[nodiscard]] double load_element(ElementType type, const std::byte* from);
// The shortest decimal that parses to the same element; for types narrower than float32, to the
// same float32.
[[nodiscard]] std::string element_text(ElementType type, double value);

// IEEE binary16 and bfloat16 (the upper half of binary32), rounded to nearest even.
[[nodiscard]] std::uint16_t to_half_bits(float value);
[[nodiscard]] float from_half_bits(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_bfloat_bits(float value);
[[nodiscard]] float from_bfloat_bits(std::uint16_t bits);

}  // namespace tilestep::problem
