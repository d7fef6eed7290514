// The two shapes of most accesses in real kernels, by groups of 8 lanes: consecutive elements, or
// one element for all. They are recognized in a few instructions and moved as vectors.
#pragma once

#include "simt/exec/lanes.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {

inline constexpr std::uint32_t kGroup = 8;
inline constexpr std::uint32_t kAllLanes = ~0U;

// Four lanes' addresses. Vectors are explicit because the compiler transposes the plain loop.
using Quad = std::uint64_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Quad quad(const std::uint64_t* from) {
  Quad q;
  std::memcpy(&q, from, sizeof q);
  return q;
}

[[gnu::always_inline]] inline bool all_zero(const Quad& q) {
#if defined(TILESTEP_SIMT_AVX2)
  const auto bits = reinterpret_cast<__m256i>(q);
  return _mm256_testz_si256(bits, bits) != 0;
#else
  return (q[0] | q[1] | q[2] | q[3]) == 0;
#endif
}

// Determines the shape of an access to elements of kStep bytes.
template <std::uint32_t kStep>
[[gnu::noinline]] void look_at(KnownAddresses& known, const std::uint64_t* a) {
  constexpr Quad kLow = {0, kStep, 2 * kStep, 3 * kStep};
  constexpr Quad kHigh = {4 * kStep, 5 * kStep, 6 * kStep, 7 * kStep};
  Quad consecutive = {};
  Quad same = {};
  for (std::uint32_t first = 0; first < kLanes; first += kGroup) {
    const Quad low = quad(a + first) - a[first];
    const Quad high = quad(a + first + 4) - a[first];
    same |= low | high;
    consecutive |= (low ^ kLow) | (high ^ kHigh);
  }
  const std::uint64_t f[] = {a[0], a[kGroup], a[2 * kGroup], a[3 * kGroup]};
  const std::uint64_t uneven = (f[0] ^ f[1]) | (f[0] ^ f[2]) | (f[0] ^ f[3]);
  known.row = a;
  known.same = all_zero(same);
  known.lowest = 0;
  known.end = 0;
  if ((known.same || all_zero(consecutive)) && (uneven & (kStep - 1)) == 0) {
    known.lowest = std::min(std::min(f[0], f[1]), std::min(f[2], f[3]));
    known.end = std::max(std::max(f[0], f[1]), std::max(f[2], f[3])) +
                (known.same ? kStep : kGroup * kStep);
  }
  std::memcpy(known.first.data(), f, sizeof f);
}

// Whether an earlier access in the same stretch has determined the shape of the access's address
// register. The row shows whether that access was executed in this context: a run may begin at any
// pc.
[[nodiscard]] inline bool is_known(const Context& c, const Bound* i, const std::uint64_t* a) {
  return i->follows && c.known[i->known].row == a;
}

template <std::uint32_t kStep>
[[gnu::always_inline]] inline const KnownAddresses& known_addresses(Context& c, const Bound* i,
                                                                    const std::uint64_t* a) {
  KnownAddresses& known = c.known[i->known];
  if (!is_known(c, i, a)) [[unlikely]] {
    look_at<kStep>(known, a);
  }
  return known;
}

// Whether all lanes, with `bias` added to their addresses, are inside and aligned.
template <std::uint32_t kAlign>
[[gnu::always_inline]] inline bool all_fit(const KnownAddresses& known, std::uint64_t bias,
                                           const Region& region) {
  const std::uint64_t lowest = known.lowest + bias;
  const std::uint64_t end = known.end + bias;
  // `lowest < end` rules out a wrap-around.
  return lowest < end && end <= region.bytes && (lowest & (kAlign - 1)) == 0;
}

// The region of an access, determined by its first executing lane.
template <ptx::Space kSpace, bool kStore>
[[gnu::always_inline]] inline Region region_of(const Context& c, std::uint64_t address) {
  if constexpr (kSpace == ptx::Space::Shared) {
    return {c.shared, c.shared_bytes, 0, ptx::Space::Shared};
  } else {
    const Region region = kStore ? store_region(c, address) : load_region(c, address);
    const bool wrong_space = kSpace != ptx::Space::Generic && region.space == ptx::Space::Shared;
    return wrong_space ? Region{} : region;
  }
}

