// The core of a tiled product's inner loop: two factors from shared memory, and their product
// added, in one pass (see isa_fused.cpp). Both factors' registers are written as well. Compiled for
// AVX2 only: the baseline has no fused multiply-add to gain from.
#include "simt/exec/float_semantics.h"
#include "simt/exec/memory_shapes.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using std::uint32_t;
using std::uint64_t;
using Space = ptx::Space;

// One instruction at a time: the addresses have another shape, or nothing can be fused.
[[gnu::noinline]] const Bound* one_by_one(Context& c, const Bound* i, uint32_t count) {
  const uint32_t variant = c.variant;
  for (const Bound* const end = i + count; i != end;) {
    i = i->run[variant](c, i);
  }
  return i;
}

// A factor in memory: one element for all lanes of a group, or one for each lane.
template <bool kSame>
[[gnu::always_inline]] inline __m256 load_group(const std::byte* from) {
  if constexpr (kSame) {
    float value = 0.0F;
    std::memcpy(&value, from, sizeof value);
    return _mm256_set1_ps(value);
  } else {
    __m256 values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
}

// Source and destination of a factor.
struct Factor {
  const std::byte* data;  // of address 0
  const KnownAddresses& known;
  float* to;
};

template <bool kSameX, bool kSameY>
[[gnu::always_inline]] inline void multiply(const Factor& x, const Factor& y, const float* s,
                                            float* d) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(kCanonicalNan)));
#pragma GCC unroll 4
  for (uint32_t g = 0; g < 4; ++g) {
    const __m256 p = load_group<kSameX>(x.data + x.known.first[g]);
    const __m256 q = load_group<kSameY>(y.data + y.known.first[g]);
    const __m256 sum = _mm256_fmadd_ps(p, q, _mm256_loadu_ps(s + g * kGroup));
    _mm256_storeu_ps(x.to + g * kGroup, p);
    _mm256_storeu_ps(y.to + g * kGroup, q);
    const __m256 is_number = _mm256_cmp_ps(sum, sum, _CMP_ORD_Q);
    _mm256_storeu_ps(d + g * kGroup, _mm256_blendv_ps(nan, sum, is_number));
  }
}

template <bool kObserved>
[[gnu::always_inline]] inline const Bound* multiply_known(Context& c, const Bound* i,
                                                          const uint64_t* x, const uint64_t* y) {
  const KnownAddresses& at_x = c.known[i->known];
  const KnownAddresses& at_y = c.known[i[1].known];
  const auto x_bias = static_cast<uint64_t>(i->value);
  const auto y_bias = static_cast<uint64_t>(i[1].value);
  const Region region = region_of<Space::Shared, false>(c, 0);
  if (!all_fit<sizeof(float)>(at_x, x_bias, region) ||
      !all_fit<sizeof(float)>(at_y, y_bias, region)) [[unlikely]] {
    return one_by_one(c, i, 3);
  }
  if constexpr (kObserved) {
    emit(c, i, AccessKind::Load, Space::Shared,
         at_x.same ? AccessShape::Same : AccessShape::Consecutive, sizeof(float), x,
         x_bias + generic_base(Space::Shared));
    emit(c, i + 1, AccessKind::Load, Space::Shared,
         at_y.same ? AccessShape::Same : AccessShape::Consecutive, sizeof(float), y,
         y_bias + generic_base(Space::Shared));
  }
  const Factor p{region.data + x_bias, at_x, row<float>(c, i->d)};
  const Factor q{region.data + y_bias, at_y, row<float>(c, i[1].d)};
  const float* const s = row<const float>(c, i[2].in[2]);
  float* const d = row<float>(c, i[2].d);
  if (at_x.same && !at_y.same) {
    multiply<true, false>(p, q, s, d);
  } else if (!at_x.same && at_y.same) {
    multiply<false, true>(p, q, s, d);
  } else if (at_x.same) {
    multiply<true, true>(p, q, s, d);
  } else {
    multiply<false, false>(p, q, s, d);
  }
  return i + 3;
}

template <bool kObserved>
[[gnu::noinline]] const Bound* look_and_multiply(Context& c, const Bound* i) {
  const uint64_t* const x = row<const uint64_t>(c, i->in[0]);
  const uint64_t* const y = row<const uint64_t>(c, i[1].in[0]);
  known_addresses<sizeof(float)>(c, i, x);
  known_addresses<sizeof(float)>(c, i + 1, y);
  return multiply_known<kObserved>(c, i, x, y);
}

// ld.shared.f32 p, [x]; ld.shared.f32 q, [y]; fma.rn.f32 d, p, q, s (or q, p).
template <bool kObserved>
const Bound* load_two_and_multiply(Context& c, const Bound* i) {
  if (c.mask != kAllLanes) [[unlikely]] {
    return one_by_one(c, i, 3);
  }
  const uint64_t* const x = row<const uint64_t>(c, i->in[0]);
  const uint64_t* const y = row<const uint64_t>(c, i[1].in[0]);
  if (!is_known(c, i, x) || !is_known(c, i + 1, y)) [[unlikely]] {
    return look_and_multiply<kObserved>(c, i);
  }
  return multiply_known<kObserved>(c, i, x, y);
}

// The factors that a chain reads first, by group.
struct Factors {
  const std::byte* x[4];
  const std::byte* y[4];
};

