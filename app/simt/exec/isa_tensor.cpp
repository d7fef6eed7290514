// Sums of TF32 products, eight columns of D at once (compiled once for each instruction set, see
// isa.h).
#include "simt/exec/isa.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

TILESTEP_BEGIN_ISA

namespace tilestep::simt::TILESTEP_ISA {
namespace {

constexpr std::size_t kColumns = 8;
constexpr int kExtraBits = 25;
constexpr int kLowestTop = -133;
constexpr int kNothing = -1000;  // exponent of a product that is 0
// Between these limits no result is subnormal or beyond the largest float.
constexpr int kLeastTop = -90;
constexpr int kMostTop = 100;

using Numbers = std::array<std::int32_t, kColumns>;

// magnitude · 2^(exponent - 25), truncated to a multiple of 2^(top - 25), with the sign of `sign`.
inline std::int32_t cut(std::int32_t magnitude, std::int32_t sign, int exponent, int top) {
  const std::int32_t kept = magnitude >> std::min(top - exponent, 31);
  const std::int32_t minus = sign >> 31;
  return (kept ^ minus) - minus;
}

// sum · 2^exponent, truncated toward zero to a float's 24 bits.
inline std::uint32_t to_float(std::int32_t sum, int exponent) {
  constexpr std::uint64_t kCut = (std::uint64_t{1} << 29) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(sum)) & ~kCut;
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits) * scale));
}

}  // namespace

void add_tf32_row(const Tf32Row& row) {
  const std::size_t lines = row.b->lines;
  for (std::size_t first = 0; first < lines; first += kColumns) {
    std::array<Numbers, kTf32Depth> products;
    std::array<Numbers, kTf32Depth> exponents;
    Numbers addends;
    Numbers top;
    Numbers sum;
    for (std::size_t j = 0; j < kColumns; ++j) {
      const std::uint32_t c = row.c[first + j];
      const auto field = static_cast<std::int32_t>(c >> 23 & 0xff);
      const auto fraction = static_cast<std::int32_t>(c & 0x7fffff);
      addends[j] = (field == 0 ? fraction : fraction | 0x800000) << 2;
      sum[j] = addends[j] == 0 ? kNothing : std::max(field, 1) - 127;  // for now, the addend's
                                                                       // exponent
      top[j] = std::max(sum[j], kLowestTop);
    }
    for (std::size_t k = 0; k < kTf32Depth; ++k) {
      const std::int32_t* const b_mantissas = row.b->mantissas.data() + k * lines + first;
      const std::int32_t* const b_exponents = row.b->exponents.data() + k * lines + first;
      for (std::size_t j = 0; j < kColumns; ++j) {
        products[k][j] = row.mantissas[k] * b_mantissas[j];
        exponents[k][j] = products[k][j] == 0 ? kNothing : row.exponents[k] + b_exponents[j];
        top[j] = std::max(top[j], exponents[k][j]);
      }
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      sum[j] = cut(addends[j], static_cast<std::int32_t>(row.c[first + j]), sum[j], top[j]);
    }
    for (std::size_t k = 0; k < kTf32Depth; ++k) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        sum[j] += cut(std::abs(products[k][j]) << 5, products[k][j], exponents[k][j], top[j]);
      }
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      const bool is_odd = (row.c[first + j] >> 23 & 0xff) == 0xff || row.b->odd[first + j] != 0;
      const bool is_usual = top[j] <= kMostTop && (top[j] >= kLeastTop || sum[j] == 0);
      row.left[first + j] = is_odd || !is_usual ? 1 : 0;
      row.d[first + j] = to_float(sum[j], std::clamp(top[j], kLeastTop, kMostTop) - kExtraBits);
    }
  }
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
