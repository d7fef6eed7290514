#include "simt/exec/isa.h"
#include "simt/exec/matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdlib>

namespace tilestep::simt {
namespace {

using ptx::MatrixShape;
using ptx::Type;

// Element type of an operand. For halves, wmma names only the types of D and C.
[[nodiscard]] Type element_type(const ptx::Instruction& i, const ptx::MatrixForm& form,
                                std::uint32_t operand) {
  if (i.op == ptx::Opcode::WmmaLoad || i.op == ptx::Opcode::WmmaStore) {
    return form.types[0];
  }
  const bool names_all = form.types[2] != Type::None;
  switch (operand) {
    case 0:
      return form.types[0];
    case 3:
      return names_all ? form.types[3] : form.types[1];
    default:
      return names_all ? form.types[operand] : Type::F16;
  }
}

[[nodiscard]] Role role_of(const ptx::Instruction& i, std::uint32_t operand) {
  switch (i.op) {
    case ptx::Opcode::WmmaLoad:
    case ptx::Opcode::WmmaStore:
      return i.mode == ptx::Mode::FragmentA   ? Role::A
             : i.mode == ptx::Mode::FragmentB ? Role::B
                                              : Role::C;
    default:
      return operand == 1 ? Role::A : operand == 2 ? Role::B : Role::C;
  }
}

using FloatKind = FloatParts::Kind;

constexpr std::uint32_t kInfinityBits = 0x7f800000;
constexpr std::uint32_t kTensorNaN = 0x7fffffff;
constexpr std::uint32_t kSignBit = 0x80000000;
constexpr int kLeast = -149;    // exponent of the last bit of a subnormal
constexpr int kExtraBits = 25;  // bits kept below the largest exponent: two more than a float's 23
constexpr int kLowestTop = -133;  // nothing below 2^(-133 - 25) is kept
constexpr std::size_t kMostProducts = 32;

// A product or C: mantissa · 2^(exponent - kExtraBits), the mantissa below 2^27.
struct Addend {
  FloatKind kind = FloatKind::Finite;
  bool negative = false;
  int exponent = 0;
  std::int64_t mantissa = 0;
};

[[nodiscard]] Addend product(const FloatParts& a, const FloatParts& b) {
  Addend result{FloatKind::Finite, a.negative != b.negative, a.exponent + b.exponent, 0};
  if (a.kind == FloatKind::Finite && b.kind == FloatKind::Finite) {
    // Both have 13 trailing zeros, so nothing is lost.
    constexpr int kSurplus = 2 * 23 - kExtraBits;
    result.mantissa = static_cast<std::int64_t>(std::uint64_t{a.mantissa} * b.mantissa >> kSurplus);
    return result;
  }
  const auto is_zero = [](const FloatParts& x) {
    return x.kind == FloatKind::Finite && x.mantissa == 0;
  };
  const bool is_nan =
      a.kind == FloatKind::NaN || b.kind == FloatKind::NaN || is_zero(a) || is_zero(b);
  result.kind = is_nan ? FloatKind::NaN : FloatKind::Infinity;
  return result;
}

// The next float to sum · 2^exponent toward zero; +0 if nothing is left, also of a negative sum.
[[nodiscard]] std::uint32_t cut_to_float(std::int64_t sum, int exponent) {
  if (sum == 0) {
    return 0;
  }
  const std::uint32_t sign = sum < 0 ? kSignBit : 0;
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int highest = exponent + 63 - std::countl_zero(magnitude);
  if (highest > 127) {
    return sign | kInfinityBits;
  }
  const int last = std::max(highest - 23, kLeast);
  const int surplus = last - exponent;
  magnitude = surplus >= 64 ? 0 : surplus >= 0 ? magnitude >> surplus : magnitude << -surplus;
  if (magnitude == 0) {
    return 0;
  }
  // The leading 1 of a normal number adds 1 to the exponent's field; a subnormal has none.
  const auto field = static_cast<std::uint32_t>(last - kLeast);
  return sign | ((field << 23) + static_cast<std::uint32_t>(magnitude));
}

// Result of a sum with infinities or NaN; Finite if there are none.
[[nodiscard]] Addend special(std::span<const Addend> addends) {
  Addend found;
  for (const Addend& addend : addends) {
    if (addend.kind == FloatKind::Finite) {
      continue;
    }
    if (found.kind == FloatKind::Infinity && addend.negative != found.negative) {
      found.kind = FloatKind::NaN;
    }
    if (found.kind == FloatKind::NaN || addend.kind == FloatKind::NaN) {
      return {FloatKind::NaN};
    }
    found = addend;
  }
  return found;
}

}  // namespace

TileShape tile_shape(MatrixShape shape) {
  switch (shape) {
    case MatrixShape::None:
    case MatrixShape::M64NxK8:
    case MatrixShape::M64NxK16:
    case MatrixShape::M64NxK32:
      return {};  // one warp only: matrix_warpgroup.cpp has the others
    case MatrixShape::M8N8:
      return {8, 8, 0};
    case MatrixShape::M8N8K4:
      return {8, 8, 4};
    case MatrixShape::M8N8K16:
      return {8, 8, 16};
    case MatrixShape::M8N32K16:
      return {8, 32, 16};
    case MatrixShape::M16N8K4:
      return {16, 8, 4};
    case MatrixShape::M16N8K8:
      return {16, 8, 8};
    case MatrixShape::M16N8K16:
      return {16, 8, 16};
    case MatrixShape::M16N8K32:
      return {16, 8, 32};
    case MatrixShape::M16N16K8:
      return {16, 16, 8};
    case MatrixShape::M16N16K16:
      return {16, 16, 16};
    case MatrixShape::M32N8K16:
      return {32, 8, 16};
  }
  return {};
}

TileShape warpgroup_shape(const ptx::MatrixForm& form, std::uint32_t warps) {
  const std::uint32_t k = form.shape == MatrixShape::M64NxK8    ? 8
                          : form.shape == MatrixShape::M64NxK16 ? 16
                                                                : 32;
  return {16 * warps, form.columns, k};
}

std::uint32_t Fragment::per_register() const {
  const std::uint32_t bytes = ptx::byte_size(type);
  return bytes < 4 ? 4 / bytes : 1;
}

Fragment::Cell Fragment::place(std::uint32_t lane, std::uint32_t element) const {
  if (is_wmma) {
    const std::uint32_t number = (lane * per_lane() + element) % (rows * cols);
    return {number / cols, number % cols};
  }
  const std::uint32_t group = lane / 4;
  const std::uint32_t member = lane % 4;
  if (role == Role::C) {
    return {group + 8 * (element / 2), member * 2 + element % 2};
  }
  const std::uint32_t width = per_register();
  const std::uint32_t part = element / width;
  const std::uint32_t along = member * width + element % width;  // k within a part
  if (role == Role::B) {
    return {part * 4 * width + along, group};
  }
  const bool tall = rows == 16;
  return {group + (tall ? 8 * (part % 2) : 0), (tall ? part / 2 : part) * 4 * width + along};
}

Fragment fragment_of(const ptx::Instruction& i, const ptx::MatrixForm& form,
                     std::uint32_t operand) {
  const TileShape shape = tile_shape(form.shape);
  Fragment fragment;
  fragment.role = role_of(i, operand);
  fragment.type = element_type(i, form, operand);
  fragment.rows = fragment.role == Role::B ? shape.k : shape.m;
  fragment.cols = fragment.role == Role::A ? shape.k : shape.n;
  fragment.registers = form.group_sizes[operand];
  fragment.is_wmma = i.op != ptx::Opcode::MmaSync;
  return fragment;
}

Fragment tf32_fragment(Role role) {
  const TileShape shape = tile_shape(MatrixShape::M16N8K8);
  Fragment fragment;
  fragment.role = role;
  fragment.type = role == Role::C ? Type::F32 : Type::TF32;
  fragment.rows = role == Role::B ? shape.k : shape.m;
  fragment.cols = role == Role::A ? shape.k : shape.n;
  fragment.registers = fragment.rows * fragment.cols / kLanes;
  return fragment;
}

FloatParts float_parts(std::uint32_t bits) {
  const std::uint32_t field = bits >> 23 & 0xff;
  const std::uint32_t fraction = bits & 0x7fffff;
  FloatParts parts;
  parts.negative = (bits & kSignBit) != 0;
  parts.kind = field != 0xff   ? FloatKind::Finite
               : fraction == 0 ? FloatKind::Infinity
                               : FloatKind::NaN;
  parts.exponent = std::max(static_cast<int>(field), 1) - 127;
  parts.mantissa = field == 0 ? fraction : fraction | 0x800000;
  return parts;
}

FloatParts tf32_parts(std::uint32_t bits) {
  return float_parts(bits & 0xffffe000);
}

std::uint32_t tf32_sum(std::span<const FloatParts> a, std::span<const FloatParts> b,
                       std::uint32_t c) {
  assert(a.size() == b.size() && a.size() <= kMostProducts);
  std::array<Addend, kMostProducts + 1> storage;
  const std::span<Addend> addends = std::span(storage).first(a.size() + 1);
  const FloatParts addend = float_parts(c);
  addends[0] = {addend.kind, addend.negative, addend.exponent, std::int64_t{addend.mantissa} << 2};
  for (std::size_t k = 0; k < a.size(); ++k) {
    addends[k + 1] = product(a[k], b[k]);
  }
  const Addend odd = special(addends);
  if (odd.kind != FloatKind::Finite) {
    return odd.kind == FloatKind::NaN ? kTensorNaN : kInfinityBits | (odd.negative ? kSignBit : 0);
  }
  int top = kLowestTop;
  for (const Addend& each : addends) {
    top = each.mantissa == 0 ? top : std::max(top, each.exponent);
  }
  std::int64_t sum = 0;
  for (const Addend& each : addends) {
    if (each.mantissa == 0) {
      continue;  // its exponent may be above `top`
    }
    const std::int64_t cut = each.mantissa >> std::min(top - each.exponent, 63);
    sum += each.negative ? -cut : cut;
  }
  return cut_to_float(sum, top - kExtraBits);
}

Tf32Lines::Tf32Lines(std::size_t line_count)
    : lines(line_count),
      exponents(line_count * kTf32Depth),
      mantissas(line_count * kTf32Depth),
      odd(line_count) {}

void Tf32Lines::set(std::size_t line, std::size_t k, std::uint32_t bits) {
  constexpr int kCutBits = 13;
  const FloatParts parts = tf32_parts(bits);
  const auto magnitude = static_cast<std::int32_t>(parts.mantissa >> kCutBits);
  exponents[k * lines + line] = parts.exponent;
  mantissas[k * lines + line] = parts.negative ? -magnitude : magnitude;
  odd[line] |= parts.kind == FloatParts::Kind::Finite ? 0 : 1;
}

}  // namespace tilestep::simt
