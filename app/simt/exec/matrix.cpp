#include "simt/exec/matrix.h"

#include "problem/tr.h"
#include "simt/exec/convert_semantics.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace tilestep::simt {
namespace {

using ptx::Type;

constexpr std::uint32_t kAllLanes = ~0U;

// All 32 lanes are required: a teaching warp has no such instructions.
const Bound* without_lanes(Context& c, const Bound* i) {
  return stop_warp(
      c, i, FaultKind::NotSimulated,
      tr("{} by fewer than 32 lanes", ptx::instruction_text(*c.program.module, *i->source)));
}

[[nodiscard]] bool is_integer(Type type) {
  return type == Type::S8 || type == Type::U8 || type == Type::S32;
}

[[nodiscard]] std::uint64_t register_bits(const Context& c, Slot slot, Type type,
                                          std::uint32_t lane) {
  return type == Type::F64 ? row<const std::uint64_t>(c, slot)[lane]
                           : row<const std::uint32_t>(c, slot)[lane];
}

// An element as a number, from a register's bits.
[[nodiscard]] double number(Type type, std::uint64_t bits, std::uint32_t element) {
  const auto half = static_cast<std::uint16_t>(bits >> (16 * (element & 1U)));
  const auto byte = static_cast<std::uint8_t>(bits >> (8 * (element & 3U)));
  switch (type) {
    case Type::F16:
      return half_to_double(half);
    case Type::BF16:
      return bfloat_to_double(half);
    case Type::F32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Type::F64:
      return std::bit_cast<double>(bits);
    case Type::S8:
      return static_cast<std::int8_t>(byte);
    case Type::U8:
      return byte;
    default:
      return static_cast<std::int32_t>(bits);
  }
}

struct Matrix {
  Matrix(std::uint32_t row_count, std::uint32_t col_count)
      : cols(col_count), values(std::size_t{row_count} * col_count) {}
  std::uint32_t cols;
  std::vector<double> values;

  [[nodiscard]] double& at(std::uint32_t r, std::uint32_t col) {
    return values[std::size_t{r} * cols + col];
  }
};

[[nodiscard]] Matrix gather(const Context& c, const Bound* i, const Fragment& fragment,
                            std::uint32_t first) {
  Matrix matrix(fragment.rows, fragment.cols);
  const std::uint32_t width = fragment.per_register();
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
      const auto [r, col] = fragment.place(lane, e);
      const Slot slot = i->detail->slots[first + e / width];
      matrix.at(r, col) = number(fragment.type, register_bits(c, slot, fragment.type, lane), e);
    }
  }
  return matrix;
}

[[nodiscard]] std::uint32_t packed_half(std::uint32_t word, std::uint32_t element, double value) {
  const std::uint32_t shift = 16 * (element & 1U);
  const std::uint32_t bits = double_to_half(value, ptx::Rounding::Rn);
  return (word & ~(0xffffU << shift)) | bits << shift;
}

void scatter(const Context& c, const Bound* i, const Fragment& fragment, Matrix& matrix) {
  const std::uint32_t width = fragment.per_register();
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
      const auto [r, col] = fragment.place(lane, e);
      const Slot slot = i->detail->slots[e / width];
      if (slot == kNoSlot) {
        continue;
      }
      const double value = matrix.at(r, col);
      auto* const words = row<std::uint32_t>(c, slot);
      switch (fragment.type) {
        case Type::F64:
          row<std::uint64_t>(c, slot)[lane] = std::bit_cast<std::uint64_t>(value);
          break;
        case Type::F32: {
          const auto narrowed = static_cast<float>(value);
          words[lane] = std::isnan(narrowed) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(narrowed);
          break;
        }
        case Type::F16:
          words[lane] = packed_half(words[lane], e, value);
          break;
        default:
          words[lane] = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
      }
    }
  }
}

