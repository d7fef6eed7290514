// Turns a function of one lane into executors over 32.
//
// The loops are plain so that the compiler vectorizes them; a source and the destination are the
// same register or do not overlap, hence `ivdep`. Include it outside regions: this file opens its
// own (isa.h).
#pragma once

#include "simt/exec/context.h"
#include "simt/exec/isa.h"

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {

// Registers of 16 bits and less use 32-bit lanes, zero-extended.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
[[nodiscard]] inline T from_bits(Bits<T> bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
[[nodiscard]] inline Bits<T> to_bits(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Bits<T>>(value);
  } else {
    return static_cast<Bits<T>>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

template <bool kMasked, class T>
inline void put(T* to, T value, std::uint32_t mask, std::uint32_t lane) {
  if constexpr (kMasked) {
    *to = (mask >> lane & 1U) != 0 ? value : *to;
  } else {
    *to = value;
  }
}

template <auto F, bool kMasked, class R, class... A, std::size_t... I>
inline void for_lanes(Context& c, const Bound* i, R (*)(A...), std::index_sequence<I...>) {
  Bits<R>* const d = row<Bits<R>>(c, i->d);
  const std::tuple<const Bits<A>*...> in{row<const Bits<A>>(c, i->in[I])...};
  const std::uint32_t mask = c.mask;
#pragma GCC ivdep
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const Bits<R> value = to_bits<R>(F(from_bits<A>(std::get<I>(in)[lane])...));
    put<kMasked>(d + lane, value, mask, lane);
  }
}

template <auto F, bool kMasked, class R, class... A>
inline void for_lanes(Context& c, const Bound* i, R (*signature)(A...)) {
  for_lanes<F, kMasked>(c, i, signature, std::index_sequence_for<A...>{});
}

template <auto F, bool kMasked>
const Bound* lanewise(Context& c, const Bound* i) {
  for_lanes<F, kMasked>(c, i, F);
  return i + 1;
}

template <class R, class... A>
[[nodiscard]] constexpr LaneExecutor widths_of(R (*)(A...)) {
  return {{}, sizeof(Bits<R>), {sizeof(Bits<A>)...}};
}

// LaneExecutor of a function R(A…) of one lane.
template <auto F>
[[nodiscard]] constexpr LaneExecutor lanes_of() {
  LaneExecutor executor = widths_of(F);
  executor.run = {lanewise<F, false>, lanewise<F, true>};
  return executor;
}

// One row of a table of executors.
struct ExecutorRow {
  ptx::Opcode op = ptx::Opcode::Unknown;
  ptx::Type type = ptx::Type::None;
  ptx::Mode mode = ptx::Mode::None;
  LaneExecutor executor;
};

template <std::size_t N>
[[nodiscard]] inline std::optional<LaneExecutor> find_row(const ExecutorRow (&rows)[N],
                                                          const ptx::Instruction& i) {
  for (const ExecutorRow& r : rows) {
    if (r.op == i.op && r.type == i.type && r.mode == i.mode) {
      return r.executor;
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::simt::TILESTEP_ISA
TILESTEP_END_ISA
