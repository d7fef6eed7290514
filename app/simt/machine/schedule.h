// Chooses the warp that moves next: a pure function of the machine's state and a seed.
//
//   Lockstep    the resident blocks together, statement by statement: in a round every Ready warp
//               of them executes up to the end of its statement, instruction by instruction in
//               turn. The lecture's view.
//   Sequential  block by block; in a block warp 0 to its barrier or exit, then warp 1, ….
//   RunAhead    block by block; the chosen warp runs as far as barriers let it before the others
//               move, then they do, one after the other: the adversary that makes a missing barrier
//               visible.
//   Random      seeded: any Ready warp of a resident block, statement by statement.
//   OnSm        the Ready warp of a resident block whose next statement is first in time on one
//               SM, statement by statement (Schedule::clocks).
//
// At most resident_blocks() are resident: when one has ended, the next one of the grid takes its
// place (under Lockstep at the start of the next round). So the blocks of a large grid run in
// waves, as on a GPU.
//
// If a warp only polls (a lock that another one holds, a flag that is not set yet), Sequential and
// RunAhead let the next one move, of the same block or another. Under the others a block that only
// polls does not count against the limit of resident blocks.
#pragma once

#include "problem/words.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::simt {

// N = 64 at BLOCK_SIZE 4, N = 16 at 1: launches that fit a screen are one wave. More would slow
// every step down and make keyframes large (docs/types.md; docs/benchmarks.md, "Recordings").
inline constexpr std::uint32_t kResidentBlocks = 256;
// … limited to blocks whose registers and shared memory take at most this; at least one block.
inline constexpr std::uint64_t kResidentBytes = std::uint64_t{64} << 20;
[[nodiscard]] std::uint32_t resident_blocks(const Program& program);

enum class ScheduleKind { Lockstep, Sequential, RunAhead, Random, OnSm };

// When each warp of a launch begins its statements: the clocks of its 1st, 2nd, … By warp of the
// grid (block · warps of a block + warp).
using StatementClocks = std::vector<std::vector<std::int64_t>>;

struct Schedule {
  ScheduleKind kind = ScheduleKind::Lockstep;
  std::uint32_t run_ahead_warp = 0;  // RunAhead: warp in its block
  std::uint32_t seed = 1;            // Random
  // OnSm: of this launch; clock/places.h computes them. Null: the warps take turns.
  std::shared_ptr<const StatementClocks> clocks{};

  // The clocks follow from the launch.
  friend bool operator==(const Schedule& a, const Schedule& b) {
    return a.kind == b.kind && a.run_ahead_warp == b.run_ahead_warp && a.seed == b.seed;
  }
};

// A statement of a warp ends when its source line changes, after every round of a loop on one line,
// at a barrier and at exit. Calls belong to the calling line unless the callee has lines of its
// own.
[[nodiscard]] bool ends_statement(const Program& program, const WarpView& before,
                                  const WarpView& after);

// Copyable state of a schedule in progress (resident blocks, lockstep's round, the random
// generator).
class Scheduler {
 public:
  Scheduler(const Program& program, const Schedule& schedule);
  // For a machine that runs only these blocks.
  Scheduler(const Program& program, const Schedule& schedule, BlockPart part);
  Scheduler(const Scheduler&);
  Scheduler& operator=(const Scheduler&);
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;
  ~Scheduler();

  // Makes one step; false when the launch has ended. Deadlocked blocks are stopped and reported.
  bool step(Machine& machine, Observer* observer);

  // True when the last step ended a statement: with Lockstep, when every warp of the round has
  // ended its statement.
  [[nodiscard]] bool at_statement_end() const;
  [[nodiscard]] const Schedule& schedule() const;
  // The warp that moved last.
  [[nodiscard]] WarpId last() const;

  friend bool operator==(const Scheduler& a, const Scheduler& b);
  friend std::uint64_t run_to_end(Machine& machine, Scheduler& scheduler, Observer* observer,
                                  bool (*should_stop)(void*), void* stop_context);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs to the end in the fastest way that the schedule allows (whole-warp runs under Sequential and
// RunAhead). `should_stop` is called now and then (may be null). Returns the number of steps.
std::uint64_t run_to_end(Machine& machine, Scheduler& scheduler, Observer* observer,
                         bool (*should_stop)(void*) = nullptr, void* stop_context = nullptr);

}  // namespace tilestep::simt

namespace tilestep {

// Words for schedules, faults and the like.

template <>
inline constexpr auto kWords<simt::ScheduleKind> = std::to_array<Word<simt::ScheduleKind>>(
    {{simt::ScheduleKind::Lockstep, "lockstep", "lockstep",
      "All resident blocks run together, statement by statement, as in a lecture. The blocks of a "
      "large grid run in waves, as on a GPU."},
     {simt::ScheduleKind::Sequential, "sequential", "sequential",
      "Blocks run one after another; within a block, warps run one after another, up to the next "
      "barrier."},
     {simt::ScheduleKind::RunAhead, "run_ahead", "run ahead",
      "One warp runs ahead as far as the barriers allow: this makes a missing barrier visible."},
     {simt::ScheduleKind::Random, "random", "random",
      "A random warp of a resident block runs next; the seed reproduces the order."},
     {simt::ScheduleKind::OnSm, "sm", "as on the SM",
      "The warps run statement by statement, in the order estimated for one SM (see the page One "
      "SM, Ctrl+9)."}});

template <>
inline constexpr auto kWords<simt::AccessKind> =
    std::to_array<Word<simt::AccessKind>>({{simt::AccessKind::Load, "load", "load"},
                                           {simt::AccessKind::Store, "store", "store"},
                                           {simt::AccessKind::Atomic, "atomic", "atomic"}});

}  // namespace tilestep
