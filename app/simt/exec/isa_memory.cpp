// ld (PTX ISA 9.0, 9.7.9.8).
#include "simt/exec/memory_shapes.h"

TILESTEP_BEGIN_ISA
namespace tilestep::simt::TILESTEP_ISA {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using Space = ptx::Space;

// E: type of the element in memory; V: the register's value type; its lanes are Bits<V>.
template <class E, class V>
[[gnu::always_inline]] inline Bits<V> loaded(const std::byte* from) {
  E element;
  std::memcpy(&element, from, sizeof element);
  return to_bits<V>(static_cast<V>(element));
}

// A group of lanes as one vector. Registers are written with whole vectors: a vector load soon
// after narrower stores would stall (no store forwarding).
template <class B>
using GroupVector __attribute__((vector_size(kGroup * sizeof(B)))) = B;

template <class E, class V>
[[gnu::always_inline]] inline void load_groups(Bits<V>* d, const std::byte* data,
                                               const KnownAddresses& known, std::uint64_t bias) {
  for (uint32_t g = 0; g < 4; ++g) {
    const std::byte* const from = data + (known.first[g] + bias);
    GroupVector<Bits<V>> values;
    if constexpr (sizeof(E) == sizeof(Bits<V>)) {
      std::memcpy(&values, from, sizeof values);
    } else {
      E group[kGroup];
      std::memcpy(group, from, sizeof group);
      for (uint32_t k = 0; k < kGroup; ++k) {
        values[k] = to_bits<V>(static_cast<V>(group[k]));
      }
    }
    std::memcpy(d + g * kGroup, &values, sizeof values);
  }
}

template <class E, class V>
[[gnu::always_inline]] inline void spread_groups(Bits<V>* d, const std::byte* data,
                                                 const KnownAddresses& known, std::uint64_t bias) {
  for (uint32_t g = 0; g < 4; ++g) {
    const GroupVector<Bits<V>> values =
        loaded<E, V>(data + (known.first[g] + bias)) - GroupVector<Bits<V>>{};
    std::memcpy(d + g * kGroup, &values, sizeof values);
  }
}

// Interleaved memory at one offset for all lanes: element e begins at byte `byte` + e · size of the
// words that start at `words`.
template <class E, class V>
void load_rows(const Context& c, const Bound* i, const uint32_t* words, uint32_t byte) {
  for (uint32_t e = 0; e < i->elements; ++e, byte += static_cast<uint32_t>(sizeof(E))) {
    const Slot slot = element_slot(i, e);
    if (slot == kNoSlot) {
      continue;
    }
    const uint32_t* const w = words + byte / 4 * kLanes;
    Bits<V>* const d = row<Bits<V>>(c, slot);
#pragma GCC ivdep
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint64_t bits = w[lane];
      if constexpr (sizeof(E) == 8) {
        bits |= uint64_t{w[lane + kLanes]} << 32;
      } else if constexpr (sizeof(E) < 4) {
        bits >>= 8 * (byte % 4);
      }
      put<true>(d + lane, to_bits<V>(static_cast<V>(static_cast<E>(bits))), c.mask, lane);
    }
  }
}

template <class E, class V>
void load_slowly(Context& c, const Bound* i, const uint64_t* a, uint64_t bias) {
  uint64_t addresses[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = a[lane] + bias;
  }
  LaneBytes bytes;
  load_lanes(c, i, addresses, static_cast<uint32_t>(i->elements * sizeof(E)), bytes);
  for (uint32_t e = 0; e < i->elements; ++e) {
    const Slot slot = element_slot(i, e);
    if (slot == kNoSlot) {
      continue;
    }
    Bits<V>* const d = row<Bits<V>>(c, slot);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      put<true>(d + lane, loaded<E, V>(bytes[lane].data() + e * sizeof(E)), c.mask, lane);
    }
  }
}

