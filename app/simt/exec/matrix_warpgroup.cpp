#include "problem/launch/tensor_map.h"
#include "problem/tr.h"
#include "simt/exec/isa.h"
#include "simt/exec/matrix.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tilestep::simt {
namespace {

using ptx::Type;

constexpr std::uint32_t kWholeWarp = ~0U;
constexpr std::uint32_t kWarps = 4;  // in a warpgroup
constexpr std::uint32_t kRows = 16;  // of A and D, per warp
constexpr std::uint32_t kDepth = 8;  // K
constexpr std::uint32_t kPieceBytes = 16;
constexpr std::uint32_t kRowBytes = kDepth * 4;

// Bits of rows of A or columns of B, with consecutive k.
using Words = std::vector<std::uint32_t>;

// The 16-byte pieces of `rows` rows starting at `first`, one per lane, 32 at a time.
template <class Visit>
void visit_pieces(const SharedMatrix& matrix, std::uint32_t first, std::uint32_t rows,
                  Visit visit) {
  constexpr std::uint32_t kPieces = kRowBytes / kPieceBytes;
  for (std::uint32_t next = 0; next < rows * kPieces; next += kLanes) {
    std::array<std::uint64_t, kLanes> addresses{};
    const std::uint32_t count = std::min(kLanes, rows * kPieces - next);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      const std::uint32_t piece = next + lane;
      addresses[lane] =
          matrix.address(first + piece / kPieces, piece % kPieces * kPieceBytes) | kSharedWindow;
    }
    visit(next, count, addresses);
  }
}

[[nodiscard]] std::uint32_t lanes_below(std::uint32_t count) {
  return count == kLanes ? kWholeWarp : (1U << count) - 1;
}

// Rows of a matrix in shared memory; inaccessible elements are 0.
[[nodiscard]] Words read_shared(Context& c, const Bound* i, const SharedMatrix& matrix,
                                std::uint32_t first, std::uint32_t rows) {
  Words words(std::size_t{rows} * kDepth);
  c.event.agent = AccessAgent::TensorCore;
  visit_pieces(matrix, first, rows, [&](std::uint32_t next, std::uint32_t count, auto& addresses) {
    c.mask = lanes_below(count);
    const std::uint32_t good =
        check_lanes(c, i, AccessKind::Load, ptx::Space::Shared, addresses.data(), kPieceBytes);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      if ((good >> lane & 1U) != 0) {
        std::memcpy(words.data() + std::size_t{next + lane} * kPieceBytes / 4,
                    lane_memory(c, addresses[lane], false), kPieceBytes);
      }
    }
  });
  c.mask = kWholeWarp;
  c.event.agent = AccessAgent::Thread;
  return words;
}

[[nodiscard]] Words read_registers(const Context& c, const Bound* i, std::uint32_t first_slot) {
  const Fragment a = tf32_fragment(Role::A);
  Words words(std::size_t{kRows} * kDepth);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < a.per_lane(); ++e) {
      const Fragment::Cell at = a.place(lane, e);
      words[std::size_t{at.row} * kDepth + at.col] =
          row<const std::uint32_t>(c, i->detail->slots[first_slot + e])[lane];
    }
  }
  return words;
}

void negate(Words& words) {
  constexpr std::uint32_t kMinus = 0x80000000;
  for (std::uint32_t& word : words) {
    word ^= kMinus;
  }
}

[[nodiscard]] Tf32Lines lines_of(const Words& words) {
  Tf32Lines lines(words.size() / kDepth);
  for (std::size_t n = 0; n < words.size(); ++n) {
    lines.set(n / kDepth, n % kDepth, words[n]);
  }
  return lines;
}

[[nodiscard]] std::uint32_t exact_sum(const std::uint32_t* a, const std::uint32_t* b,
                                      std::uint32_t c) {
  std::array<FloatParts, kDepth> x;
  std::array<FloatParts, kDepth> y;
  std::transform(a, a + kDepth, x.begin(), tf32_parts);
  std::transform(b, b + kDepth, y.begin(), tf32_parts);
  return tf32_sum(x, y, c);
}

// Visits all elements of D: visit(register, lane, index in rows of `columns`).
template <class Visit>
void visit_sums(std::uint32_t columns, Visit visit) {
  const Fragment d = tf32_fragment(Role::C);
  for (std::uint32_t e = 0; e < d.per_lane(); ++e) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Fragment::Cell at = d.place(lane, e);
      for (std::uint32_t first = 0; first < columns; first += d.cols) {
        visit(first / d.cols * d.per_lane() + e, lane,
              std::size_t{at.row} * columns + first + at.col);
      }
    }
  }
}

