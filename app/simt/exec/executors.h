// Executors outside the tables of the instruction sets: asynchronous copies, mbarriers, bulk
// copies, atomics and polls, halves, moves, shuffles and votes, calls of library functions.
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/model/module.h"
#include "simt/exec/context.h"
#include "simt/exec/isa.h"
#include "simt/state/event.h"

#include <array>
#include <cstdint>
#include <string>

namespace tilestep::simt {

// cp.async (PTX ISA 9.0, 9.7.9.25): copies from global to shared memory that a thread waits for.
//
// The bytes arrive when the thread waits for them and no earlier, so that reading them without
// waiting has a visible effect. Groups are counted for each lane.

// Detail::addresses: destination, source; value: bytes; in[0]: number of bytes that are read, or
// none; in[1]: predicate of the lanes that read nothing, or none.
const Bound* copy_async(Context& c, const Bound* i);
const Bound* commit_copies(Context& c, const Bound* i);
const Bound* await_copies(Context& c, const Bound* i);  // value: groups that may stay under way
const Bound* await_all_copies(Context& c, const Bound* i);

// All copies of the executing lanes arrive.
void finish_copies(Context& c, const Bound* i);

// atom and red.

// in[0]: address; in[1]: operand; in[2]: second operand of cas.
const Bound* atomic(Context& c, const Bound* i);
// Vectors. in[0]: address; Detail::slots: returned values, if any, and then the operand.
const Bound* atomic_vector(Context& c, const Bound* i);
[[nodiscard]] bool knows_atomic(const ptx::Instruction& i);

// cp.async.bulk and cp.async.bulk.tensor (PTX ISA 9.0, 9.7.9.25.4 and .5): copies that the copy
// engine performs by itself, 16 bytes at a time.
//
// To shared memory: the bytes arrive when a thread tests the mbarrier that they signal, and no
// earlier, so that reading them without waiting has a visible effect. To global memory: when the
// thread waits for its group, or exits.

// Detail::addresses: shared memory, global memory, mbarrier; in[0]: bytes; value: 1 if the
// destination is shared memory.
const Bound* copy_bulk(Context& c, const Bound* i);
// Detail::addresses: shared memory, tensor map, mbarrier; Detail::slots: column, row.
const Bound* copy_bulk_tensor(Context& c, const Bound* i);
const Bound* commit_bulk_copies(Context& c, const Bound* i);
const Bound* await_bulk_copies(Context& c, const Bound* i);  // value: groups that may be under way

// Completes the copies that signal the mbarrier at this (generic) address.
void arrive_bulk_copies(Context& c, std::uint64_t mbarrier);
// Completes copies to global memory of lanes that exit.
void finish_bulk_copies(Context& c, std::uint32_t lanes);

// f16, bf16 and their pairs: arithmetic and comparisons, lane by lane (PTX ISA 9.0, 9.7.4, 9.7.7).

[[nodiscard]] std::optional<LaneExecutor> find_half(const ptx::Instruction& i);

// Device functions that PTX calls but does not contain: vprintf and __assertfail.

// nullptr: this machine does not know the function.
const Bound* call_library(Context& c, const Bound* i, const ptx::Function& callee);

// Executors of moves and logic that differ between lane widths.

// Predicates are masks: and, or, xor, not, mov .pred. Bound::value inverts the sources (low word
// in[0], high word in[1]).
const Bound* predicate_and(Context& c, const Bound* i);
const Bound* predicate_or(Context& c, const Bound* i);
const Bound* predicate_xor(Context& c, const Bound* i);
const Bound* predicate_move(Context& c, const Bound* i);  // mov, and not (by inversion)

// mov.b64 d, {a, b} and back: Detail::slots are the parts, lowest first. Bound::value: bits per
// part.
const Bound* pack_word(Context& c, const Bound* i);  // into 32 bits
const Bound* pack_long(Context& c, const Bound* i);  // into 64 bits
const Bound* unpack_word(Context& c, const Bound* i);
const Bound* unpack_long(Context& c, const Bound* i);

const Bound* is_space(Context& c, const Bound* i);          // isspacep
const Bound* test_float(Context& c, const Bound* i);        // testp
const Bound* byte_differences(Context& c, const Bound* i);  // vabsdiff4

// add.cc, addc, sub.cc, subc, mad.cc, madc: 32 and 64 bits.
const Bound* carry_arithmetic(Context& c, const Bound* i);

// Instructions in which a thread may wait for another one: failed locks, flags that are read
// repeatedly.

// Called after an instruction that changed nothing and saw `seen`. If that happens many times in a
// row, other lanes get their turn. If all warps of the launch that could still move only poll, they
// wait forever: BarrierDeadlock stops them one by one, with the text of `describe`.
using DescribeWait = std::string (*)(Context& c, const Bound* i);
[[nodiscard]] std::string wait_for_value(Context& c, const Bound* i);
const Bound* poll(Context& c, const Bound* i, std::uint64_t seen,
                  DescribeWait describe = wait_for_value);
// The wait is over, or the poll saw something new.
void end_polling(Warp& warp);

// A volatile or ordered load: Detail::polled, then poll() with the values it read.
const Bound* polling_load(Context& c, const Bound* i);

// The source lane of a shuffle.

struct ShuffleSource {
  std::uint32_t lane = 0;  // its own if the source is out of range
  bool in_range = false;
};

// PTX ISA 9.0, pseudocode of shfl.sync.
[[nodiscard]] inline ShuffleSource shuffle_source(ptx::Mode mode, std::uint32_t lane,
                                                  std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31U;
  const std::uint32_t clamp = c & 31U;
  const std::uint32_t segment = c >> 8 & 31U;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment);
  const std::uint32_t first = lane & segment;
  ShuffleSource source;
  switch (mode) {
    case ptx::Mode::Up:
      source = {lane - distance,
                static_cast<std::int32_t>(lane - distance) >= static_cast<std::int32_t>(last)};
      break;
    case ptx::Mode::Down:
      source = {lane + distance, lane + distance <= last};
      break;
    case ptx::Mode::Bfly:
      source = {lane ^ distance, (lane ^ distance) <= last};
      break;
    default: {
      const std::uint32_t j = first | (distance & ~segment);
      source = {j, j <= last};
    }
  }
  return source.in_range ? source : ShuffleSource{lane, false};
}