template <class E, class V>
void load_each(const Context& c, const Bound* i, const std::byte* data,
               const uint64_t (&offsets)[kLanes]) {
  using Vector = GroupVector<Bits<V>>;
  for (uint32_t e = 0; e < i->elements; ++e) {
    const Slot slot = element_slot(i, e);
    if (slot == kNoSlot) {
      continue;
    }
    Bits<V>* const d = row<Bits<V>>(c, slot);
    for (uint32_t first = 0; first < kLanes; first += kGroup) {
      if (!has_lanes(c.mask, first)) {
        continue;
      }
      Vector values;
      Vector before;
      for (uint32_t k = 0; k < kGroup; ++k) {
        values[k] = loaded<E, V>(data + offsets[first + k] + e * sizeof(E));
      }
      std::memcpy(&before, d + first, sizeof before);
      const Bits<V> bits = c.mask >> first;
      const auto executes = ((Vector{} + bits) & Vector{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
      values = executes ? values : before;
      std::memcpy(d + first, &values, sizeof values);
    }
  }
}

// Any load.
template <Space kSpace, class E, class V>
[[gnu::noinline]] const Bound* load_any(Context& c, const Bound* i) {
  const uint64_t* const a = row<const uint64_t>(c, i->in[0]);
  const auto offset = static_cast<uint64_t>(i->value);
  const uint32_t bytes = i->elements * static_cast<uint32_t>(sizeof(E));
  const Region region = region_of<kSpace, false>(c, a[std::countr_zero(c.mask)] + offset);
  const uint64_t generic = offset + generic_base(kSpace);
  uint64_t offsets[kLanes];
  if (region.data != nullptr &&
      lane_offsets(c, a, offset - region.origin, region, bytes, offsets)) {
    if (c.observer != nullptr) {
      emit(c, i, AccessKind::Load, region.space, AccessShape::Any, bytes, a, generic);
    }
    load_each<E, V>(c, i, region.data, offsets);
  } else if (const LocalRows rows = local_rows<kSpace>(c, a, generic, bytes);
             rows.words != nullptr) {
    if (c.observer != nullptr) {
      emit(c, i, AccessKind::Load, Space::Local, AccessShape::Same, bytes, a, generic);
    }
    load_rows<E, V>(c, i, rows.words, rows.byte);
  } else {
    load_slowly<E, V>(c, i, a, generic);
  }
  return i + 1;
}

// One element per lane, 32 lanes, one of the two shapes; all other loads go to load_any.
template <Space kSpace, class E, class V, bool kObserved>
const Bound* load_shaped(Context& c, const Bound* i) {
  const uint64_t* const a = row<const uint64_t>(c, i->in[0]);
  const auto offset = static_cast<uint64_t>(i->value);
  if (c.mask != kAllLanes) {
    return load_any<kSpace, E, V>(c, i);
  }
  const KnownAddresses& known = known_addresses<sizeof(E)>(c, i, a);
  const Region region = region_of<kSpace, false>(c, a[0] + offset);
  const uint64_t bias = offset - region.origin;
  if (!all_fit<sizeof(E)>(known, bias, region)) {
    return load_any<kSpace, E, V>(c, i);
  }
  if constexpr (kObserved) {
    emit(c, i, AccessKind::Load, region.space,
         known.same ? AccessShape::Same : AccessShape::Consecutive, sizeof(E), a,
         offset + generic_base(kSpace));
  }
  Bits<V>* const d = row<Bits<V>>(c, i->d);
  if (known.same) {
    spread_groups<E, V>(d, region.data, known, bias);
  } else {
    load_groups<E, V>(d, region.data, known, bias);
  }
  return i + 1;
}

// ld.param and local variables by name: rows of the frame.
template <class E, class V>
const Bound* load_named(Context& c, const Bound* i) {
  emit_named(c, i, AccessKind::Load, sizeof(E));
  load_rows<E, V>(c, i, row<const uint32_t>(c, i->in[0]), static_cast<uint32_t>(i->value));
  return i + 1;
}

template <Space kSpace, class E, class V>
[[nodiscard]] Executors loader_from(const MemoryForm& form) {
  const Executor any = load_any<kSpace, E, V>;
  if (form.elements != 1) {
    return {any, any, any, any};
  }
  return {load_shaped<kSpace, E, V, false>, any, load_shaped<kSpace, E, V, true>, any};
}

template <class E, class V>
[[nodiscard]] Executors loader(const MemoryForm& form) {
  switch (form.space) {
    case Space::Generic:
      return loader_from<Space::Generic, E, V>(form);
    case Space::Global:
    case Space::Const:
      return loader_from<Space::Global, E, V>(form);
    case Space::Shared:
      return loader_from<Space::Shared, E, V>(form);
    case Space::Local:
      return every(load_any<Space::Local, E, V>);
    case Space::Param:
      return every(load_any<Space::Param, E, V>);
    case Space::Reg:
      return every(load_named<E, V>);
  }
  return {};
}

// Into registers of 16, 32 and 64 bits.
template <class E>
[[nodiscard]] Executors loader_into(const MemoryForm& form) {
  constexpr bool kSigned = std::is_signed_v<E>;
  switch (form.register_bytes) {
    case 2:
      if constexpr (sizeof(E) <= 2) {
        return loader<E, std::conditional_t<kSigned, int16_t, uint16_t>>(form);
      }
      return {};
    case 4:
      if constexpr (sizeof(E) <= 4) {
        return loader<E, std::conditional_t<kSigned, int32_t, uint32_t>>(form);
      }
      return {};
    default:
      return loader<E, std::conditional_t<kSigned, int64_t, uint64_t>>(form);
  }
}

// E: type of the element in memory; L: type of the register's lanes.
template <class E, class L>
void store_rows(const Context& c, const Bound* i, uint32_t* words, uint32_t byte) {
  for (uint32_t e = 0; e < i->elements; ++e, byte += static_cast<uint32_t>(sizeof(E))) {
    uint32_t* const w = words + byte / 4 * kLanes;
    const L* const values = row<const L>(c, element_slot(i, e));
#pragma GCC ivdep
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if constexpr (sizeof(E) == 8) {
        const uint64_t value = values[lane];
        put<true>(w + lane, static_cast<uint32_t>(value), c.mask, lane);
        put<true>(w + lane + kLanes, static_cast<uint32_t>(value >> 32), c.mask, lane);
      } else if constexpr (sizeof(E) == 4) {
        put<true>(w + lane, static_cast<uint32_t>(values[lane]), c.mask, lane);
      } else {
        const uint32_t shift = 8 * (byte % 4);
        const uint32_t field = ((1U << (8 * sizeof(E))) - 1U) << shift;
        const uint32_t value = static_cast<uint32_t>(values[lane]) << shift & field;
        put<true>(w + lane, (w[lane] & ~field) | value, c.mask, lane);
      }
    }
  }
}

template <class E, class L>
void store_slowly(Context& c, const Bound* i, const uint64_t* a, uint64_t bias) {
  uint64_t addresses[kLanes];
  LaneBytes bytes;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = a[lane] + bias;
    for (uint32_t e = 0; e < i->elements; ++e) {
      const E value = static_cast<E>(row<const L>(c, element_slot(i, e))[lane]);
      std::memcpy(bytes[lane].data() + e * sizeof(E), &value, sizeof value);
    }
  }
  store_lanes(c, i, addresses, static_cast<uint32_t>(i->elements * sizeof(E)), bytes);
}

