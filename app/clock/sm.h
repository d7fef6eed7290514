// The model of one SM in time: four schedulers, the queues of memory instructions, the data stage
// of shared memory and L1, barriers, L2. Machine code and its addresses (trace.h) and the numbers
// of a GPU (sm_table.h) → what each warp does in every clock.
//
//   scheduler ─► queue of its memory instructions ─► entry of the SM ─► data stage: passes, in
//   order
//                                                                       └► L1 ─► L2 ─► DRAM
//
// An estimate: docs/clock.md has its rules, where they come from, and its error against Nsight
// Compute. Deterministic: times are in whole clocks, rates in 1/64 of one.
#pragma once

#include "clock/sm_table.h"
#include "clock/trace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tilestep::clock {

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

// One warp from its start to its exit.
struct WarpLife {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;  // in its block
  std::uint32_t slot = 0;  // its scheduler is slot % 4
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<StateSpan> spans;  // if SmOptions::records
};

struct SmOptions {
  std::uint32_t blocks_at_once = 1;
  // The first blocks find nothing in L2 (false: everything).
  bool is_cold = true;
  bool records = false;  // WarpLife::spans and SmRun::busy
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
  std::uint64_t dram_sectors = 0;
  StateClocks by_state{};
  std::vector<StateClocks> by_instruction;  // by index in Tracer::code
  std::vector<WarpLife> lives;              // in the order of their ends
  std::vector<std::uint8_t> busy;  // clocks of the data stage with a pass, for each kBusyClocks
  bool is_cancelled = false;
};

using BlockSource = std::function<std::shared_ptr<const BlockTrace>(std::size_t)>;

// Runs the blocks 0 … `blocks` - 1 of `source` in this order, as many at once as the options say.
// `code` and `shapes` are those of the traces' Tracer, `shapes` after all blocks are traced.
// Null from `source` cancels.
[[nodiscard]] SmRun simulate(const std::vector<CodedInstruction>& code,
                             const std::vector<RequestShape>& shapes, const BlockSource& source,
                             std::size_t blocks, const SmTable& table, const SmOptions& options,
                             const std::atomic<bool>* cancel = nullptr);

}  // namespace tilestep::clock