// New value of an accumulator. Products of all types but f64 are exact here; sums are rounded as
// doubles, then once to D's type: the hardware's order for halves is not known. Integers stay far
// below 2^53.
[[nodiscard]] double accumulated(const ptx::Instruction& i, Type type, Matrix& a, Matrix& b,
                                 double sum, std::uint32_t r, std::uint32_t col) {
  for (std::uint32_t k = 0; k < a.cols; ++k) {
    sum = type == Type::F64 ? std::fma(a.at(r, k), b.at(k, col), sum)
                            : sum + a.at(r, k) * b.at(k, col);
  }
  if (is_integer(type) && (i.flags & ptx::kSat) != 0) {
    sum = std::clamp(sum, static_cast<double>(std::numeric_limits<std::int32_t>::min()),
                     static_cast<double>(std::numeric_limits<std::int32_t>::max()));
  }
  return sum;
}

// Positions of the fragments of D, A, B and C in the instruction's registers.
struct Operands {
  std::array<Fragment, 4> fragments;
  std::array<std::uint32_t, 4> first{};

  explicit Operands(const Bound* i) {
    const ptx::MatrixForm& form = *i->detail->matrix;
    for (std::uint32_t k = 0; k < 4; ++k) {
      fragments[k] = fragment_of(*i->source, form, k);
      first[k] = k == 0 ? 0 : first[k - 1] + form.group_sizes[k - 1];
    }
  }
};

// A or B of TF32 with consecutive k: rows of A, columns of B.
[[nodiscard]] std::vector<FloatParts> gather_tf32(const Context& c, const Bound* i,
                                                  const Operands& operands, std::uint32_t which) {
  const Fragment& fragment = operands.fragments[which];
  std::vector<FloatParts> lines(std::size_t{fragment.rows} * fragment.cols);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
      const auto [r, col] = fragment.place(lane, e);
      const Slot slot = i->detail->slots[operands.first[which] + e];
      lines[fragment.role == Role::A ? r * fragment.cols + col : col * fragment.rows + r] =
          tf32_parts(row<const std::uint32_t>(c, slot)[lane]);
    }
  }
  return lines;
}

// A lane's elements of C and D have the same positions, so D is computed lane by lane. mma.sync
// adds all products at once, wmma four at a time (docs/reports/tensor-units.md).
void multiply_tf32(const Context& c, const Bound* i, const Operands& operands) {
  const std::vector<FloatParts> a = gather_tf32(c, i, operands, 1);
  const std::vector<FloatParts> b = gather_tf32(c, i, operands, 2);
  const std::size_t depth = operands.fragments[1].cols;
  const std::size_t at_once = operands.fragments[1].is_wmma ? 4 : depth;
  const Fragment& d = operands.fragments[0];
  std::vector<std::uint32_t> sums(d.per_lane());  // D may be C's registers in another order
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < d.per_lane(); ++e) {
      const auto [r, col] = d.place(lane, e);
      const Slot addend = i->detail->slots[operands.first[3] + e];
      sums[e] = row<const std::uint32_t>(c, addend)[lane];
      for (std::size_t k = 0; k < depth; k += at_once) {
        sums[e] = tf32_sum(std::span(a).subspan(r * depth + k, at_once),
                           std::span(b).subspan(col * depth + k, at_once), sums[e]);
      }
    }
    for (std::uint32_t e = 0; e < d.per_lane(); ++e) {
      if (const Slot to = i->detail->slots[e]; !(to == kNoSlot)) {
        row<std::uint32_t>(c, to)[lane] = sums[e];
      }
    }
  }
}

[[nodiscard]] std::uint32_t matrix_count(const Bound* i) {
  return i->detail->matrix->count;
}

// Addresses of the 8-row matrices of ldmatrix and stmatrix: lane 8·m + r has row r of matrix m.
// Returns the lanes whose row is accessible.
[[nodiscard]] std::uint32_t check_rows(Context& c, const Bound* i, AccessKind kind,
                                       std::array<std::uint64_t, kLanes>& addresses) {
  constexpr std::uint32_t kRowBytes = 16;
  const std::uint32_t lanes = matrix_count(i) == 4 ? kAllLanes : (1U << (8 * matrix_count(i))) - 1;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] =
        lane_address(c, i->detail->addresses[0], lane) + generic_base(i->source->space);
  }
  c.mask = lanes;
  const std::uint32_t good = check_lanes(c, i, kind, addresses.data(), kRowBytes);
  c.mask = kAllLanes;
  return good;
}

