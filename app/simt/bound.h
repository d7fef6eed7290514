// Instructions made ready to execute: operands resolved to places, the executor chosen.
//
// An executor performs one instruction for a warp and returns the next one of the path. Which one
// does depends on Context::variant: where every lane of the warp executes, lanes that do not exist
// may be overwritten, otherwise lanes outside Context::mask are left alone; and without an observer
// nothing is told.
#pragma once

#include "ptx/instruction.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tilestep::simt {

struct Context;
struct Bound;

using Executor = const Bound* (*)(Context&, const Bound*);

inline constexpr std::uint32_t kPartial = 1;  // bits of a variant
inline constexpr std::uint32_t kObserved = 2;
using Executors = std::array<Executor, 4>;

[[nodiscard]] constexpr Executors every(Executor executor) {
  return {executor, executor, executor, executor};
}

inline constexpr std::uint32_t kLongestFusion = 3;

// Where an operand's 32 lanes lie: byte offset from one of the context's bases.
enum class Base : std::uint32_t {
  Frame,      // registers, parameters, call area and predicates of the running frame
  Constants,  // immediates and launch constants, splatted over 32 lanes
  Warp,       // what depends on the warp's number in its block: %tid, %warpid
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

// Bytes of 32 lanes: of registers up to 32 bits wide, of 64-bit ones.
inline constexpr std::uint32_t kLanes = 32;
inline constexpr std::uint32_t kWordRow = kLanes * 4;
inline constexpr std::uint32_t kLongRow = kLanes * 8;

// The parts that few instructions have.
struct Detail {
  Executors inner{};  // of a guarded instruction
  Slot guard = kNoSlot;
  std::uint32_t guard_invert = 0;      // 0xffffffff: @!p
  std::vector<Slot> slots;             // vector elements, call arguments, pack and unpack
  std::vector<std::uint32_t> targets;  // brx: pcs
  Executors widened{};                 // of an access through a 32-bit address register
  Slot narrow = kNoSlot;
};

struct Bound {
  Executors run{};
  Executors swift{};  // may execute more than one instruction: `steps` of them
  std::array<std::uint8_t, 4> steps{1, 1, 1, 1};
  Slot d;                    // destination
  std::array<Slot, 4> in{};  // sources
  std::int64_t value = 0;    // meaning depends on the executor: address offset, table, invert masks
  const ptx::Instruction* source = nullptr;
  const Detail* detail = nullptr;
  std::int32_t jump = 0;  // bra: instructions from here to the target
  std::uint32_t pc = 0;
  std::uint32_t elements = 1;  // ld, st: registers moved
};

}  // namespace tilestep::simt