void add_products(const Context& c, const Bound* i, const Words& a, const Words& b) {
  const std::uint32_t columns = i->detail->matrix->columns;
  const std::uint32_t adds = predicate(c, i->in[2]);
  Words before(std::size_t{kRows} * columns);
  const auto sum = [&](std::uint32_t e, std::uint32_t lane) -> std::uint32_t& {
    return row<std::uint32_t>(c, i->detail->slots[e])[lane];
  };
  visit_sums(columns, [&](std::uint32_t e, std::uint32_t lane, std::size_t at) {
    before[at] = (adds >> lane & 1U) != 0 ? sum(e, lane) : 0;
  });
  const Tf32Lines a_lines = lines_of(a);
  const Tf32Lines b_lines = lines_of(b);
  Words after(before.size());
  std::vector<std::uint8_t> left(columns);
  for (std::size_t r = 0; r < kRows; ++r) {
    Tf32Row line{.b = &b_lines,
                 .c = before.data() + r * columns,
                 .d = after.data() + r * columns,
                 .left = left.data()};
    for (std::size_t k = 0; k < kDepth; ++k) {
      line.exponents[k] = a_lines.exponents[k * kRows + r];
      line.mantissas[k] = a_lines.mantissas[k * kRows + r];
    }
    i->detail->add_tf32_row(line);
    for (std::size_t col = 0; col < columns; ++col) {
      if (left[col] != 0 || a_lines.odd[r] != 0) {
        line.d[col] = exact_sum(a.data() + r * kDepth, b.data() + col * kDepth, line.c[col]);
      }
    }
  }
  visit_sums(columns, [&](std::uint32_t e, std::uint32_t lane, std::size_t at) {
    sum(e, lane) = after[at];
  });
}

[[nodiscard]] std::uint32_t first_row(const Context& c) {
  return c.id.warp % kWarps * kRows;
}

// Reports that the tensor core may have read the matrix until now.
void tell_end(Context& c, const Bound* i, const SharedMatrix& matrix, std::uint32_t first,
              std::uint32_t rows) {
  c.event.agent = AccessAgent::TensorCore;
  c.event.is_arrival = true;
  visit_pieces(matrix, first, rows, [&](std::uint32_t, std::uint32_t count, auto& addresses) {
    c.event.addresses.look_at(addresses.data(), 0);
    c.event.shape = AccessShape::Any;
    emit_access(c, i, AccessKind::Load, ptx::Space::Shared, kPieceBytes, lanes_below(count));
  });
  c.event.is_arrival = false;
  c.event.agent = AccessAgent::Thread;
}

}  // namespace

SharedMatrix::SharedMatrix(std::uint64_t descriptor)
    : start_((descriptor & 0x3fff) << 4),
      leading_((descriptor >> 16 & 0x3fff) << 4),
      stride_((descriptor >> 32 & 0x3fff) << 4),
      swizzle_(descriptor >> 62 == 0 ? 0 : 256U >> (descriptor >> 62)),
      has_offset_((descriptor >> 49 & 7) != 0) {}

std::uint64_t SharedMatrix::address(std::uint32_t row, std::uint32_t byte) const {
  const std::uint64_t group = start_ + row / 8 * stride_;
  if (swizzle_ == 0) {
    return group + row % 8 * kPieceBytes + byte / kPieceBytes * leading_ + byte % kPieceBytes;
  }
  return problem::swizzled(group + row % 8 * std::uint64_t{swizzle_} + byte, swizzle_);
}

bool knows_warpgroup(const ptx::MatrixForm& form) {
  return form.shape == ptx::MatrixShape::M64NxK8 && form.types[0] == Type::F32 &&
         form.types[1] == Type::TF32 && form.types[2] == Type::TF32 &&
         form.group_sizes[0] * 2U == form.columns &&
         (form.group_sizes[1] == 1 || form.group_sizes[1] == 4);
}

const Bound* multiply_warpgroup(Context& c, const Bound* i) {
  const std::string_view text = ptx::instruction_text(*c.program.module, *i->source);
  if (c.mask != kWholeWarp) {
    return stop_warp(c, i, FaultKind::NotSimulated, tr("{} by fewer than 32 lanes", text));
  }
  WarpgroupProduct product{i->pc, c.warp.product_groups, {}, i->detail->matrix->columns};
  const bool in_registers = i->in[0] == kNoSlot;
  product.descriptors[0] = in_registers ? 0 : row<const std::uint64_t>(c, i->in[0])[0];
  product.descriptors[1] = row<const std::uint64_t>(c, i->in[1])[0];
  const SharedMatrix a_matrix(product.descriptors[0]);
  const SharedMatrix b_matrix(product.descriptors[1]);
  if (a_matrix.has_offset() || b_matrix.has_offset()) {
    return stop_warp(c, i, FaultKind::NotSimulated,
                     tr("{} with a base offset in its descriptor", text));
  }
  Words a = in_registers ? read_registers(c, i, product.columns / 2)
                         : read_shared(c, i, a_matrix, first_row(c), kRows);
  Words b = read_shared(c, i, b_matrix, 0, product.columns);
  if ((i->value & 1) != 0) {
    negate(a);
  }
  if ((i->value & 2) != 0) {
    negate(b);
  }
  if (!c.machine.leaves_out_products) {
    add_products(c, i, a, b);
  }
  c.warp.products.push_back(product);
  return i + 1;
}

const Bound* commit_products(Context& c, const Bound* i) {
  ++c.warp.product_groups;
  return i + 1;
}

const Bound* await_products(Context& c, const Bound* i) {
  const auto left = static_cast<std::uint64_t>(i->value);
  std::erase_if(c.warp.products, [&](const WarpgroupProduct& product) {
    const bool is_done = product.group + left < c.warp.product_groups;
    if (is_done && c.observer != nullptr) {
      if (product.descriptors[0] != 0) {
        tell_end(c, i, SharedMatrix(product.descriptors[0]), first_row(c), kRows);
      }
      tell_end(c, i, SharedMatrix(product.descriptors[1]), 0, product.columns);
    }
    return is_done;
  });
  return i + 1;
}

}  // namespace tilestep::simt
