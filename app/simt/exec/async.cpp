#include "simt/exec/async.h"

#include "simt/exec/memory_access.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilestep::simt {
namespace {

// A copy of as much is written as cp.async.cg, which PTX allows for 16 bytes alone; libraries never
// write the other form, .ca, for them.
constexpr std::uint32_t kBytesPastL1 = 16;

void prepare_groups(Warp& warp) {
  if (warp.copy_groups.empty()) {
    warp.copy_groups.assign(kLanes, 0);
  }
}

// Lanes that read the same number of bytes, from `lanes`.
[[nodiscard]] std::uint32_t alike(const AsyncCopy& copy, std::uint32_t lanes) {
  const std::uint8_t given = copy.given[static_cast<std::size_t>(std::countr_zero(lanes))];
  std::uint32_t same = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    same |= copy.given[lane] == given ? 1U << lane : 0U;
  }
  return same;
}

// Reports what is read; the lanes whose source can be.
[[nodiscard]] std::uint32_t check_sources(Context& c, const Bound* i, AsyncCopy& copy) {
  const std::uint32_t lanes = c.mask;
  std::uint32_t good = 0;
  for (std::uint32_t left = lanes; left != 0; left &= ~c.mask) {
    c.mask = alike(copy, left);
    const std::uint32_t bytes = copy.given[static_cast<std::size_t>(std::countr_zero(c.mask))];
    good |= bytes == 0
                ? c.mask
                : check_lanes(c, i, AccessKind::Load, ptx::Space::Global, copy.from.data(), bytes);
  }
  c.mask = lanes;
  return good;
}

void arrive(Context& c, const Bound* i, const AsyncCopy& copy, std::uint32_t lanes) {
  if (c.observer != nullptr) {
    c.event.addresses.look_at(copy.to.data(), 0);
    c.event.shape = AccessShape::Any;
    c.event.is_arrival = true;
    emit_access(c, i, AccessKind::Store, ptx::Space::Shared, copy.bytes, lanes);
    c.event.is_arrival = false;
  }
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::array<std::byte, 16> bytes{};
    if (copy.given[lane] != 0) {
      std::memcpy(bytes.data(), lane_memory(c, copy.from[lane], false), copy.given[lane]);
    }
    std::memcpy(lane_memory(c, copy.to[lane], true), bytes.data(), copy.bytes);
  }
}

// Copies of the executing lanes arrive, but for those of their last `left` groups and, unless
// `open`, of the group that is not committed yet.
void finish(Context& c, const Bound* i, std::uint32_t left, bool open) {
  Warp& warp = c.warp;
  prepare_groups(warp);
  for (AsyncCopy& copy : warp.copies) {
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = copy.mask & c.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const bool done = open || copy.group[lane] + std::uint64_t{left} < warp.copy_groups[lane];
      lanes |= done ? 1U << lane : 0U;
    }
    if (lanes != 0) {
      arrive(c, i, copy, lanes);
      copy.mask &= ~lanes;
    }
  }
  std::erase_if(warp.copies, [](const AsyncCopy& copy) { return copy.mask == 0; });
}

}  // namespace

const Bound* copy_async(Context& c, const Bound* i) {
  prepare_groups(c.warp);
  AsyncCopy copy;
  copy.bytes = static_cast<std::uint32_t>(i->value);
  const std::uint32_t ignored = i->in[1] == kNoSlot ? 0 : row<const std::uint32_t>(c, i->in[1])[0];
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    copy.to[lane] = lane_address(c, i->detail->addresses[0], lane) | kSharedWindow;
    copy.from[lane] = lane_address(c, i->detail->addresses[1], lane);
    const std::uint32_t given = (ignored >> lane & 1U) != 0 ? 0
                                : i->in[0] == kNoSlot       ? copy.bytes
                                                      : row<const std::uint32_t>(c, i->in[0])[lane];
    copy.given[lane] = static_cast<std::uint8_t>(std::min(given, copy.bytes));
    copy.group[lane] = c.warp.copy_groups[lane];
  }
  c.event.skips_l1 = copy.bytes == kBytesPastL1;
  copy.mask = check_sources(c, i, copy);
  const std::uint32_t lanes = c.mask;
  c.mask = copy.mask;
  if (c.mask != 0) {
    c.event.is_issue = true;
    copy.mask =
        check_lanes(c, i, AccessKind::Store, ptx::Space::Shared, copy.to.data(), copy.bytes);
    c.event.is_issue = false;
  }
  c.event.skips_l1 = false;
  c.mask = lanes;
  if (copy.mask != 0) {
    c.warp.copies.push_back(copy);
  }
  return i + 1;
}

const Bound* commit_copies(Context& c, const Bound* i) {
  prepare_groups(c.warp);
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    ++c.warp.copy_groups[static_cast<std::size_t>(std::countr_zero(left))];
  }
  return i + 1;
}

const Bound* await_copies(Context& c, const Bound* i) {
  finish(c, i, static_cast<std::uint32_t>(i->value), false);
  return i + 1;
}

const Bound* await_all_copies(Context& c, const Bound* i) {
  finish_copies(c, i);
  return i + 1;
}

void finish_copies(Context& c, const Bound* i) {
  finish(c, i, 0, true);
}

}  // namespace tilestep::simt
