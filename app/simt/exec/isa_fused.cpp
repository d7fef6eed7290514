// Short sequences that compilers often produce, executed in one pass over the lanes. Every register
// of the sequence is still written, so the state equals that of separate steps.
#include "simt/exec/float_semantics.h"
#include "simt/exec/isa.h"
#include "simt/exec/lanes.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using std::int32_t;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

// cvt.s64.s32 p, a; shl.b64 q, p, k; add.s64 d, x, q: the address of an element.
const Bound* element_address(Context& c, const Bound* i) {
  const int32_t* const a = row<const int32_t>(c, i->in[0]);
  const uint64_t* const x = row<const uint64_t>(c, i[2].in[0]);
  uint64_t* const p = row<uint64_t>(c, i->d);
  uint64_t* const q = row<uint64_t>(c, i[1].d);
  uint64_t* const d = row<uint64_t>(c, i[2].d);
  const auto count = static_cast<uint32_t>(i[1].value & 63);
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto wide = static_cast<uint64_t>(int64_t{a[lane]});
    p[lane] = wide;
    const uint64_t shifted = wide << count;
    q[lane] = shifted;
    d[lane] = x[lane] + shifted;
  }
  return i + 3;
}

// mov.u64 p, a; cvta.shared.u64 d, p (an addition).
const Bound* move_and_add(Context& c, const Bound* i) {
  const uint64_t* const a = row<const uint64_t>(c, i->in[0]);
  const uint64_t* const x = row<const uint64_t>(c, i[1].in[1]);
  uint64_t* const p = row<uint64_t>(c, i->d);
  uint64_t* const d = row<uint64_t>(c, i[1].d);
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t value = a[lane];
    p[lane] = value;
    d[lane] = value + x[lane];
  }
  return i + 2;
}

// mul.f32 p, a, b; add.f32 d, x, p: two roundings.
const Bound* multiply_then_add(Context& c, const Bound* i) {
  const uint32_t* const a = row<const uint32_t>(c, i->in[0]);
  const uint32_t* const b = row<const uint32_t>(c, i->in[1]);
  const uint32_t* const x = row<const uint32_t>(c, i[1].in[0]);
  uint32_t* const p = row<uint32_t>(c, i->d);
  uint32_t* const d = row<uint32_t>(c, i[1].d);
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const float product =
        float_mul<float, kPlain>(from_bits<float>(a[lane]), from_bits<float>(b[lane]));
    p[lane] = to_bits<float>(product);
    d[lane] = to_bits<float>(float_add<float, kPlain>(from_bits<float>(x[lane]), product));
  }
  return i + 2;
}

// Two moves of words.
inline void move_words(Context& c, const Bound* i) {
  const uint32_t* const a = row<const uint32_t>(c, i->in[0]);
  uint32_t* const d = row<uint32_t>(c, i->d);
#pragma GCC ivdep
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    d[lane] = a[lane];
  }
}
const Bound* move_twice(Context& c, const Bound* i) {
  move_words(c, i);
  move_words(c, i + 1);
  return i + 2;
}
const Bound* move_twice_and_jump(Context& c, const Bound* i) {
  move_words(c, i);
  move_words(c, i + 1);
  return i + 2 + i[2].jump;
}

}  // namespace

#if defined(TILESTEP_SIMT_AVX2)
Executors find_load_two_and_multiply();
Executors find_product_chain();
#else
static Executors find_load_two_and_multiply() {
  return {};
}
static Executors find_product_chain() {
  return {};
}
#endif

FusedExecutors find_fused() {
  return {element_address,     move_and_add,        multiply_then_add,
          move_twice,          move_twice_and_jump, find_load_two_and_multiply(),
          find_product_chain()};
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
