// Numbers ±m · 2^e with an integer m of any length: sums and products without rounding, then one
// rounding into a binary format. The oracle for floating-point instructions; slow and plain.
#pragma once

#include "ptx/model/instruction.h"

#include <cstdint>
#include <vector>

namespace tilestep::simt {

struct Exact {
  bool negative = false;
  std::vector<std::uint32_t> magnitude;  // little endian, no leading zeros; empty: 0
  int exponent = 0;
};

[[nodiscard]] Exact exact(double value);  // finite
[[nodiscard]] Exact add(const Exact& a, const Exact& b);
[[nodiscard]] Exact multiply(const Exact& a, const Exact& b);
[[nodiscard]] int compare_magnitudes(const Exact& a, const Exact& b);

// A binary interchange format.
struct BinaryFormat {
  int precision = 24;  // with the hidden bit
  int exponent_bits = 8;
};
inline constexpr BinaryFormat kBinary16{11, 5};
inline constexpr BinaryFormat kBfloat16{8, 8};
inline constexpr BinaryFormat kBinary32{24, 8};
inline constexpr BinaryFormat kBinary64{53, 11};

// The rounding modes of PTX, by their names.
struct NamedRounding {
  const char* name;
  ptx::Rounding rounding;
};
inline constexpr NamedRounding kRoundings[] = {{"rn", ptx::Rounding::Rn},
                                               {"rz", ptx::Rounding::Rz},
                                               {"rm", ptx::Rounding::Rm},
                                               {"rp", ptx::Rounding::Rp}};

// The bits of a non-zero number in a format.
[[nodiscard]] std::uint64_t rounded(const Exact& value, BinaryFormat format, ptx::Rounding mode);

// IEEE 754 results, NaN as `nan`: a · b + c with one rounding. For sums and products the caller
// passes 1 or a zero of the correct sign (see sum and product).
[[nodiscard]] double number(std::uint64_t bits, BinaryFormat format);
[[nodiscard]] std::uint64_t sum(std::uint64_t a, std::uint64_t b, BinaryFormat format,
                                ptx::Rounding mode, std::uint64_t nan);
[[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b, BinaryFormat format,
                                    ptx::Rounding mode, std::uint64_t nan);
[[nodiscard]] std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                  BinaryFormat format, ptx::Rounding mode, std::uint64_t nan);

}  // namespace tilestep::simt
