// One run made seekable: state_at(k) for any step k, forward or back, equal to replaying from 0.
//
// A step is one instruction of one warp. A statement (ends_statement) is the unit of F11; under the
// lockstep schedule it is one round: the current statement of every resident block. A phase is a
// block's steps between two barriers, named by what they did. Nothing is stored per step: keyframes
// and statement starts are, and the rest is executed again (60 to 80 ns a step).
#pragma once

#include "problem/result.h"
#include "record/activity.h"
#include "record/state.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace tilestep::record {

struct Options {
  std::uint64_t max_steps = 40'000'000;
  std::uint64_t keyframe_bytes = 120ULL << 20;  // total for keyframes
  std::uint64_t keyframe_steps = 0;             // between keyframes; 0: chosen by their cost
  // Only these blocks, as if the grid had no others: for a result before the whole grid's. Fails if
  // they read what another block may store. Steps are counted from their start.
  std::optional<simt::BlockPart> part;
  // Ends with the statement that reaches this step, unless the launch ends earlier; 0: ends with
  // the launch. For showing the start of a long run until the rest is recorded.
  std::uint64_t only_steps = 0;
  const std::atomic<bool>* cancel = nullptr;
  std::atomic<std::uint64_t>* progress = nullptr;  // steps recorded so far
};

class Recording {
 public:
  // Executes the launch, or a part of its blocks, to the end. Fails if it needs more than max_steps
  // (the message says how many blocks were done and what to do: a smaller size, or `check`), or if
  // it was cancelled.
  [[nodiscard]] static Result<std::shared_ptr<const Recording>> make(
      std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
      Options options = {});
  ~Recording();

  [[nodiscard]] const simt::Program& program() const;
  [[nodiscard]] const std::shared_ptr<const simt::Program>& shared_program() const;
  [[nodiscard]] const simt::Schedule& schedule() const;
  // Its blocks; the others count as ended, and have no phases.
  [[nodiscard]] simt::BlockPart part() const;
  [[nodiscard]] bool is_whole() const { return part().count() == program().block_count(); }
  // Whether all of its blocks have ended: false if Options::only_steps cut it short.
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] std::uint64_t step_count() const;
  // Step index at which each statement starts; the last entry is step_count(). Sorted.
  [[nodiscard]] std::span<const std::uint64_t> statement_starts() const;
  // The block's phases, by time.
  [[nodiscard]] std::span<const Phase> phases_of(std::uint32_t block) const;
  [[nodiscard]] const Phase* phase_at(std::uint32_t block, std::uint64_t step) const;
  [[nodiscard]] std::span<const Activity::Fault> faults() const;

  // The state after k steps, 0 <= k <= step_count().
  [[nodiscard]] State state_at(std::uint64_t k) const;
  // The same, but starts from the hint if that is nearer than a keyframe. Moving the hint in avoids
  // a copy: stepping forward does this.
  [[nodiscard]] State state_at(std::uint64_t k, const State& hint) const;
  [[nodiscard]] State state_at(std::uint64_t k, State&& hint) const;
  // What steps [first, last) did.
  [[nodiscard]] Activity activity(std::uint64_t first, std::uint64_t last) const;
  // Advances a state of this recording to step `last`; returns what its steps did.
  Activity advance(State& state, std::uint64_t last) const;
  // Adds keyframes, in a separate run. Afterwards an answer executes at most about 4,000 steps, if
  // 64 MiB hold enough keyframes. Answers stay the same, and can be requested meanwhile. False:
  // cancelled.
  bool refine(const std::atomic<bool>* cancel = nullptr) const;
  // Approximate memory use: keyframes, the order of steps, statements, phases.
  [[nodiscard]] std::uint64_t bytes() const;
  // Index of the statement that contains step k (the statement about to execute at state k); at the
  // end of the run the number of statements.
  [[nodiscard]] std::size_t statement_of(std::uint64_t k) const;
  // The steps of one block, in order, until `visit` returns false. With them a block can be
  // executed again alone by Machine::step, in the same order as among the others. Empty if that is
  // not possible: another block stores what some block reads, or the recording is too long to keep
  // the order.
  struct BlockStep {
    std::uint64_t step = 0;
    std::uint32_t warp = 0;  // in the block
  };
  [[nodiscard]] bool keeps_steps_of(std::uint32_t block) const;
  using VisitStep = std::function<bool(const BlockStep&)>;
  void visit_steps_of(std::uint32_t block, const VisitStep& visit) const;
  // Number of steps to execute to see all of a block's: its own, or else those of all blocks.
  [[nodiscard]] std::uint64_t steps_to_follow(std::uint32_t block) const;
  // Re-executes steps [first, last) with the caller's observer (from the nearest keyframe).
  void replay(std::uint64_t first, std::uint64_t last, simt::Observer& observer) const;
  // … with an observer that needs the executing machine: it is created when the machine is at
  // `first`.
  using ObserverOf = std::function<std::unique_ptr<simt::Observer>(const simt::Machine&)>;
  void replay(std::uint64_t first, std::uint64_t last, const ObserverOf& make) const;

 private:
  struct Impl;
  explicit Recording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::record