// Whether a lane of the group executes.
[[nodiscard]] constexpr bool has_lanes(std::uint32_t mask, std::uint32_t first) {
  return (mask >> first & 0xffU) != 0;
}

// Offsets of all lanes in groups with an executing lane; inactive lanes there get the offset of the
// first executing lane. False if an offset is outside or misaligned.
[[nodiscard]] inline bool lane_offsets(const Context& c, const std::uint64_t* a, std::uint64_t bias,
                                       const Region& region, std::uint32_t bytes,
                                       std::uint64_t (&offsets)[kLanes]) {
  if (region.bytes < bytes) {
    return false;
  }
  const std::uint64_t last = region.bytes - bytes;
  const std::uint64_t stand_in = a[std::countr_zero(c.mask)] + bias;
  const std::uint32_t mask = c.mask;
  std::uint64_t outside = 0;
  std::uint64_t low_bits = 0;
  for (std::uint32_t first = 0; first < kLanes; first += kGroup) {
    if (!has_lanes(mask, first)) {
      continue;
    }
    for (std::uint32_t lane = first; lane < first + kGroup; ++lane) {
      const std::uint64_t offset = (mask >> lane & 1U) != 0 ? a[lane] + bias : stand_in;
      offsets[lane] = offset;
      outside |= offset > last ? 1U : 0U;
      low_bits |= offset;
    }
  }
  return outside == 0 && (low_bits & (std::bit_floor(bytes) - 1)) == 0;
}

// Local memory at one address for all executing lanes, which is nearly always the case.
struct LocalRows {
  std::uint32_t* words = nullptr;
  std::uint32_t byte = 0;
};

template <ptx::Space kSpace>
[[nodiscard]] inline LocalRows local_rows(const Context& c, const std::uint64_t* a,
                                          std::uint64_t bias, std::uint32_t bytes) {
  const std::uint64_t address = a[std::countr_zero(c.mask)];
  const std::uint64_t generic = address + bias;
  if (kSpace == ptx::Space::Shared || generic >> 32 != kLocalWindow >> 32) {
    return {};
  }
  std::uint64_t differences = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    differences |= (c.mask >> lane & 1U) != 0 ? a[lane] ^ address : 0;
  }
  const std::uint64_t offset = generic & 0xffffffffU;
  const bool fits = offset + bytes <= c.local_bytes;
  if (differences != 0 || !fits || (offset & (std::bit_floor(bytes) - 1)) != 0) {
    return {};
  }
  return {reinterpret_cast<std::uint32_t*>(c.local + offset / 4 * kWordRow),
          static_cast<std::uint32_t>(offset % 4)};
}

[[nodiscard]] inline Slot element_slot(const Bound* i, std::uint32_t element) {
  return i->elements == 1 ? i->d : i->detail->slots[element];
}

// Reports an access whose lanes all passed the checks.
[[gnu::always_inline]] inline void emit(Context& c, const Bound* i, AccessKind kind,
                                        ptx::Space space, AccessShape shape, std::uint32_t bytes,
                                        const std::uint64_t* a, std::uint64_t bias) {
  c.event.addresses.look_at(a, bias);
  c.event.shape = shape;
  emit_access(c, i, kind, space, bytes, c.mask);
}

// An access to a local variable by name is an event like any other; one to a parameter is not.
inline void emit_named(Context& c, const Bound* i, AccessKind kind, std::uint32_t element_bytes) {
  if (c.observer == nullptr || i->in[0].base != Base::Local) {
    return;
  }
  const std::uint64_t offset =
      i->in[0].offset / kWordRow * 4 + static_cast<std::uint64_t>(i->value);
  c.event.addresses.fill(kLocalWindow + c.frame_local + offset);
  c.event.shape = AccessShape::Same;
  emit_access(c, i, kind, ptx::Space::Local, i->elements * element_bytes, c.mask);
}

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
