// The model of one SM in time: four schedulers, the queues of memory instructions, the data stage
// of shared memory and L1, barriers, L2. Machine code and its addresses (trace.h) and the numbers
// of a GPU (sm_table.h) → what each warp does in every clock.
//
//   scheduler ─► queue of its memory instructions ─► entry of the SM ─► data stage: passes, in
//   order
//                                                                       └► L1 ─► L2 ─► DRAM
//
// An estimate: docs/insight/clock.md has its rules, their sources, and its error against Nsight
// Compute. Deterministic: times are in whole clocks, rates in 1/64 of one.
#pragma once

#include "clock/sm_table.h"
#include "clock/trace.h"
#include "problem/words.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tilestep::clock {

inline constexpr std::size_t kSchedulers = 4;  // of an SM; each issues an instruction a clock

// What a warp does in a clock, with the names of Nsight Compute ("warp state").
enum class WarpState : std::uint8_t {
  Selected,         // issues an instruction
  Wait,             // for an instruction of fixed latency
  LongScoreboard,   // for global memory
  ShortScoreboard,  // for shared memory
  Barrier,
  MioThrottle,  // the queue of memory instructions is full
  LgThrottle,   // … and the instruction is of global memory
  MathPipe,     // its unit is busy
  NotSelected,  // ready, but another warp issues
  Branch,       // for the next instruction after a branch
  Dispatch,     // the register banks are busy
};
inline constexpr std::size_t kWarpStates = 11;
using StateClocks = std::array<std::uint64_t, kWarpStates>;

struct StateSpan {
  std::int64_t start = 0;  // clock; lasts until the next span, or the end of the warp
  std::uint32_t instruction = 0;
  WarpState state = WarpState::Wait;
};

enum class MemoryLevel : std::uint8_t { Shared, L1, L2, Dram };

// An access that a warp may wait for.
struct LoadTime {
  std::uint32_t instruction = 0;
  MemoryLevel level = MemoryLevel::Shared;  // the farthest that it needed
  std::int64_t entered = 0;                 // the data stage, clock
  std::int64_t returned = 0;
};

// An instruction that reads the clock and is executed.
struct ClockRead {
  std::int64_t clock = 0;  // in which it is issued
  std::uint32_t instruction = 0;
};

// One warp from its start to its exit.
struct WarpLife {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;  // in its block
  std::uint32_t slot = 0;  // its scheduler is slot % 4
  std::int64_t start = 0;
  std::int64_t end = 0;
  // If SmOptions::records:
  std::vector<StateSpan> spans;
  std::vector<LoadTime> loads;
  std::vector<ClockRead> clock_reads;
};

struct SmOptions {
  std::uint32_t blocks_at_once = 1;
  // The first blocks find nothing in L2 (false: everything).
  bool is_cold = true;
  bool records = false;  // of WarpLife: spans, loads, clock_reads; and SmRun::busy
  double l1_kib = 192;
};

inline constexpr std::int64_t kBusyClocks = 64;  // of a value of SmRun::busy

struct SmRun {
  std::int64_t clocks = 0;
  std::uint64_t instructions = 0;
  std::uint64_t warp_clocks = 0;  // sum of all states
  std::uint64_t passes = 0;       // of the data stage
  std::uint64_t sectors = 0;      // loaded from global memory
  std::uint64_t l1_hits = 0;      // sectors
  StateClocks by_state{};
  std::vector<StateClocks> by_instruction;  // by index in Tracer::code
  std::vector<WarpLife> lives;              // in the order of their ends
  std::vector<std::uint8_t> busy;  // clocks of the data stage with a pass, for each kBusyClocks
  bool is_cancelled = false;
  bool is_stuck = false;  // all warps wait for each other
};

[[nodiscard]] std::uint64_t all_clocks(const StateClocks& states);
// The instructions with clocks, by index in Tracer::code, those with most clocks first.
[[nodiscard]] std::vector<std::size_t> longest_instructions(const SmRun& run);

using BlockSource = std::function<std::shared_ptr<const BlockTrace>(std::size_t)>;

// Runs the blocks 0 … `blocks` - 1 of `source` in this order, as many at once as the options say.
// `code` and `shapes` are those of the traces' Tracer; `shapes` may grow while `source` traces a
// block. Null from `source` cancels.
[[nodiscard]] SmRun simulate(const std::vector<CodedInstruction>& code,
                             const std::vector<RequestShape>& shapes, const BlockSource& source,
                             std::size_t blocks, const SmTable& table, const SmOptions& options,
                             const std::atomic<bool>* cancel = nullptr);

}  // namespace tilestep::clock

namespace tilestep {

template <>
inline constexpr auto kWords<clock::MemoryLevel> = std::to_array<Word<clock::MemoryLevel>>(
    {{clock::MemoryLevel::Shared, "shared", "shared memory"},
     {clock::MemoryLevel::L1, "l1", "L1"},
     {clock::MemoryLevel::L2, "l2", "L2"},
     {clock::MemoryLevel::Dram, "dram", "DRAM"}});

template <>
inline constexpr auto kWords<clock::WarpState> = std::to_array<Word<clock::WarpState>>(
    {{clock::WarpState::Selected, "selected", "issues an instruction"},
     {clock::WarpState::Wait, "wait", "waits a fixed number of cycles",
      "The result of an arithmetic instruction has a fixed latency."},
     {clock::WarpState::LongScoreboard, "long_scoreboard", "waits for global memory",
      "An operand is still on its way from L1, L2 or DRAM."},
     {clock::WarpState::ShortScoreboard, "short_scoreboard", "waits for shared memory",
      "An operand is still on its way from shared memory or a special function unit."},
     {clock::WarpState::Barrier, "barrier", "waits at a barrier",
      "Other warps of the block have not arrived yet."},
     {clock::WarpState::MioThrottle, "mio_throttle", "waits for the queue to shared memory",
      "The scheduler's queue of accesses to shared memory is full."},
     {clock::WarpState::LgThrottle, "lg_throttle", "waits for the queue to global memory",
      "The scheduler's queue of accesses to global memory is full."},
     {clock::WarpState::MathPipe, "math_pipe_throttle", "waits for an arithmetic unit",
      "The unit is executing another warp's instruction."},
     {clock::WarpState::NotSelected, "not_selected", "is ready, but another warp issues",
      "A scheduler issues one instruction per cycle."},
     {clock::WarpState::Branch, "branch_resolving", "waits after a branch",
      "The next instruction is being fetched."},
     {clock::WarpState::Dispatch, "dispatch_stall", "waits for the registers",
      "The register banks are still delivering operands for earlier instructions."}});

}  // namespace tilestep