// The cell that is element e of thread `lane`, in an 8×8 matrix of 16-bit elements.
[[nodiscard]] Fragment::Cell small_place(std::uint32_t lane, std::uint32_t e, bool transposed) {
  const Fragment::Cell place{lane / 4, lane % 4 * 2 + e};
  return transposed ? Fragment::Cell{place.col, place.row} : place;
}

using SmallMatrix = std::array<std::array<std::uint16_t, 8>, 8>;

}  // namespace

bool knows_matrix(const ptx::Instruction& i, const ptx::MatrixForm& form) {
  using S = ptx::MatrixShape;
  if (i.op != ptx::Opcode::MmaSync && i.op != ptx::Opcode::WmmaMma) {
    return true;
  }
  const Fragment a = fragment_of(i, form, 1);
  const Fragment d = fragment_of(i, form, 0);
  const Fragment b = fragment_of(i, form, 2);
  const Fragment addend = fragment_of(i, form, 3);
  const auto holds = [](const Fragment& f) {
    return f.per_lane() * kLanes >= f.rows * f.cols &&
           (f.is_wmma || f.per_lane() * kLanes == f.rows * f.cols);
  };
  // m8n8k4 of halves has a separate layout, for the first tensor cores.
  const bool first_generation = form.shape == S::M8N8K4 && a.type != Type::F64;
  return !first_generation && holds(a) && holds(b) && holds(d) && holds(addend) &&
         (i.op == ptx::Opcode::WmmaMma || (!form.a_column_major && form.b_column_major));
}

const Bound* multiply_matrices(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  if (c.machine.leaves_out_products) {
    return i + 1;
  }
  const Operands operands(i);
  const auto& [fragments, first] = operands;
  if (fragments[1].type == Type::TF32) {
    multiply_tf32(c, i, operands);
    return i + 1;
  }
  Matrix a = gather(c, i, fragments[1], first[1]);
  Matrix b = gather(c, i, fragments[2], first[2]);
  Matrix sum = gather(c, i, fragments[3], first[3]);
  for (std::uint32_t r = 0; r < fragments[0].rows; ++r) {
    for (std::uint32_t col = 0; col < fragments[0].cols; ++col) {
      sum.at(r, col) = accumulated(*i->source, fragments[0].type, a, b, sum.at(r, col), r, col);
    }
  }
  scatter(c, i, fragments[0], sum);
  return i + 1;
}

const Bound* load_rows_of_matrix(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  std::array<std::uint64_t, kLanes> addresses{};
  const std::uint32_t good = check_rows(c, i, AccessKind::Load, addresses);
  const bool transposed = (i->source->flags & ptx::kTrans) != 0;
  for (std::uint32_t m = 0; m < matrix_count(i); ++m) {
    SmallMatrix matrix{};
    for (std::uint32_t r = 0; r < 8; ++r) {
      if ((good >> (8 * m + r) & 1U) != 0) {
        std::memcpy(matrix[r].data(), lane_memory(c, addresses[8 * m + r], false), 16);
      }
    }
    const Slot slot = i->detail->slots[m];
    for (std::uint32_t lane = 0; lane < kLanes && !(slot == kNoSlot); ++lane) {
      const auto low = small_place(lane, 0, transposed);
      const auto high = small_place(lane, 1, transposed);
      row<std::uint32_t>(c, slot)[lane] =
          matrix[low.row][low.col] | std::uint32_t{matrix[high.row][high.col]} << 16;
    }
  }
  return i + 1;
}

const Bound* store_rows_of_matrix(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  std::array<std::uint64_t, kLanes> addresses{};
  const std::uint32_t good = check_rows(c, i, AccessKind::Store, addresses);
  const bool transposed = (i->source->flags & ptx::kTrans) != 0;
  for (std::uint32_t m = 0; m < matrix_count(i); ++m) {
    SmallMatrix matrix{};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t word = row<const std::uint32_t>(c, i->detail->slots[m])[lane];
      const auto low = small_place(lane, 0, transposed);
      const auto high = small_place(lane, 1, transposed);
      matrix[low.row][low.col] = static_cast<std::uint16_t>(word);
      matrix[high.row][high.col] = static_cast<std::uint16_t>(word >> 16);
    }
    for (std::uint32_t r = 0; r < 8; ++r) {
      if ((good >> (8 * m + r) & 1U) != 0) {
        std::memcpy(lane_memory(c, addresses[8 * m + r], true), matrix[r].data(), 16);
      }
    }
  }
  return i + 1;
}