// Executors of instructions in which the lanes of a warp exchange values. A second destination (the
// predicate of shfl, match, elect) is in the last free source slot.

const Bound* active_mask(Context& c, const Bound* i);

// shfl (in: value, b, c; in[3]: predicate out), vote (predicate, members), match (value, members;
// in[2]: predicate out), redux (value, members), elect (in[3]: predicate out) and bar.warp.sync:
// executed when all lanes of Detail::members have arrived.
const Bound* meet(Context& c, const Bound* i);
// The exchange itself, for the lanes of the running path, with all participating lanes
// (c.together).
const Bound* exchange(Context& c, const Bound* i);
// Copies the first source operand of the executing lanes.
void bring_operand(const Context& c, const Bound* i, std::array<std::uint64_t, kLanes>& values);

// mbarrier objects in shared memory (PTX ISA 9.0, 9.7.13.15); their bits are described below.

// mbarrier.*: Detail::addresses[0]; in[0]: count, state or parity; d: state or predicate.
const Bound* use_mbarrier(Context& c, const Bound* i);
// cp.async.mbarrier.arrive: the executing lanes' copies arrive, then the lanes do.
const Bound* arrive_after_copies(Context& c, const Bound* i);
// Reports bytes that a bulk copy has transferred to the object at this (generic) address.
void complete_bytes(Context& c, const StepInfo& issuer, std::uint64_t address, std::uint32_t bytes);
// mbarrier.pending_count: of a state that an arrival returned.
const Bound* pending_count(Context& c, const Bound* i);

// The 64 bits of an mbarrier object, opaque to programs. Here they hold, from the lowest: pending
// arrivals (20 bits), arrivals that the next phase expects (20), pending transaction bytes (22,
// signed), a free bit, and the parity of the phase (1).

struct MbarrierObject {
  static constexpr std::uint32_t kCountBits = 20;
  static constexpr std::uint32_t kBytesBits = 22;
  static constexpr std::uint64_t kCountMask = (1ULL << kCountBits) - 1;
  static constexpr std::uint64_t kBytesMask = (1ULL << kBytesBits) - 1;

  std::uint64_t pending = 0;
  std::uint64_t expected = 0;
  std::int64_t bytes = 0;
  std::uint64_t phase = 0;  // parity: 0 for the first phase

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
// The object's generic address.
[[nodiscard]] inline std::uint64_t mbarrier_address(std::uint32_t number) {
  return kSharedWindow | std::uint64_t{number - kFirstMbarrier} * 8;
}

}  // namespace tilestep::simt
