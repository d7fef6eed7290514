#include "problem/launch/tensor_map.h"
#include "problem/tr.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tilestep::simt {
namespace {

using problem::TensorMap;

constexpr std::uint32_t kPieceBytes = 16;

// Bytes that are moved together. `inside`: their place in global memory is part of the tensor.
struct Piece {
  std::uint64_t shared = 0;
  std::uint64_t global = 0;
  std::uint32_t bytes = kPieceBytes;
  bool inside = true;
};

[[nodiscard]] std::optional<TensorMap> read_map(Context& c, std::uint64_t address) {
  const std::byte* const memory = lane_memory(c, address, false);
  return memory == nullptr ? std::nullopt
                           : problem::tensor_map_of({memory, problem::kTensorMapBytes});
}

// The pieces of one box, row after row.
template <class Visit>
void visit_box(const BulkCopy& copy, const TensorMap& map, Visit visit) {
  const auto size = static_cast<std::uint32_t>(problem::byte_size(map.type));
  const std::uint32_t row_bytes = map.box_cols * size;
  for (std::uint32_t r = 0; r < map.box_rows; ++r) {
    const std::int64_t row = std::int64_t{copy.at[1]} + r;
    const bool row_inside = row >= 0 && row < map.rows;
    for (std::uint32_t byte = 0; byte < row_bytes; byte += kPieceBytes) {
      const std::int64_t col = copy.at[0] + byte / size;
      Piece piece{problem::swizzled(copy.shared + r * row_bytes + byte, map.swizzle)};
      piece.global = map.address + static_cast<std::uint64_t>(row) * map.row_bytes +
                     static_cast<std::uint64_t>(col) * size;
      const std::int64_t last = col + kPieceBytes / size - 1;
      if (!row_inside || last < 0 || col >= map.cols) {
        piece.inside = false;
        visit(piece);
      } else if (col >= 0 && last < map.cols) {
        visit(piece);
      } else {  // the matrix begins or ends within the piece
        piece.bytes = size;
        for (std::int64_t at = col; at <= last; ++at) {
          piece.inside = at >= 0 && at < map.cols;
          visit(piece);
          piece.shared += size;
          piece.global += size;
        }
      }
    }
  }
}

template <class Visit>
void visit_pieces(Context& c, const BulkCopy& copy, Visit visit) {
  if (copy.map != 0) {
    visit_box(copy, *read_map(c, copy.map), visit);
    return;
  }
  for (std::uint32_t byte = 0; byte < copy.bytes; byte += kPieceBytes) {
    visit(Piece{copy.shared + byte, copy.global + byte});
  }
}

// The thread that issued the copy, at that instruction.
[[nodiscard]] StepInfo issuer_of(Context& c, const BulkCopy& copy) {
  StepInfo info = c.info;
  info.id = copy.issuer;
  info.function = copy.function;
  info.frame = copy.frame;
  info.pc = copy.pc;
  info.instruction = &c.program.module->functions[copy.function].instructions[copy.pc];
  info.active = info.mask = 1U << copy.lane;
  return info;
}

void tell(Context& c, const StepInfo& info, AccessKind kind, ptx::Space space,
          std::uint64_t address, std::uint32_t bytes) {
  if (c.observer == nullptr) {
    return;
  }
  MemoryEvent event;
  event.kind = kind;
  event.space = space;
  event.bytes = bytes;
  event.mask = info.mask;
  event.agent = AccessAgent::TmaUnit;
  event.is_arrival = space == ptx::Space::Shared;
  event.addresses.fill(address);
  c.observer->on_memory(info, event);
}

void perform(Context& c, const BulkCopy& copy) {
  const StepInfo info = issuer_of(c, copy);
  visit_pieces(c, copy, [&](const Piece& piece) {
    if (copy.to_shared) {
      tell(c, info, AccessKind::Store, ptx::Space::Shared, piece.shared, piece.bytes);
      std::byte* const to = lane_memory(c, piece.shared, true);
      if (piece.inside) {
        std::memcpy(to, lane_memory(c, piece.global, false), piece.bytes);
      } else {
        std::memset(to, 0, piece.bytes);
      }
    } else if (piece.inside) {
      tell(c, info, AccessKind::Load, ptx::Space::Shared, piece.shared, piece.bytes);
      tell(c, info, AccessKind::Store, ptx::Space::Global, piece.global, piece.bytes);
      std::memcpy(lane_memory(c, piece.global, true), lane_memory(c, piece.shared, false),
                  piece.bytes);
    }
  });
}

// Checks every piece for the one lane of c.mask, and reports the reads and the future stores.
[[nodiscard]] bool check_pieces(Context& c, const Bound* i, const BulkCopy& copy) {
  std::array<std::uint64_t, kLanes> addresses{};
  bool good = true;
  const auto check = [&](AccessKind kind, ptx::Space space, std::uint64_t address,
                         std::uint32_t bytes) {
    addresses[copy.lane] = address;
    good = check_lanes(c, i, kind, space, addresses.data(), bytes) != 0 && good;
  };
  c.event.agent = AccessAgent::TmaUnit;
  visit_pieces(c, copy, [&](const Piece& piece) {
    if (piece.inside && good && copy.to_shared) {
      check(AccessKind::Load, ptx::Space::Global, piece.global, piece.bytes);
    }
    if (good && copy.to_shared) {
      c.event.is_issue = true;
      check(AccessKind::Store, ptx::Space::Shared, piece.shared, piece.bytes);
      c.event.is_issue = false;
    } else if (good && piece.inside) {
      check(AccessKind::Load, ptx::Space::Shared, piece.shared, piece.bytes);
    }
  });
  c.event.agent = AccessAgent::Thread;
  return good;
}

// Reports an address that lacks the alignment that the TMA unit requires.
[[nodiscard]] bool is_aligned(Context& c, const Bound* i, std::uint64_t address,
                              std::uint64_t alignment) {
  if (address % alignment == 0) {
    return true;
  }
  if (c.observer != nullptr) {
    FaultEvent fault;
    fault.kind = FaultKind::Misaligned;
    fault.mask = c.mask;
    fault.access = AccessKind::Store;
    fault.bytes = static_cast<std::uint32_t>(alignment);
    fault.address = address;
    fault.addresses.fill(address);
    report_fault(c, i, fault);
  }
  return false;
}

// A GPU refuses to store a box that begins before the matrix (CUDA C++ Programming Guide, "Tensor
// Memory Access"). A copy to shared memory may begin there.
[[nodiscard]] bool may_store(Context& c, const Bound* i, const BulkCopy& copy,
                             const TensorMap& map) {
  if (copy.to_shared || (copy.at[0] >= 0 && copy.at[1] >= 0)) {
    return true;
  }
  if (c.observer != nullptr) {
    FaultEvent fault;
    fault.mask = c.mask;
    fault.access = AccessKind::Store;
    fault.bytes = copy.bytes;
    fault.address = map.address + static_cast<std::uint64_t>(copy.at[1]) * map.row_bytes +
                    static_cast<std::uint64_t>(copy.at[0]) * problem::byte_size(map.type);
    fault.addresses.fill(fault.address);
    report_fault(c, i, fault);
  }
  return false;
}

// The fields that all copies of a lane share.
[[nodiscard]] BulkCopy copy_of(Context& c, const Bound* i, std::uint32_t lane) {
  const Detail& detail = *i->detail;
  BulkCopy copy;
  copy.issuer = c.id;
  copy.lane = lane;
  copy.function = c.frame().function;
  copy.frame = c.warp.paths.back().frame;
  copy.pc = i->pc;
  copy.to_shared = i->value != 0;
  copy.shared = lane_address(c, detail.addresses[0], lane) | kSharedWindow;
  if (copy.to_shared) {
    copy.mbarrier = lane_address(c, detail.addresses[2], lane) | kSharedWindow;
  } else {
    c.warp.bulk_groups.resize(kLanes, 0);
    copy.group = c.warp.bulk_groups[lane];
  }
  return copy;
}

void start(Context& c, const Bound* i, const BulkCopy& copy) {
  if (check_pieces(c, i, copy)) {
    c.block.bulk_copies.push_back(copy);
  }
}

// Performs and removes the copies that `done` selects.
template <class Done>
void finish(Context& c, Done done) {
  std::vector<BulkCopy>& copies = c.block.bulk_copies;
  const auto rest = std::stable_partition(copies.begin(), copies.end(),
                                          [&](const BulkCopy& copy) { return !done(copy); });
  const std::vector<BulkCopy> performed(rest, copies.end());
  copies.erase(rest, copies.end());
  for (const BulkCopy& copy : performed) {
    perform(c, copy);
    if (copy.mbarrier != 0) {
      complete_bytes(c, issuer_of(c, copy), copy.mbarrier, copy.bytes);
    }
  }
}

}  // namespace