template <class E, class L>
void store_each(const Context& c, const Bound* i, std::byte* data,
                const uint64_t (&offsets)[kLanes]) {
  for (uint32_t e = 0; e < i->elements; ++e) {
    const L* const values = row<const L>(c, element_slot(i, e));
    for (uint32_t left = c.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const E value = static_cast<E>(values[lane]);
      std::memcpy(data + offsets[lane] + e * sizeof(E), &value, sizeof value);
    }
  }
}

// Any store.
template <Space kSpace, class E, class L>
[[gnu::noinline]] const Bound* store_any(Context& c, const Bound* i) {
  const uint64_t* const a = row<const uint64_t>(c, i->in[0]);
  const auto offset = static_cast<uint64_t>(i->value);
  const uint32_t bytes = i->elements * static_cast<uint32_t>(sizeof(E));
  const Region region = region_of<kSpace, true>(c, a[std::countr_zero(c.mask)] + offset);
  const uint64_t generic = offset + generic_base(kSpace);
  uint64_t offsets[kLanes];
  if (region.data != nullptr &&
      lane_offsets(c, a, offset - region.origin, region, bytes, offsets)) {
    if (c.observer != nullptr) {
      emit(c, i, AccessKind::Store, region.space, AccessShape::Any, bytes, a, generic);
    }
    note_store(c, c.mask);
    store_each<E, L>(c, i, region.data, offsets);
  } else if (const LocalRows rows = local_rows<kSpace>(c, a, generic, bytes);
             rows.words != nullptr) {
    if (c.observer != nullptr) {
      emit(c, i, AccessKind::Store, Space::Local, AccessShape::Same, bytes, a, generic);
    }
    store_rows<E, L>(c, i, rows.words, rows.byte);
  } else {
    store_slowly<E, L>(c, i, a, generic);
  }
  return i + 1;
}

