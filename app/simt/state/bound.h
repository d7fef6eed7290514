// Instructions ready to execute: operands resolved to places, the executor chosen.
//
// An executor performs one instruction for a warp and returns the next one of the path.
// Context::variant selects it. If every lane of the warp executes, lanes without a thread may be
// overwritten; otherwise lanes outside Context::mask are unchanged. Without an observer nothing is
// reported.
#pragma once

#include "problem/launch/launch.h"
#include "ptx/model/instruction.h"
#include "ptx/model/module.h"
#include "simt/state/event.h"
#include "simt/state/memory.h"
#include "simt/state/storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::simt {

struct Context;
struct Bound;
struct Tf32Row;

using Executor = const Bound* (*)(Context&, const Bound*);

inline constexpr std::uint32_t kPartial = 1;  // bits of a variant
inline constexpr std::uint32_t kObserved = 2;
using Executors = std::array<Executor, 4>;

[[nodiscard]] constexpr Executors every(Executor executor) {
  return {executor, executor, executor, executor};
}

// The place of an operand's 32 lanes: byte offset from one of the context's bases.
enum class Base : std::uint32_t {
  Frame,      // registers, parameters, call area and predicates of the running frame
  Constants,  // immediates and launch constants, splatted over 32 lanes
  Warp,       // values that depend on the warp's number in its block: %tid, %warpid
  Block,      // %ctaid
  Local,      // the running frame's local memory
  Scratch,    // one 64-bit row of the context
};
inline constexpr std::size_t kBaseCount = 6;

struct Slot {
  std::uint32_t offset = 0;
  Base base = Base::Frame;

  friend bool operator==(const Slot&, const Slot&) = default;
};

inline constexpr Slot kNoSlot{0xffffffffU, Base::Frame};

// Bytes of 32 lanes: of registers up to 32 bits wide, and of 64-bit ones.
inline constexpr std::uint32_t kWordRow = kLanes * 4;
inline constexpr std::uint32_t kLongRow = kLanes * 8;

// The address of a lane, for instructions with several addresses or with several kinds of them.
struct AddressOperand {
  Slot slot = kNoSlot;
  bool narrow = false;  // a 32-bit register
  std::uint64_t offset = 0;
};

// Fields that few instructions need.
struct Detail {
  Executors inner{};  // of a guarded instruction
  Slot guard = kNoSlot;
  std::uint32_t guard_invert = 0;      // 0xffffffff: @!p
  std::vector<Slot> slots;             // vector elements, call arguments, pack and unpack
  std::vector<std::uint32_t> targets;  // brx: pcs
  Executors widened{};                 // of an access through a 32-bit address register
  Slot narrow = kNoSlot;
  Slot members = kNoSlot;  // of a warp-wide exchange: the participating lanes
  Executors polled{};      // of a load that may be waiting for another thread's store
  std::array<AddressOperand, 3> addresses;
  const ptx::MatrixForm* matrix = nullptr;
  void (*add_tf32_row)(const Tf32Row& row) = nullptr;  // wgmma
};

// A sum of products of elements of shared memory, unrolled: every round loads both factors, each
// through the register of the previous round, and adds their product (bind_shared_work.cpp).
struct ProductRound {
  std::uint64_t x = 0;  // distance from the round that reads first
  std::uint64_t y = 0;
  std::uint32_t x_to = 0;  // offsets in the frame
  std::uint32_t y_to = 0;
  std::uint32_t sum_to = 0;
};

struct ProductChain {
  std::vector<ProductRound> rounds;
  std::vector<RunLoad> loads;  // the same loads, as they are reported
  std::vector<std::uint32_t> further_x;
  std::vector<std::uint32_t> further_y;
  // Range of offsets that are added to the addresses in the registers.
  std::uint64_t lowest_x = 0;
  std::uint64_t highest_x = 0;
  std::uint64_t lowest_y = 0;
  std::uint64_t highest_y = 0;
};

struct Bound {
  Executors run{};
  Executors swift{};  // may execute more than one instruction: `steps` of them
  std::array<std::uint8_t, 4> steps{1, 1, 1, 1};
  Slot d;                    // destination
  std::array<Slot, 4> in{};  // sources
  std::int64_t value = 0;    // depends on the executor: address offset, table, invert masks
  const ptx::Instruction* source = nullptr;
  const Detail* detail = nullptr;
  const ProductChain* chain = nullptr;
  std::int32_t jump = 0;  // bra: instructions from here to the target
  std::uint32_t pc = 0;
  std::uint32_t elements = 1;  // ld, st: registers moved
  // ld, st: index into Context::known of what is known about the address register. `follows`: an
  // earlier access of the same stretch of code has determined it, and nothing has changed since.
  std::uint8_t known = 0;
  bool follows = false;
  std::uint8_t once = 0;  // bit of Warp::settled
};

// Size of Context::known. The first entry is for accesses that no other access follows.
inline constexpr std::size_t kKnownAddresses = 8;

// The data of a Program (machine/program.h). Immutable once built; machines and executors read it.

// A frame holds 32 lanes of everything. Registers are at its start (Register::index · kWordRow).
// Parameter and call areas are interleaved: word w of all lanes, then word w + 1 (like local
// memory).
struct FrameLayout {
  std::uint32_t params = 0;  // offsets from the frame's start
  std::uint32_t call_area = 0;
  std::uint32_t predicates = 0;  // one mask each
  std::uint32_t bytes = 0;
  std::uint32_t local_bytes = 0;  // per lane, 16-byte aligned
};

struct BoundFunction {
  FrameLayout frame;
  std::vector<Bound> code;  // one for each instruction, then one that returns
  std::vector<std::unique_ptr<const ProductChain>> chains;
  std::vector<std::uint32_t> lines;  // statement line of each pc; 0: none of its own
  // By pc: a backward branch that control may reach from its target without leaving the line, as in
  // `for (…) x;` on one line. Rounds of other loops end with a change of line.
  std::vector<bool> ends_round;
  // By pc: the number of consecutive steps, including this one, before the last of them may end a
  // statement or branch. straight_private: the same, if all but the first change only registers.
  std::vector<std::uint16_t> straight;
  std::vector<std::uint16_t> straight_private;
  bool has_lines = false;
};

struct ProgramData {
  std::shared_ptr<const ptx::Module> module;
  std::uint32_t entry = 0;
  problem::Launch launch;
  int warp_size = kWarpSize;
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t blocks = 0;
  MemoryMap memory;
  std::vector<std::byte> params;
  std::vector<BoundFunction> functions;  // by module function
  std::vector<std::unique_ptr<const Detail>> details;
  AlignedBuffer constants;
  AlignedBuffer warp_rows;
  bool reads_clock = false;
  std::uint32_t stack_bytes = 0;  // frames of the longest call chain without recursion
  std::uint32_t local_bytes = 0;  // a lane's local memory along it

  // Lanes of a warp that have a thread.
  [[nodiscard]] std::uint32_t existing_lanes(std::uint32_t warp) const {
    const std::uint32_t size = static_cast<std::uint32_t>(warp_size);
    const std::uint32_t left = threads - warp * size;
    return left >= 32 && size == 32 ? ~0U : (1U << (left < size ? left : size)) - 1U;
  }
};

// Rows of Base::Warp and Base::Block.
inline constexpr std::uint32_t kTidRows = 0;  // x, y, z
inline constexpr std::uint32_t kWarpidRow = 3 * kWordRow;
inline constexpr std::uint32_t kWarpRows = 4 * kWordRow;
inline constexpr std::uint32_t kBlockRows = 4 * kWordRow;  // ctaid.x, y, z, linear

}  // namespace tilestep::simt