const Bound* copy_bulk(Context& c, const Bound* i) {
  const std::uint32_t lanes = c.mask;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    c.mask = 1U << lane;
    BulkCopy copy = copy_of(c, i, lane);
    copy.global = lane_address(c, i->detail->addresses[1], lane);
    copy.bytes = row<const std::uint32_t>(c, i->in[0])[lane];
    if (is_aligned(c, i, copy.shared, kPieceBytes) && is_aligned(c, i, copy.global, kPieceBytes) &&
        is_aligned(c, i, copy.bytes, kPieceBytes)) {
      start(c, i, copy);
    }
  });
  c.mask = lanes;
  return i + 1;
}

const Bound* copy_bulk_tensor(Context& c, const Bound* i) {
  constexpr std::uint64_t kBoxAlignment = 128;
  const std::uint32_t lanes = c.mask;
  bool is_map = true;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    c.mask = 1U << lane;
    BulkCopy copy = copy_of(c, i, lane);
    copy.map = lane_address(c, i->detail->addresses[1], lane);
    std::array<std::uint64_t, kLanes> addresses{};
    addresses[lane] = copy.map;
    Observer* const observer = std::exchange(c.observer, nullptr);  // not an access of a thread
    const bool readable = check_lanes(c, i, AccessKind::Load, ptx::Space::Generic, addresses.data(),
                                      kPieceBytes) != 0;
    c.observer = observer;
    const std::optional<TensorMap> map = readable ? read_map(c, copy.map) : std::nullopt;
    if (!map) {
      is_map = false;
      return;
    }
    copy.bytes = map->box_bytes();
    for (std::size_t k = 0; k < copy.at.size(); ++k) {
      copy.at[k] = row<const std::int32_t>(c, i->detail->slots[k])[lane];
    }
    const auto column_bytes =
        static_cast<std::uint64_t>(copy.at[0]) * problem::byte_size(map->type);
    if (is_aligned(c, i, copy.shared, kBoxAlignment) &&
        is_aligned(c, i, column_bytes, kPieceBytes) && may_store(c, i, copy, *map)) {
      start(c, i, copy);
    }
  });
  c.mask = lanes;
  if (is_map) {
    return i + 1;
  }
  return stop_warp(
      c, i, FaultKind::NotSimulated,
      tr("{}: there is no tensor map at this address. Provide one in the launch description: {}",
         ptx::instruction_text(*c.program.module, *i->source),
         "{ tensor_map = \"A\", box = [64, 32] }."));
}

const Bound* commit_bulk_copies(Context& c, const Bound* i) {
  c.warp.bulk_groups.resize(kLanes, 0);
  for_each_lane(c.mask, [&](std::uint32_t lane) { ++c.warp.bulk_groups[lane]; });
  return i + 1;
}

const Bound* await_bulk_copies(Context& c, const Bound* i) {
  c.warp.bulk_groups.resize(kLanes, 0);
  const auto left = static_cast<std::uint64_t>(i->value);
  finish(c, [&](const BulkCopy& copy) {
    return copy.issuer == c.id && copy.mbarrier == 0 && (c.mask >> copy.lane & 1U) != 0 &&
           copy.group + left < c.warp.bulk_groups[copy.lane];
  });
  return i + 1;
}

void arrive_bulk_copies(Context& c, std::uint64_t mbarrier) {
  finish(c, [&](const BulkCopy& copy) { return copy.mbarrier == mbarrier; });
}

void finish_bulk_copies(Context& c, std::uint32_t lanes) {
  finish(c, [&](const BulkCopy& copy) {
    return copy.issuer == c.id && copy.mbarrier == 0 && (lanes >> copy.lane & 1U) != 0;
  });
}

}  // namespace tilestep::simt
