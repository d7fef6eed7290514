// The state of a schedule in progress.
#pragma once

#include "simt/exec/context.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"
#include "simt/state/machine_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::simt {

// The blocks that Lockstep and Random run concurrently. A GPU does not hold a large grid at once
// either: its blocks run in waves.

// Whether a warp of the block can move, and does more than polling in vain (executors_atomic.cpp).
// A block that has not started counts as busy.
[[nodiscard]] bool is_busy(const MachineState& state, std::uint32_t block);

// Stops the blocks whose warps all wait at barriers that no warp can complete.
void stop_deadlocked(Machine& machine, std::span<const std::uint32_t> blocks, Observer* observer);

class Residents {
 public:
  Residents() = default;
  // Blocks of this part of the grid, `limit` at a time.
  Residents(BlockPart part, std::uint32_t limit);

  // In grid order. Blocks that have ended stay until another block needs their place.
  [[nodiscard]] std::span<const std::uint32_t> blocks() const { return blocks_; }

  // While fewer than `limit` are busy, the next block of the part becomes resident. Blocks that
  // only poll do not count: they may wait for one that has not started. Deadlocked ones do not
  // count either: they are stopped when a block needs their place.
  void admit(Machine& machine, Observer* observer);

  friend bool operator==(const Residents&, const Residents&) = default;

 private:
  std::vector<std::uint32_t> blocks_;
  std::uint32_t next_ = 0;  // the first block that has not been resident yet
  std::uint32_t end_ = 0;
  std::uint32_t limit_ = 0;
};

// The loop that executes one warp.

enum class AtBarrier { RunOn, Pause };

// Steps a Ready warp until it is not Ready or `most` steps are done; returns the number of steps.
// Starts and ends the warp's block. Pause: also returns after a barrier that did not stop the warp.
std::uint64_t run_warp(MachineState& machine, WarpId id, std::uint64_t most, Observer* observer,
                       AtBarrier at_barrier = AtBarrier::RunOn);
// Machine::run_to().
std::uint64_t run_warp_to(MachineState& machine, WarpId id, const std::vector<bool>& places,
                          std::uint64_t most, Observer& observer);

// How often a warp has arrived at a barrier, and how often it only polled.
struct Moves {
  static constexpr std::uint32_t kGone = 0xffffffffU;  // its block has ended
  std::uint32_t arrivals = 0;
  std::uint32_t yields = 0;
};
[[nodiscard]] Moves moves_of(const MachineState& state, WarpId id);

// Asks the caller now and then whether to stop.
class Pause {
 public:
  Pause(bool (*should_stop)(void*), void* context) : should_stop_(should_stop), context_(context) {}

  // Under close observation a step takes a microsecond, so a cancellation takes 16 ms.
  static constexpr std::uint64_t kSlice = 1U << 14;  // steps

  [[nodiscard]] bool at(std::uint64_t steps) {
    if (should_stop_ == nullptr || steps < next_) {
      return false;
    }
    next_ = steps + kSlice;
    return should_stop_(context_);
  }

 private:
  bool (*should_stop_)(void*);
  void* context_;
  std::uint64_t next_ = 0;
};

// An optional<WarpId> would not fit a register, and every step waits for this.
inline constexpr WarpId kNobody{0xffffffffU, 0xffffffffU};

struct Scheduler::Impl {
  Schedule schedule;
  std::uint32_t warps = 1;
  std::uint64_t all = 1;  // warps of the grid
  WarpId last;
  bool at_end = true;  // the last step ended a statement

  // Sequential, RunAhead: the current block. `last` continues while it is Ready.
  std::uint32_t block = 0;
  bool choose = true;
  bool gives_way = false;  // `last` only polls: another warp moves

  Residents residents;  // Lockstep, Random, OnSm

  // Lockstep: warps of the round, in the order of turns; `later` are those that have had their turn
  // and have not ended their statement.
  std::vector<WarpId> turns;
  std::vector<WarpId> later;
  std::size_t next = 0;

  std::uint64_t random = 0;

  std::vector<std::uint32_t> statements_done;  // OnSm: by warp of the grid

  friend bool operator==(const Impl&, const Impl&) = default;

  [[nodiscard]] WarpId id(std::uint64_t linear) const {
    return {static_cast<std::uint32_t>(linear / warps), static_cast<std::uint32_t>(linear % warps)};
  }

  [[nodiscard]] std::uint64_t linear(WarpId warp_id) const {
    return std::uint64_t{warp_id.block} * warps + warp_id.warp;
  }

  // The warp that moves next; kNobody: the launch has ended.
  [[nodiscard]] WarpId pick(Machine& machine, Observer* observer);
  [[nodiscard]] WarpId pick_in_order(Machine& machine, Observer* observer);
  [[nodiscard]] WarpId pick_in_round(Machine& machine, Observer* observer);
  [[nodiscard]] WarpId pick_at_random(Machine& machine, Observer* observer);
  [[nodiscard]] WarpId pick_on_sm(Machine& machine, Observer* observer);
  [[nodiscard]] std::int64_t next_clock(std::uint64_t warp) const;
  [[nodiscard]] std::optional<std::uint32_t> choose_warp(const MachineState& machine) const;
  [[nodiscard]] std::optional<WarpId> next_in_turn(const MachineState& state) const;
  void note(const Moves& before, const Moves& after);
  void begin_round(Machine& machine, Observer* observer);
  void account(bool has_ended);

  // One step of a warp; returns whether it ended a statement.
  bool step(MachineState& state, WarpId picked, Observer* observer);
  // Run to the end of the launch, or until should_stop returns true; return the number of steps.
  std::uint64_t run_in_order(Machine& machine, Observer* observer, Pause& pause);
  std::uint64_t run_in_rounds(Machine& machine, Observer* observer, Pause& pause);
  std::uint64_t run_by_statements(Machine& machine, Observer* observer, Pause& pause);
  std::uint64_t run_round(MachineState& state, Observer* observer);
};

}  // namespace tilestep::simt