// The rounds of a chain, without a check for NaNs. Returns whether the sum is a number in every
// lane: then all earlier sums were numbers too.
template <bool kSameX, bool kSameY, bool kCanonical>
[[gnu::always_inline]] inline bool multiply_rounds(const ProductChain& chain, const Factors& at,
                                                   std::byte* frame, __m256 (&sum)[4]) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(kCanonicalNan)));
  for (const ProductRound& round : chain.rounds) {
    float* const x_to = reinterpret_cast<float*>(frame + round.x_to);
    float* const y_to = reinterpret_cast<float*>(frame + round.y_to);
    float* const sum_to = reinterpret_cast<float*>(frame + round.sum_to);
#pragma GCC unroll 4
    for (uint32_t g = 0; g < 4; ++g) {
      const __m256 p = load_group<kSameX>(at.x[g] + round.x);
      const __m256 q = load_group<kSameY>(at.y[g] + round.y);
      sum[g] = _mm256_fmadd_ps(p, q, sum[g]);
      if constexpr (kCanonical) {
        sum[g] = _mm256_blendv_ps(nan, sum[g], _mm256_cmp_ps(sum[g], sum[g], _CMP_ORD_Q));
      }
      _mm256_storeu_ps(x_to + g * kGroup, p);
      _mm256_storeu_ps(y_to + g * kGroup, q);
      _mm256_storeu_ps(sum_to + g * kGroup, sum[g]);
    }
  }
  const __m256 low = _mm256_and_ps(_mm256_cmp_ps(sum[0], sum[0], _CMP_ORD_Q),
                                   _mm256_cmp_ps(sum[1], sum[1], _CMP_ORD_Q));
  const __m256 high = _mm256_and_ps(_mm256_cmp_ps(sum[2], sum[2], _CMP_ORD_Q),
                                    _mm256_cmp_ps(sum[3], sum[3], _CMP_ORD_Q));
  return _mm256_movemask_ps(_mm256_and_ps(low, high)) == 0xff;
}

template <bool kSameX, bool kSameY>
void multiply_chain(const ProductChain& chain, const Factors& at, std::byte* frame,
                    const float* s) {
  __m256 start[4];
  __m256 sum[4];
  for (uint32_t g = 0; g < 4; ++g) {
    start[g] = _mm256_loadu_ps(s + g * kGroup);
    sum[g] = start[g];
  }
  if (!multiply_rounds<kSameX, kSameY, false>(chain, at, frame, sum)) [[unlikely]] {
    multiply_rounds<kSameX, kSameY, true>(chain, at, frame, start);
  }
}

// What is known about an address register, computed if necessary.
[[gnu::always_inline]] inline const KnownAddresses& addresses_of(Context& c, const Bound* i) {
  return known_addresses<sizeof(float)>(c, i, row<const uint64_t>(c, i->in[0]));
}

void tell_chain(Context& c, const Bound* i, const KnownAddresses& x, const KnownAddresses& y) {
  const auto known_register = [](const KnownAddresses& known, uint32_t first,
                                 const std::vector<uint32_t>& further) {
    return LoadRun::Register{known.row, generic_base(Space::Shared),
                             known.same ? AccessShape::Same : AccessShape::Consecutive, first,
                             further};
  };
  LoadRun run;
  run.registers = {known_register(x, 0, i->chain->further_x),
                   known_register(y, 1, i->chain->further_y)};
  run.loads = i->chain->loads;
  c.observer->on_load_run(step_info(c, i), run, c.event);
}

template <bool kObserved>
const Bound* product_chain(Context& c, const Bound* i) {
  const ProductChain& chain = *i->chain;
  const auto count = static_cast<uint32_t>(chain.rounds.size() * 3);
  if (c.mask != kAllLanes) [[unlikely]] {
    return one_by_one(c, i, count);
  }
  const KnownAddresses& x = addresses_of(c, i);
  const KnownAddresses& y = addresses_of(c, i + 1);
  const Region region = region_of<Space::Shared, false>(c, 0);
  constexpr uint32_t kAlign = sizeof(float);
  if (!all_fit<kAlign>(x, chain.lowest_x, region) || !all_fit<kAlign>(x, chain.highest_x, region) ||
      !all_fit<kAlign>(y, chain.lowest_y, region) || !all_fit<kAlign>(y, chain.highest_y, region))
      [[unlikely]] {
    return one_by_one(c, i, count);
  }
  if constexpr (kObserved) {
    tell_chain(c, i, x, y);
  }
  Factors at;
  for (uint32_t g = 0; g < 4; ++g) {
    at.x[g] = region.data + (x.first[g] + chain.lowest_x);
    at.y[g] = region.data + (y.first[g] + chain.lowest_y);
  }
  std::byte* const frame = c.base[static_cast<std::size_t>(Base::Frame)];
  const float* const s = row<const float>(c, i[2].in[2]);
  if (x.same && !y.same) {
    multiply_chain<true, false>(chain, at, frame, s);
  } else if (!x.same && y.same) {
    multiply_chain<false, true>(chain, at, frame, s);
  } else if (x.same) {
    multiply_chain<true, true>(chain, at, frame, s);
  } else {
    multiply_chain<false, false>(chain, at, frame, s);
  }
  return i + count;
}

}  // namespace

Executors find_product_chain() {
  return {product_chain<false>, nullptr, product_chain<true>, nullptr};
}

Executors find_load_two_and_multiply() {
  return {load_two_and_multiply<false>, nullptr, load_two_and_multiply<true>, nullptr};
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
