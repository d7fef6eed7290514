// Memory access for executors: resolving addresses, faults, events; and rows of interleaved memory
// (local memory, parameters), in which word w of all lanes precedes word w + 1.
#pragma once

#include "simt/exec/context.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilestep::simt {

inline constexpr std::size_t kMaxAccessBytes = 32;  // per lane, vectors included
using LaneBytes = std::array<std::array<std::byte, kMaxAccessBytes>, kLanes>;

// Memory that all lanes of an access can use at once: `data` holds [origin, origin + bytes).
struct Region {
  std::byte* data = nullptr;  // nullptr: no such region; access it lane by lane
  std::uint64_t bytes = 0;
  std::uint64_t origin = 0;
  ptx::Space space = ptx::Space::Global;
};

// Offset that makes an address in `space` generic.
[[nodiscard]] constexpr std::uint64_t generic_base(ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
      return kSharedWindow;
    case ptx::Space::Local:
      return kLocalWindow;
    case ptx::Space::Param:
      return kParamWindow;
    default:
      return 0;
  }
}

[[nodiscard]] inline const GlobalWindow* find_window(const Context& c, std::uint64_t address) {
  const std::uint64_t number = (address >> 32) - (kGlobalWindow >> 32);
  return number < c.window_count ? c.windows + number : nullptr;
}

// The shared or global region that contains a generic address.
[[nodiscard]] inline Region load_region(const Context& c, std::uint64_t address) {
  if (address >> 32 == kSharedWindow >> 32) {
    return {c.shared, c.shared_bytes, kSharedWindow, ptx::Space::Shared};
  }
  if (const GlobalWindow* const window = find_window(c, address)) {
    if (window->is_heap) {
      return {};
    }
    // Loads never write through it.
    return {const_cast<std::byte*>(window->data), window->bytes, address >> 32 << 32,
            window->read_only ? ptx::Space::Const : ptx::Space::Global};
  }
  return {};
}
[[nodiscard]] inline Region store_region(const Context& c, std::uint64_t address) {
  if (address >> 32 == kSharedWindow >> 32) {
    return {c.shared, c.shared_bytes, kSharedWindow, ptx::Space::Shared};
  }
  const GlobalWindow* const window = find_window(c, address);
  if (window == nullptr || window->writable == nullptr || window->is_heap) {
    return {};
  }
  return {window->writable, window->bytes, address >> 32 << 32, ptx::Space::Global};
}

// Reports an access to the observer; the caller sets event.addresses and shape.
void emit_access(Context& c, const Bound* i, AccessKind kind, ptx::Space space, std::uint32_t bytes,
                 std::uint32_t mask);

// Lane by lane, with every check: faults are reported; lanes with a fault load zeros and store
// nothing. `addresses` are generic.
void load_lanes(Context& c, const Bound* i, const std::uint64_t* addresses, std::uint32_t bytes,
                LaneBytes& to);
void store_lanes(Context& c, const Bound* i, const std::uint64_t* addresses, std::uint32_t bytes,
                 const LaneBytes& from);

// Returns the lanes that may access `bytes` at their generic addresses; reports the others, and the
// access of each space. Misaligned addresses are aligned down. The common part of loads, stores and
// atomics.
std::uint32_t check_lanes(Context& c, const Bound* i, AccessKind kind, std::uint64_t* addresses,
                          std::uint32_t bytes);
std::uint32_t check_lanes(Context& c, const Bound* i, AccessKind kind, ptx::Space space,
                          std::uint64_t* addresses, std::uint32_t bytes);
// A lane's address.
[[nodiscard]] inline std::uint64_t lane_address(const Context& c, const AddressOperand& address,
                                                std::uint32_t lane) {
  const std::uint64_t base = address.narrow ? row<const std::uint32_t>(c, address.slot)[lane]
                                            : row<const std::uint64_t>(c, address.slot)[lane];
  return base + address.offset;
}
// One lane's bytes in a space that is not interleaved; nullptr: local memory.
[[nodiscard]] std::byte* lane_memory(Context& c, std::uint64_t address, bool writes);
// One lane's bytes in interleaved memory.
void read_interleaved(const std::byte* rows, std::uint64_t offset, std::uint32_t lane,
                      std::byte* to, std::uint32_t bytes);
void write_interleaved(std::byte* rows, std::uint64_t offset, std::uint32_t lane,
                       const std::byte* from, std::uint32_t bytes);

}  // namespace tilestep::simt