const Bound* transpose_matrix(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  const auto* const from = row<const std::uint32_t>(c, i->in[0]);
  SmallMatrix matrix{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    matrix[lane / 4][lane % 4 * 2] = static_cast<std::uint16_t>(from[lane]);
    matrix[lane / 4][lane % 4 * 2 + 1] = static_cast<std::uint16_t>(from[lane] >> 16);
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    row<std::uint32_t>(c, i->d)[lane] =
        matrix[lane % 4 * 2][lane / 4] | std::uint32_t{matrix[lane % 4 * 2 + 1][lane / 4]} << 16;
  }
  return i + 1;
}

namespace {

// Addresses of element e of all lanes' fragments; returns the lanes whose element is accessible.
[[nodiscard]] std::uint32_t check_elements(Context& c, const Bound* i, AccessKind kind,
                                           const Fragment& fragment, std::uint32_t e,
                                           std::array<std::uint64_t, kLanes>& addresses) {
  const bool by_columns = i->detail->matrix->a_column_major;
  const std::uint32_t bytes = ptx::byte_size(fragment.type);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto [r, col] = fragment.place(lane, e);
    const std::uint64_t stride = !(i->in[1] == kNoSlot)
                                     ? row<const std::uint32_t>(c, i->in[1])[lane]
                                 : by_columns ? fragment.rows
                                              : fragment.cols;
    const std::uint64_t index = by_columns ? col * stride + r : r * stride + col;
    addresses[lane] = lane_address(c, i->detail->addresses[0], lane) +
                      generic_base(i->source->space) + index * bytes;
  }
  return check_lanes(c, i, kind, addresses.data(), bytes);
}

}  // namespace

const Bound* load_fragment(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  const Fragment fragment = fragment_of(*i->source, *i->detail->matrix, 0);
  const std::uint32_t bytes = ptx::byte_size(fragment.type);
  const std::uint32_t width = fragment.per_register();
  for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
    std::array<std::uint64_t, kLanes> addresses{};
    const std::uint32_t good = check_elements(c, i, AccessKind::Load, fragment, e, addresses);
    const Slot slot = i->detail->slots[e / width];
    for (std::uint32_t lane = 0; lane < kLanes && !(slot == kNoSlot); ++lane) {
      std::uint64_t bits = 0;
      if ((good >> lane & 1U) != 0) {
        std::memcpy(&bits, lane_memory(c, addresses[lane], false), bytes);
      }
      if (bytes == 8) {
        row<std::uint64_t>(c, slot)[lane] = bits;
        continue;
      }
      std::uint32_t& word = row<std::uint32_t>(c, slot)[lane];
      const std::uint32_t shift = 8 * bytes * (e % width);
      word = (e % width == 0 ? 0 : word) | static_cast<std::uint32_t>(bits) << shift;
    }
  }
  return i + 1;
}

const Bound* store_fragment(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) {
    return without_lanes(c, i);
  }
  const Fragment fragment = fragment_of(*i->source, *i->detail->matrix, 1);
  const std::uint32_t bytes = ptx::byte_size(fragment.type);
  const std::uint32_t width = fragment.per_register();
  for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
    std::array<std::uint64_t, kLanes> addresses{};
    const std::uint32_t good = check_elements(c, i, AccessKind::Store, fragment, e, addresses);
    for (std::uint32_t left = good; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t bits =
          register_bits(c, i->detail->slots[e / width], fragment.type, lane) >>
          (8 * bytes * (e % width));
      std::memcpy(lane_memory(c, addresses[lane], true), &bits, bytes);
    }
  }
  return i + 1;
}

}  // namespace tilestep::simt
