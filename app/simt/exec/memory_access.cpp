#include "simt/exec/memory_access.h"

#include <bit>

namespace tilestep::simt {
namespace {

[[nodiscard]] bool fits(std::uint64_t offset, std::uint32_t bytes, std::uint64_t size) {
  return offset <= size && size - offset >= bytes;
}

struct Resolved {
  bool inside = false;
  ptx::Space space = ptx::Space::Global;
};

// The target of a lane's access in the instruction's space (Generic: any).
[[nodiscard]] Resolved resolve(const Context& c, ptx::Space space, bool writes,
                               std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t offset = address & 0xffffffffU;
  const std::uint64_t high = address >> 32;
  const auto allowed = [&](ptx::Space found) {
    return space == ptx::Space::Generic || space == found ||
           (space == ptx::Space::Global && found == ptx::Space::Const);
  };
  if (high == kSharedWindow >> 32) {
    return {allowed(ptx::Space::Shared) && fits(offset, bytes, c.shared_bytes), ptx::Space::Shared};
  }
  if (high == kLocalWindow >> 32) {
    return {allowed(ptx::Space::Local) && fits(offset, bytes, c.local_bytes), ptx::Space::Local};
  }
  if (high == kParamWindow >> 32) {
    return {allowed(ptx::Space::Param) && !writes && fits(offset, bytes, c.program.params.size()),
            ptx::Space::Param};
  }
  if (const GlobalWindow* const window = find_window(c, address)) {
    if (window->is_heap) {
      return {allowed(ptx::Space::Global) && c.machine.is_allocated(offset, bytes),
              ptx::Space::Global};
    }
    const ptx::Space found = window->read_only ? ptx::Space::Const : ptx::Space::Global;
    return {allowed(found) && !(writes && window->read_only) && fits(offset, bytes, window->bytes),
            found};
  }
  return {};
}

void report(Context& c, const Bound* i, FaultKind kind, AccessKind access, std::uint32_t mask,
            const std::uint64_t* addresses, std::uint32_t bytes) {
  if (mask == 0 || c.observer == nullptr) {
    return;
  }
  FaultEvent fault;
  fault.kind = kind;
  fault.mask = mask;
  fault.access = access;
  fault.bytes = bytes;
  fault.address = addresses[std::countr_zero(mask)];
  std::copy_n(addresses, kLanes, fault.addresses.begin());
  report_fault(c, i, fault);
}

// Alignment of an access of `bytes`: vectors align as a whole (PTX ISA 9.0, 9.7.9.8).
[[nodiscard]] std::uint64_t alignment_mask(std::uint32_t bytes) {
  return std::bit_floor(bytes) - 1;
}

}  // namespace

void emit_access(Context& c, const Bound* i, AccessKind kind, ptx::Space space, std::uint32_t bytes,
                 std::uint32_t mask) {
  c.event.kind = kind;
  c.event.space = space;
  c.event.bytes = bytes;
  c.event.mask = mask;
  c.observer->on_memory(step_info(c, i), c.event);
}

std::uint32_t check_lanes(Context& c, const Bound* i, AccessKind kind, std::uint64_t* addresses,
                          std::uint32_t bytes) {
  return check_lanes(c, i, kind, i->source->space, addresses, bytes);
}

std::uint32_t check_lanes(Context& c, const Bound* i, AccessKind kind, ptx::Space space,
                          std::uint64_t* addresses, std::uint32_t bytes) {
  const bool writes = kind != AccessKind::Load;
  std::uint32_t outside = 0;
  std::uint32_t misaligned = 0;
  std::array<std::uint32_t, 7> by_space{};
  std::array<std::uint64_t, kLanes> asked{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    asked[lane] = addresses[lane];
    if ((c.mask >> lane & 1U) == 0) {
      continue;
    }
    const std::uint64_t aligned = addresses[lane] & ~alignment_mask(bytes);
    misaligned |= aligned != addresses[lane] ? 1U << lane : 0U;
    addresses[lane] = aligned;
    const Resolved found = resolve(c, space, writes, aligned, bytes);
    if (!found.inside) {
      outside |= 1U << lane;
    } else {
      by_space[static_cast<std::size_t>(found.space)] |= 1U << lane;
    }
  }
  report(c, i, FaultKind::Misaligned, kind, misaligned & ~outside, asked.data(), bytes);
  report(c, i, FaultKind::OutOfRange, kind, outside, asked.data(), bytes);
  for (std::size_t which = 0; which < by_space.size() && c.observer != nullptr; ++which) {
    if (by_space[which] != 0) {
      c.event.addresses.look_at(addresses, 0);
      c.event.shape = AccessShape::Any;
      emit_access(c, i, kind, static_cast<ptx::Space>(which), bytes, by_space[which]);
    }
  }
  return c.mask & ~outside;
}

std::byte* lane_memory(Context& c, std::uint64_t address, bool writes) {
  const std::uint64_t offset = address & 0xffffffffU;
  const std::uint64_t high = address >> 32;
  if (high == kSharedWindow >> 32) {
    return c.shared + offset;
  }
  if (high == kLocalWindow >> 32) {
    return nullptr;
  }
  if (high == kParamWindow >> 32) {
    return const_cast<std::byte*>(c.program.params.data()) + offset;  // checked: loads only
  }
  const std::uint64_t number = high - (kGlobalWindow >> 32);
  if (writes && c.windows[number].writable == nullptr) {
    c.machine.make_writable(static_cast<std::uint32_t>(number));
  }
  return const_cast<std::byte*>(c.windows[number].data) + offset;
}

void read_interleaved(const std::byte* rows, std::uint64_t offset, std::uint32_t lane,
                      std::byte* to, std::uint32_t bytes) {
  for (std::uint32_t b = 0; b < bytes; ++b) {
    const std::uint64_t at = offset + b;
    to[b] = rows[at / 4 * kWordRow + lane * 4 + at % 4];
  }
}

void write_interleaved(std::byte* rows, std::uint64_t offset, std::uint32_t lane,
                       const std::byte* from, std::uint32_t bytes) {
  for (std::uint32_t b = 0; b < bytes; ++b) {
    const std::uint64_t at = offset + b;
    rows[at / 4 * kWordRow + lane * 4 + at % 4] = from[b];
  }
}

void load_lanes(Context& c, const Bound* i, const std::uint64_t* addresses, std::uint32_t bytes,
                LaneBytes& to) {
  std::array<std::uint64_t, kLanes> checked{};
  std::copy_n(addresses, kLanes, checked.begin());
  const std::uint32_t good = check_lanes(c, i, AccessKind::Load, checked.data(), bytes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((good >> lane & 1U) == 0) {
      to[lane] = {};
    } else if (const std::byte* const from = lane_memory(c, checked[lane], false)) {
      std::memcpy(to[lane].data(), from, bytes);
    } else {
      read_interleaved(c.local, checked[lane] & 0xffffffffU, lane, to[lane].data(), bytes);
    }
  }
}

void store_lanes(Context& c, const Bound* i, const std::uint64_t* addresses, std::uint32_t bytes,
                 const LaneBytes& from) {
  std::array<std::uint64_t, kLanes> checked{};
  std::copy_n(addresses, kLanes, checked.begin());
  const std::uint32_t good = check_lanes(c, i, AccessKind::Store, checked.data(), bytes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((good >> lane & 1U) == 0) {
      continue;
    }
    if (std::byte* const to = lane_memory(c, checked[lane], true)) {
      note_store(c, 1U << lane);
      std::memcpy(to, from[lane].data(), bytes);
    } else {
      write_interleaved(c.local, checked[lane] & 0xffffffffU, lane, from[lane].data(), bytes);
    }
  }
}

}  // namespace tilestep::simt