// One element per lane, 32 lanes, consecutive in groups; all other stores go to store_any.
template <Space kSpace, class E, class L, bool kObserved>
const Bound* store_shaped(Context& c, const Bound* i) {
  const uint64_t* const a = row<const uint64_t>(c, i->in[0]);
  const auto offset = static_cast<uint64_t>(i->value);
  if (c.mask != kAllLanes) {
    return store_any<kSpace, E, L>(c, i);
  }
  const KnownAddresses& known = known_addresses<sizeof(E)>(c, i, a);
  const Region region = region_of<kSpace, true>(c, a[0] + offset);
  const uint64_t bias = offset - region.origin;
  if (known.same || !all_fit<sizeof(E)>(known, bias, region)) {
    return store_any<kSpace, E, L>(c, i);
  }
  if constexpr (kObserved) {
    emit(c, i, AccessKind::Store, region.space, AccessShape::Consecutive, sizeof(E), a,
         offset + generic_base(kSpace));
  }
  const L* const values = row<const L>(c, i->d);
  for (uint32_t g = 0; g < 4; ++g) {
    E group[kGroup];
    for (uint32_t k = 0; k < kGroup; ++k) {
      group[k] = static_cast<E>(values[g * kGroup + k]);
    }
    std::memcpy(region.data + (known.first[g] + bias), group, sizeof group);
  }
  return i + 1;
}

// st.param and local variables by name.
template <class E, class L>
const Bound* store_named(Context& c, const Bound* i) {
  emit_named(c, i, AccessKind::Store, sizeof(E));
  store_rows<E, L>(c, i, row<uint32_t>(c, i->in[0]), static_cast<uint32_t>(i->value));
  return i + 1;
}

template <Space kSpace, class E, class L>
[[nodiscard]] Executors storer_to(const MemoryForm& form) {
  const Executor any = store_any<kSpace, E, L>;
  if (form.elements != 1) {
    return {any, any, any, any};
  }
  return {store_shaped<kSpace, E, L, false>, any, store_shaped<kSpace, E, L, true>, any};
}

template <class E, class L>
[[nodiscard]] Executors storer(const MemoryForm& form) {
  switch (form.space) {
    case Space::Generic:
      return storer_to<Space::Generic, E, L>(form);
    case Space::Global:
      return storer_to<Space::Global, E, L>(form);
    case Space::Shared:
      return storer_to<Space::Shared, E, L>(form);
    case Space::Local:
      return every(store_any<Space::Local, E, L>);
    case Space::Reg:
      return every(store_named<E, L>);
    default:
      return {};
  }
}

template <class E>
[[nodiscard]] Executors storer_from(const MemoryForm& form) {
  return form.register_bytes == 8 ? storer<E, uint64_t>(form) : storer<E, uint32_t>(form);
}

}  // namespace

Executors find_load(const MemoryForm& form) {
  switch (form.bytes) {
    case 1:
      return form.sign_extend ? loader_into<int8_t>(form) : loader_into<uint8_t>(form);
    case 2:
      return form.sign_extend ? loader_into<int16_t>(form) : loader_into<uint16_t>(form);
    case 4:
      return form.sign_extend && form.register_bytes == 8 ? loader_into<int32_t>(form)
                                                          : loader_into<uint32_t>(form);
    case 8:
      return loader_into<uint64_t>(form);
    default:
      return {};
  }
}

// st (PTX ISA 9.0, 9.7.9.11). Lanes that store to one address do so in lane order.

Executors find_store(const MemoryForm& form) {
  switch (form.bytes) {
    case 1:
      return storer_from<uint8_t>(form);
    case 2:
      return storer_from<uint16_t>(form);
    case 4:
      return storer_from<uint32_t>(form);
    case 8:
      return form.register_bytes == 8 ? storer_from<uint64_t>(form) : Executors{};
    default:
      return {};
  }
}

}  // namespace tilestep::simt::TILESTEP_ISA

TILESTEP_END_ISA
