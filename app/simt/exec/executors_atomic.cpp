// atom and red (PTX ISA 9.0, 9.7.13.7): lane after lane, lowest first.
#include "problem/tr.h"
#include "simt/exec/control.h"
#include "simt/exec/convert_semantics.h"
#include "simt/exec/executors.h"
#include "simt/exec/float_semantics.h"
#include "simt/exec/memory_access.h"

#include <bit>
#include <cstring>
#include <functional>
#include <string_view>

namespace tilestep::simt {
namespace {

using ptx::Mode;
using ptx::Type;

// Sign- or zero-extended, so that 64-bit comparisons order narrower types too.
[[nodiscard]] std::int64_t extended(std::uint64_t bits, Type type) {
  return type == Type::S32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
}

[[nodiscard]] bool less(std::uint64_t a, std::uint64_t b, Type type) {
  return ptx::is_signed(type) ? extended(a, type) < extended(b, type) : a < b;
}

[[nodiscard]] std::uint64_t add_f32(std::uint64_t a, std::uint64_t b, bool ftz) {
  const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  const float sum = ftz ? float_add<float, kFlush>(x, y) : float_add<float, kPlain>(x, y);
  return std::bit_cast<std::uint32_t>(sum);
}

// Sums of two halves are exact in double. An inexact sum of two bfloats is rounded to one of the
// two.
[[nodiscard]] std::uint64_t add_half(std::uint64_t a, std::uint64_t b, bool brain) {
  const auto x = static_cast<std::uint16_t>(a);
  const auto y = static_cast<std::uint16_t>(b);
  return brain ? double_to_bfloat(bfloat_to_double(x) + bfloat_to_double(y), ptx::Rounding::Rn)
               : double_to_half(half_to_double(x) + half_to_double(y), ptx::Rounding::Rn);
}

[[nodiscard]] std::uint64_t add(std::uint64_t a, std::uint64_t b, Type type, bool ftz) {
  const bool brain = type == Type::BF16 || type == Type::BF16x2;
  switch (type) {
    case Type::F16:
    case Type::BF16:
      return add_half(a, b, brain);
    case Type::F16x2:
    case Type::BF16x2:
      return add_half(a, b, brain) | add_half(a >> 16, b >> 16, brain) << 16;
    case Type::F32:
      return add_f32(a, b, ftz);
    case Type::F64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
    default:
      return a + b;
  }
}

// New value of the cell.
[[nodiscard]] std::uint64_t updated(const ptx::Instruction& i, std::uint64_t old, std::uint64_t a,
                                    std::uint64_t b, bool ftz) {
  switch (i.mode) {
    case Mode::AtomAdd:
      return add(old, a, i.type, ftz);
    case Mode::AtomMin:
      return less(a, old, i.type) ? a : old;
    case Mode::AtomMax:
      return less(old, a, i.type) ? a : old;
    case Mode::AtomInc:
      return old >= a ? 0 : old + 1;
    case Mode::AtomDec:
      return old == 0 || old > a ? a : old - 1;
    case Mode::AtomAnd:
      return old & a;
    case Mode::AtomOr:
      return old | a;
    case Mode::AtomXor:
      return old ^ a;
    case Mode::AtomCas:
      return old == a ? b : old;
    default:
      return a;  // exch
  }
}

[[nodiscard]] std::uint64_t lane_value(const Context& c, Slot slot, std::uint32_t lane,
                                       std::uint32_t bytes) {
  if (slot == kNoSlot) {
    return 0;
  }
  if (bytes == 8) {
    return row<const std::uint64_t>(c, slot)[lane];
  }
  const std::uint32_t word = row<const std::uint32_t>(c, slot)[lane];
  return bytes == 2 ? word & 0xffffU : word;
}

// atom.add.v2, .v4 and .v8.
constexpr std::uint32_t kVectorBytes = 16;

[[nodiscard]] bool adds_vectors_of(Type type) {
  return type == Type::F32 || type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

[[nodiscard]] std::array<std::uint64_t, kLanes> generic_addresses(const Context& c,
                                                                  const Bound* i) {
  const auto* const a = row<const std::uint64_t>(c, i->in[0]);
  const std::uint64_t bias = static_cast<std::uint64_t>(i->value) + generic_base(i->source->space);
  std::array<std::uint64_t, kLanes> addresses{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = a[lane] + bias;
  }
  return addresses;
}

// One element of a vector, for one lane; `cell`: nullptr if the access is a fault.
void add_element(const Context& c, const Bound* i, std::uint32_t element, std::uint32_t lane,
                 std::byte* cell) {
  const std::uint32_t bytes = ptx::byte_size(i->source->type);
  const std::vector<Slot>& slots = i->detail->slots;
  std::uint64_t old = 0;
  if (cell != nullptr) {
    cell += std::size_t{element} * bytes;
    std::memcpy(&old, cell, bytes);
    const Slot operand = slots[i->source->dest_count + element];
    const std::uint64_t value =
        updated(*i->source, old, lane_value(c, operand, lane, bytes), 0, true);
    std::memcpy(cell, &value, bytes);
  }
  if (i->source->dest_count != 0 && !(slots[element] == kNoSlot)) {
    row<std::uint32_t>(c, slots[element])[lane] = static_cast<std::uint32_t>(old);
  }
}

// Rounds of a polling loop after which the next one is unlikely to see anything new.
constexpr std::uint32_t kPatience = 32;

// FNV-1a, by words.
constexpr std::uint64_t kNoWords = 0xcbf29ce484222325ULL;
[[nodiscard]] std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x100000001b3ULL;
}

// Vain yields in a row after which a warp may wait for something that never happens.
constexpr std::uint32_t kStuck = 1024;
// … if its state is unchanged since the last yield: it loops without counting attempts.
constexpr std::uint32_t kInCircle = 16;
constexpr std::size_t kMostCompared = 1 << 18;  // bytes of registers and local memory

// Hash of the warp's whole state, whichever of its paths runs next.
[[nodiscard]] std::uint64_t standing(const Context& c) {
  if (c.block.warp_bytes() > kMostCompared) {
    return c.warp.standing + 1;  // too long to compare: counts as a change
  }
  const std::string_view own(reinterpret_cast<const char*>(c.block.stack(c.id.warp)),
                             c.block.warp_bytes());
  std::uint64_t all = std::hash<std::string_view>{}(own);
  for (const Path& path : c.warp.paths) {
    all += mix(mix(kNoWords, path.pc), std::uint64_t{path.frame} << 32 | path.mask);
  }
  return all;
}

[[nodiscard]] bool is_stuck(const Warp& warp) {
  return warp.vain_yields >= kStuck || warp.same_yields >= kInCircle;
}

// The warp only polls. Returns true when all others may be polling too: the caller then checks.
[[nodiscard]] bool note_yield(Context& c) {
  Warp& warp = c.warp;
  const std::uint64_t now = standing(c);
  warp.same_yields = now == warp.standing ? warp.same_yields + 1 : 0;
  warp.standing = now;
  ++warp.vain_yields;
  return warp.vain_yields % kStuck == 0 ||
         (warp.same_yields != 0 && warp.same_yields % kInCircle == 0);
}

// Hash of the values and the address of a load: a loop that reads through an array is not polling.
[[nodiscard]] std::uint64_t loaded_values(const Context& c, const Bound* i) {
  std::uint64_t hash = kNoWords;
  if (!(i->in[0] == kNoSlot) && i->detail->narrow == kNoSlot) {
    hash = mix(hash, row<const std::uint64_t>(c, i->in[0])[std::countr_zero(c.mask)]);
  }
  for (std::uint32_t e = 0; e < i->elements; ++e) {
    const Slot slot = i->elements == 1 ? i->d : i->detail->slots[e];
    if (slot == kNoSlot) {
      continue;
    }
    const bool is_long = ptx::byte_size(i->source->type) == 8;
    for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      hash = mix(hash, is_long ? row<const std::uint64_t>(c, slot)[lane]
                               : row<const std::uint32_t>(c, slot)[lane]);
    }
  }
  return hash;
}

// Whether every warp that could still move polls in vain.
[[nodiscard]] bool all_stuck(const MachineState& machine) {
  for (std::uint32_t b = machine.statuses.part().first; b < machine.statuses.part().last; ++b) {
    if (machine.statuses[b] == BlockStatus::NotStarted) {
      return false;  // warps that wait for it do not keep it out (schedule_impl.h)
    }
    if (machine.statuses[b] != BlockStatus::Running) {
      continue;
    }
    for (const Warp& warp : machine.blocks[b]->warps) {
      if (warp.status == WarpStatus::Ready && !is_stuck(warp)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool knows_atomic(const ptx::Instruction& i) {
  if (i.vector != 1) {
    return i.mode == Mode::AtomAdd && adds_vectors_of(i.type) &&
           ptx::byte_size(i.type) * i.vector <= kVectorBytes;
  }
  switch (i.type) {
    case Type::F32:
    case Type::F64:
      return i.mode == Mode::AtomAdd || i.mode == Mode::AtomExch;
    case Type::B16:
      return i.mode == Mode::AtomCas || i.mode == Mode::AtomExch;
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return i.mode == Mode::AtomAdd;
    case Type::B32:
    case Type::B64:
    case Type::U32:
    case Type::S32:
    case Type::U64:
    case Type::S64:
      return i.mode != Mode::None;
    default:
      return false;
  }
}

const Bound* atomic(Context& c, const Bound* i) {
  const std::uint32_t bytes = ptx::byte_size(i->source->type);
  std::array<std::uint64_t, kLanes> addresses = generic_addresses(c, i);
  const std::uint32_t good = check_lanes(c, i, AccessKind::Atomic, addresses.data(), bytes);
  note_store(c, good);
  bool changes = false;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    std::uint64_t old = 0;
    std::byte* const cell =
        (good >> lane & 1U) != 0 ? lane_memory(c, addresses[lane], true) : nullptr;
    if (cell != nullptr) {
      std::memcpy(&old, cell, bytes);
      // add.f32 flushes subnormals in global memory only.
      const bool in_shared = addresses[lane] >> 32 == kSharedWindow >> 32;
      const std::uint64_t value = updated(*i->source, old, lane_value(c, i->in[1], lane, bytes),
                                          lane_value(c, i->in[2], lane, bytes), !in_shared);
      changes = changes || std::memcmp(cell, &value, bytes) != 0;
      std::memcpy(cell, &value, bytes);
    }
    if (!(i->d == kNoSlot)) {
      if (bytes == 8) {
        row<std::uint64_t>(c, i->d)[lane] = old;
      } else {
        row<std::uint32_t>(c, i->d)[lane] = static_cast<std::uint32_t>(old);
      }
    }
  }
  // A lock that stays taken, a flag that an atomic reads.
  if (changes || i->d == kNoSlot) {
    end_polling(c.warp);
    return i + 1;
  }
  return poll(c, i, 0);
}

// Each element is added separately: PTX does not make the whole vector atomic.
const Bound* atomic_vector(Context& c, const Bound* i) {
  const std::uint32_t elements = i->source->vector;
  std::array<std::uint64_t, kLanes> addresses = generic_addresses(c, i);
  const std::uint32_t good = check_lanes(c, i, AccessKind::Atomic, addresses.data(),
                                         elements * ptx::byte_size(i->source->type));
  note_store(c, good);
  for_each_lane(c.mask, [&](std::uint32_t lane) {
    std::byte* const cell =
        (good >> lane & 1U) != 0 ? lane_memory(c, addresses[lane], true) : nullptr;
    for (std::uint32_t element = 0; element < elements; ++element) {
      add_element(c, i, element, lane, cell);
    }
  });
  end_polling(c.warp);
  return i + 1;
}

std::string wait_for_value(Context&, const Bound*) {
  return tr("it waits for a value that no thread will store");
}

const Bound* poll(Context& c, const Bound* i, std::uint64_t seen, DescribeWait describe) {
  Warp& warp = c.warp;
  // The key includes the lanes: the paths of one warp that poll at the same place do not see each
  // other's values as new.
  const std::uint64_t key = mix(seen, std::uint64_t{i->pc} << 32 | c.mask);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(c.mask));
  std::uint64_t& before = warp.polled[(i->pc + first) % warp.polled.size()];
  if (key != before) {
    before = key;
    end_polling(warp);
  }
  ++warp.polls;
  if (warp.polls < kPatience) {
    return i + 1;
  }
  warp.paths.back().pc = i->pc;
  if (note_yield(c) && all_stuck(c.machine)) {
    return stop_warp(c, i, FaultKind::BarrierDeadlock, describe(c, i));
  }
  return give_way(c, i);
}

void end_polling(Warp& warp) {
  warp.polls = 0;
  warp.vain_yields = 0;
  warp.same_yields = 0;
}

const Bound* polling_load(Context& c, const Bound* i) {
  const std::uint32_t variant = (c.variant & kObserved) | (c.mask == c.existing ? 0 : kPartial);
  const Bound* const next = i->detail->polled[variant](c, i);
  return next == i + 1 ? poll(c, i, loaded_values(c, i)) : next;
}

}  // namespace tilestep::simt
