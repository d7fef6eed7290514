#include "simt/exec/warpgroup.h"

#include "problem/launch/tensor_map.h"
#include "problem/tr.h"
#include "simt/exec/memory_access.h"
#include "simt/exec/tf32_sum.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace tilestep::simt {
namespace {

using ptx::Type;

constexpr std::uint32_t kWholeWarp = ~0U;
constexpr std::uint32_t kWarps = 4;  // of a warpgroup
constexpr std::uint32_t kRows = 16;  // of A and D, a warp
constexpr std::uint32_t kDepth = 8;  // K
constexpr std::uint32_t kPieceBytes = 16;
constexpr std::uint32_t kRowBytes = kDepth * 4;

using Parts = std::vector<FloatParts>;  // k next to k

// The 16-byte pieces of `rows` rows from `first` on, a lane each, 32 at a time.
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

// Rows of a matrix in shared memory; what cannot be read is 0.
[[nodiscard]] Parts read_shared(Context& c, const Bound* i, const SharedMatrix& matrix,
                                std::uint32_t first, std::uint32_t rows) {
  Parts parts(std::size_t{rows} * kDepth);
  c.event.agent = AccessAgent::TensorCore;
  visit_pieces(matrix, first, rows, [&](std::uint32_t next, std::uint32_t count, auto& addresses) {
    c.mask = lanes_below(count);
    const std::uint32_t good =
        check_lanes(c, i, AccessKind::Load, ptx::Space::Shared, addresses.data(), kPieceBytes);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      std::array<std::uint32_t, kPieceBytes / 4> words{};
      if ((good >> lane & 1U) != 0) {
        std::memcpy(words.data(), lane_memory(c, addresses[lane], false), kPieceBytes);
      }
      std::transform(words.begin(), words.end(), parts.begin() + std::ptrdiff_t{(next + lane) * 4},
                     tf32_parts);
    }
  });
  c.mask = kWholeWarp;
  c.event.agent = AccessAgent::Thread;
  return parts;
}

// A in registers: row lane / 4 (and 8 more), k lane % 4 (and 4 more), as of mma.sync's m16n8k8.
[[nodiscard]] Parts read_registers(const Context& c, const Bound* i, std::uint32_t first_slot) {
  Parts parts(std::size_t{kRows} * kDepth);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; e < 4; ++e) {
      const std::uint32_t r = lane / 4 + e % 2 * 8;
      const std::uint32_t k = lane % 4 + e / 2 * 4;
      parts[std::size_t{r} * kDepth + k] =
          tf32_parts(row<const std::uint32_t>(c, i->detail->slots[first_slot + e])[lane]);
    }
  }
  return parts;
}

void negate(Parts& parts) {
  for (FloatParts& part : parts) {
    part.negative = !part.negative;
  }
}

// D: in each 8 columns as of mma.sync's m16n8k8.
void add_products(const Context& c, const Bound* i, const Parts& a, const Parts& b) {
  const std::uint32_t registers = i->detail->matrix->columns / 2U;
  const std::uint32_t adds = predicate(c, i->in[2]);
  for (std::uint32_t e = 0; e < registers; ++e) {
    auto* const d = row<std::uint32_t>(c, i->detail->slots[e]);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t r = lane / 4 + e % 4 / 2 * 8;
      const std::uint32_t col = e / 4 * 8 + lane % 4 * 2 + e % 2;
      const std::uint32_t sum = (adds >> lane & 1U) != 0 ? d[lane] : 0;
      d[lane] = tf32_sum(std::span(a).subspan(std::size_t{r} * kDepth, kDepth),
                         std::span(b).subspan(std::size_t{col} * kDepth, kDepth), sum);
    }
  }
}

[[nodiscard]] std::uint32_t first_row(const Context& c) {
  return c.id.warp % kWarps * kRows;
}

// Tells that the tensor core may have read it until now.
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
  Parts a = in_registers ? read_registers(c, i, product.columns / 2)
                         : read_shared(c, i, a_matrix, first_row(c), kRows);
  Parts b = read_shared(c, i, b_matrix, 0, product.columns);
  if ((i->value & 1) != 0) {
    negate(a);
  }
  if ((i->value & 2) != 0) {
    negate(b);
  }
  add_products(c, i, a, b);
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
