// One access, added to a launch's counters.
#pragma once

#include "insight/access_shape.h"
#include "insight/counters.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::insight {

[[nodiscard]] std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program);

[[nodiscard]] inline AccessCounters& counters_of(Counters& counters,
                                                 const simt::MemoryEvent& event) {
  const bool global = event.space == ptx::Space::Global;
  switch (event.kind) {
    case simt::AccessKind::Load:
      return global ? counters.global_loads : counters.shared_loads;
    case simt::AccessKind::Store:
      return global ? counters.global_stores : counters.shared_stores;
    case simt::AccessKind::Atomic:
      break;
  }
  return global ? counters.global_atomics : counters.shared_atomics;
}

// A global or shared access. `element_bytes` by launch buffer. A word of several elements counts as
// all of them.
inline void count_access(Counters& counters, std::span<const std::uint32_t> element_bytes,
                         const simt::MemoryEvent& event, Shape& shape) {
  AccessCounters& target = counters_of(counters, event);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(event.mask));
  target.requests += 1;
  target.elements += lanes;
  target.bytes += lanes * event.bytes;
  if (event.space == ptx::Space::Shared) {
    target.wavefronts += shape.wavefronts;
    return;
  }
  target.sectors += ShapeCache::sectors(shape, event);
  // Lanes that reach several buffers, through pointers chosen by lane, are rare.
  const auto add = [&](std::uint64_t address, std::uint64_t accesses) {
    const std::uint64_t window = (address - simt::kGlobalWindow) / simt::kWindowBytes;
    if (window < counters.buffers.size()) {
      BufferCounters& buffer = counters.buffers[window];
      const std::uint64_t elements = accesses * std::max(1U, event.bytes / element_bytes[window]);
      buffer.loads += event.kind != simt::AccessKind::Store ? elements : 0;
      buffer.stores += event.kind != simt::AccessKind::Load ? elements : 0;
    }
  };
  if (shape.one_window) {
    add(first_address(event), lanes);
    return;
  }
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    add(event.addresses[static_cast<std::size_t>(std::countr_zero(rest))], 1);
  }
}

}  // namespace tilestep::insight
