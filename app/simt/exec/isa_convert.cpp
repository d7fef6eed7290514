// cvt: the frequent combinations as vector code, every other lane by lane.
#include "simt/exec/convert_semantics.h"
#include "simt/exec/float_semantics.h"
#include "simt/exec/lanes.h"
#include "simt/exec/rounding_mode.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using R = ptx::Rounding;
using T = ptx::Type;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

struct ConvertRow {
  T to;
  T from;
  R rounding;
  LaneExecutor executor;
};

template <class D, class S>
constexpr ConvertRow r(T to, T from, R rounding = R::None) {
  return {to, from, rounding, lanes_of<cast<D, S>>()};
}

template <class D, class F>
constexpr ConvertRow kToInteger[4] = {
    {T::None, T::None, R::Rni, lanes_of<float_to_int<D, F, R::Rni>>()},
    {T::None, T::None, R::Rzi, lanes_of<float_to_int<D, F, R::Rzi>>()},
    {T::None, T::None, R::Rmi, lanes_of<float_to_int<D, F, R::Rmi>>()},
    {T::None, T::None, R::Rpi, lanes_of<float_to_int<D, F, R::Rpi>>()},
};

// A NaN keeps what there is room for, as on the GPU.
inline float narrow_float(double v) {
  return static_cast<float>(v);
}

constexpr ConvertRow kRows[] = {
    r<int64_t, int32_t>(T::S64, T::S32),
    r<int64_t, int32_t>(T::U64, T::S32),
    r<uint64_t, uint32_t>(T::U64, T::U32),
    r<uint64_t, uint32_t>(T::S64, T::U32),
    r<uint32_t, uint64_t>(T::U32, T::U64),
    r<uint32_t, uint64_t>(T::U32, T::S64),
    r<uint32_t, uint64_t>(T::S32, T::U64),
    r<uint32_t, uint64_t>(T::S32, T::S64),
    r<uint32_t, uint16_t>(T::U32, T::U16),
    r<uint32_t, uint16_t>(T::S32, T::U16),
    r<int32_t, int16_t>(T::S32, T::S16),
    r<uint16_t, uint32_t>(T::U16, T::U32),
    r<uint16_t, uint32_t>(T::S16, T::S32),
    r<float, int32_t>(T::F32, T::S32, R::Rn),
    r<float, uint32_t>(T::F32, T::U32, R::Rn),
    r<double, int32_t>(T::F64, T::S32, R::Rn),
    r<double, uint32_t>(T::F64, T::U32, R::Rn),
    r<double, float>(T::F64, T::F32),
    {T::F32, T::F64, R::Rn, lanes_of<narrow_float>()},
};

[[nodiscard]] const LaneExecutor* find_to_integer(const ptx::Instruction& i) {
  const auto pick = [&](const ConvertRow(&rows)[4]) -> const LaneExecutor* {
    for (const ConvertRow& row : rows) {
      if (row.rounding == i.rounding) {
        return &row.executor;
      }
    }
    return nullptr;
  };
  const bool is_double = i.source_type == T::F64;
  if (!is_double && i.source_type != T::F32) {
    return nullptr;
  }
  switch (i.type) {
    case T::S32:
      return is_double ? pick(kToInteger<int32_t, double>) : pick(kToInteger<int32_t, float>);
    case T::U32:
      return is_double ? pick(kToInteger<uint32_t, double>) : pick(kToInteger<uint32_t, float>);
    case T::S64:
      return is_double ? pick(kToInteger<int64_t, double>) : pick(kToInteger<int64_t, float>);
    case T::U64:
      return is_double ? pick(kToInteger<uint64_t, double>) : pick(kToInteger<uint64_t, float>);
    default:
      return nullptr;
  }
}

// D, S: lanes of the two registers. Bound::value: the destination register's bits.
template <class D, class S>
const Bound* convert_each(Context& c, const Bound* i) {
  D* const d = row<D>(c, i->d);
  const S* const a = row<const S>(c, i->in[0]);
  const S* const b = i->in[1] == kNoSlot ? a : row<const S>(c, i->in[1]);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((c.mask >> lane & 1U) != 0) {
      const uint64_t value = convert_value(*i->source, a[lane], b[lane]);
      d[lane] = static_cast<D>(value & static_cast<uint64_t>(i->value));
    }
  }
  return i + 1;
}

template <class D, class S>
constexpr LaneExecutor each() {
  return {{convert_each<D, S>, convert_each<D, S>}, sizeof(D), {sizeof(S)}};
}

}  // namespace

std::optional<LaneExecutor> find_convert(const ptx::Instruction& i, bool dest_is_long,
                                         bool source_is_long) {
  const bool dest_fits = dest_is_long == (ptx::byte_size(i.type) == 8);
  const bool source_fits = source_is_long == (ptx::byte_size(i.source_type) == 8);
  if (dest_fits && source_fits && (i.flags & (ptx::kFtz | ptx::kSat | ptx::kRelu)) == 0) {
    if (const LaneExecutor* const found = find_to_integer(i)) {
      return *found;
    }
    for (const ConvertRow& row : kRows) {
      if (row.to == i.type && row.from == i.source_type && row.rounding == i.rounding) {
        return row.executor;
      }
    }
  }
  if (dest_is_long) {
    return source_is_long ? each<uint64_t, uint64_t>() : each<uint64_t, uint32_t>();
  }
  return source_is_long ? each<uint32_t, uint64_t>() : each<uint32_t, uint32_t>();
}

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
