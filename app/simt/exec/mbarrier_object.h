// The 64 bits of an mbarrier object. They are opaque to programs; here they hold, from the lowest:
// arrivals that are pending (20 bits), those that the next phase expects (20), bytes of
// transactions that are pending (22, signed), a free bit, and the parity of the phase (1).
#pragma once

#include "simt/state/event.h"

#include <cstdint>

namespace tilestep::simt {

struct MbarrierObject {
  static constexpr std::uint32_t kCountBits = 20;
  static constexpr std::uint32_t kBytesBits = 22;
  static constexpr std::uint64_t kCountMask = (1ULL << kCountBits) - 1;
  static constexpr std::uint64_t kBytesMask = (1ULL << kBytesBits) - 1;

  std::uint64_t pending = 0;
  std::uint64_t expected = 0;
  std::int64_t bytes = 0;
  std::uint64_t phase = 0;  // parity: 0 of the first

  explicit MbarrierObject(std::uint64_t word)
      : pending(word & kCountMask),
        expected(word >> kCountBits & kCountMask),
        bytes(static_cast<std::int64_t>(word >> (2 * kCountBits) << (64 - kBytesBits)) >>
              (64 - kBytesBits)),
        phase(word >> 63) {}

  [[nodiscard]] std::uint64_t word() const {
    return (pending & kCountMask) | (expected & kCountMask) << kCountBits |
           (static_cast<std::uint64_t>(bytes) & kBytesMask) << (2 * kCountBits) | phase << 63;
  }
};

// BarrierEvent::id of the object at a shared address.
[[nodiscard]] inline std::uint32_t mbarrier_number(std::uint64_t address) {
  return kFirstMbarrier + static_cast<std::uint32_t>((address & 0xffffffffU) / 8);
}
// Its generic address.
[[nodiscard]] inline std::uint64_t mbarrier_address(std::uint32_t number) {
  return kSharedWindow | std::uint64_t{number - kFirstMbarrier} * 8;
}

}  // namespace tilestep::simt
