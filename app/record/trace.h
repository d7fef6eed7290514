// Data of a recording, besides keyframes, for executing one block again alone: the order of its
// steps, and whether it depends on stores of other blocks.
#pragma once

#include "record/recording.h"
#include "record/tracks.h"

#include <mutex>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace tilestep::record {

// The warp of each step. Warps that take turns step at equal distances, so a warp's steps are
// stored as runs: a few for each of its statements.
class Trace {
 public:
  // Recordings with more runs (12 bytes each) do not keep the order of their steps.
  static constexpr std::size_t kMostRuns = 4'000'000;

  // For `warps` warps, starting with the grid's warp `first`.
  Trace(std::size_t first, std::size_t warps) : first_(first), runs_(warps) {}

  // Steps are counted in 32 bits.
  void add(std::size_t warp, std::uint64_t step) {
    if (!kept_) {
      return;
    }
    const auto now = static_cast<std::uint32_t>(step);
    std::vector<Run>& runs = runs_[warp - first_];
    if (!runs.empty()) {
      Run& run = runs.back();
      const std::uint32_t stride = now - run.last();
      if (run.count == 1 || run.stride == stride) {
        run.stride = stride;
        ++run.count;
        return;
      }
    }
    runs.push_back({now, 0, 1});
    if (++count_ > kMostRuns) {
      drop();
    }
  }
  void drop() {
    kept_ = false;
    runs_ = std::vector<std::vector<Run>>();  // assigning {} would keep the capacity
  }
  // Steps of warps [first, last), in order, until `visit` returns false.
  void visit(std::size_t first, std::size_t last, const Recording::VisitStep& visit) const {
    std::vector<Next> next;
    for (std::size_t warp = std::max(first, first_); warp < std::min(last, first_ + runs_.size());
         ++warp) {
      const std::vector<Run>& runs = runs_[warp - first_];
      if (!runs.empty()) {
        next.push_back({runs.front().step, static_cast<std::uint32_t>(warp - first), 0, 0});
      }
    }
    std::ranges::make_heap(next, std::ranges::greater{}, &Next::step);
    while (!next.empty()) {
      std::ranges::pop_heap(next, std::ranges::greater{}, &Next::step);
      Next& now = next.back();
      if (!visit({now.step, now.warp})) {
        return;
      }
      if (advance(now, runs_[first + now.warp - first_])) {
        std::ranges::push_heap(next, std::ranges::greater{}, &Next::step);
      } else {
        next.pop_back();
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const { return kept_ ? count_ * sizeof(Run) : 0; }
  [[nodiscard]] std::uint64_t count_of(std::size_t first, std::size_t last) const {
    std::uint64_t count = 0;
    for (std::size_t warp = std::max(first, first_); warp < std::min(last, first_ + runs_.size());
         ++warp) {
      for (const Run& run : runs_[warp - first_]) {
        count += run.count;
      }
    }
    return count;
  }

 private:
  struct Run {
    std::uint32_t step = 0;
    std::uint32_t stride = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint32_t last() const { return step + (count - 1) * stride; }
  };

  // A warp's next step: number `at` of its run.
  struct Next {
    std::uint32_t step = 0;
    std::uint32_t warp = 0;  // relative to the first visited warp
    std::size_t run = 0;
    std::uint32_t at = 0;
  };
  // False: there is no next step.
  [[nodiscard]] static bool advance(Next& next, const std::vector<Run>& runs) {
    const Run& run = runs[next.run];
    if (++next.at < run.count) {
      next.step += run.stride;
      return true;
    }
    next.at = 0;
    if (++next.run == runs.size()) {
      return false;
    }
    next.step = runs[next.run].step;
    return true;
  }

  std::size_t first_;
  std::vector<std::vector<Run>> runs_;  // by warp
  std::size_t count_ = 0;
  bool kept_ = true;
};

// Windows of global memory that are read, and windows that are stored to, one bit each.
class Traffic {
 public:
  void note(const simt::MemoryEvent& event) {
    if (event.space != ptx::Space::Global) {
      return;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t address =
          event.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::uint64_t window = (address - simt::kGlobalWindow) / simt::kWindowBytes;
      const std::uint64_t bit = std::uint64_t{1} << std::min<std::uint64_t>(window, 63);
      read_ |= event.kind != simt::AccessKind::Store ? bit : 0;
      stored_ |= event.kind != simt::AccessKind::Load ? bit : 0;
    }
  }
  [[nodiscard]] bool blocks_are_independent() const { return (read_ & stored_) == 0; }
  // Whether nothing else was read: other blocks do not matter, as long as they store to no input.
  [[nodiscard]] bool reads_only(std::uint64_t windows) const { return (read_ & ~windows) == 0; }

 private:
  std::uint64_t read_ = 0;
  std::uint64_t stored_ = 0;
};

// The last few states that a recording was asked for: the next request is mostly near them.
//
// It changes how long an answer takes, never the answer. Several workers may ask at once, hence the
// lock.

class Recent {
 public:
  using Entry = std::shared_ptr<const StateData>;

  void add(Entry state) {
    const std::lock_guard lock(mutex_);
    states_.remove_if([&](const Held& held) { return held.state->step == state->step; });
    const std::size_t bytes = state->footprint();
    states_.push_back({std::move(state), bytes});
    std::size_t total = 0;
    for (auto held = states_.rbegin(); held != states_.rend(); ++held) {
      total += held->bytes;
    }
    while (states_.size() > kMost || (states_.size() > kLeast && total > kBytes)) {
      total -= states_.front().bytes;
      states_.pop_front();
    }
  }

  // The state at or nearest before a step; null if there is none.
  [[nodiscard]] Entry before(std::uint64_t step) {
    const std::lock_guard lock(mutex_);
    auto best = states_.end();
    for (auto held = states_.begin(); held != states_.end(); ++held) {
      const bool nearer = best == states_.end() || held->state->step > best->state->step;
      if (held->state->step <= step && nearer) {
        best = held;
      }
    }
    if (best == states_.end()) {
      return nullptr;
    }
    states_.splice(states_.end(), states_, best);  // used last, dropped last
    return states_.back().state;
  }

 private:
  struct Held {
    Entry state;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kMost = 4;
  static constexpr std::size_t kLeast = 2;
  static constexpr std::size_t kBytes = 16U << 20;

  std::mutex mutex_;
  std::list<Held> states_;
};

// Keyframes: snapshots of a run, within a limit of bytes.
//
// They change how long an answer takes, never the answer. After the run several workers may read
// and add at once, hence the lock.

class Keyframes {
 public:
  using Entry = std::shared_ptr<const StateData>;

  // `distance` in steps; 0: chosen so that keyframes cost a fraction of the run's time.
  Keyframes(std::uint64_t budget_bytes, std::uint64_t distance)
      : budget_(budget_bytes), distance_(distance) {}

  // Called after every step of the run; takes a copy now and then. Above the limit, it drops every
  // second one.
  void offer(const StateData& state) {
    if (state.step >= next_) {
      take(state);
    }
  }
  // The last one at or before a step.
  [[nodiscard]] Entry before(std::uint64_t step) const;

  // Adds one between those of the run.
  void insert(Entry frame);
  // The steps with a keyframe, sorted, and the bytes of all.
  [[nodiscard]] std::vector<std::uint64_t> steps() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Held {
    Entry state;
    std::size_t bytes = 0;
  };
  void take(const StateData& state);
  void thin_out();

  std::uint64_t budget_;
  std::uint64_t distance_;
  std::uint64_t bytes_ = 0;
  std::uint64_t next_ = 0;    // step of the next keyframe
  std::uint64_t scale_ = 1;   // grows as keyframes are thinned out
  std::vector<Held> frames_;  // by step; the first is step 0
  mutable std::mutex mutex_;
};

// Tracks data alongside the machine: assignments to source variables, the last writer of each cell,
// positions of waiting lanes, and the final data of ended threads and blocks.

// Keeps a StateData's tracks in step with its machine. `next` sees every event too.
class Tracker final : public simt::Observer {
 public:
  explicit Tracker(StateData& state, simt::Observer* next = nullptr);

  // One step of the schedule; false if the launch has ended (nothing was executed then).
  bool step();

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override;
  void on_block_start(std::uint32_t block) override;
  void on_block_end(std::uint32_t block) override;

 private:
  void park(WarpTrack& track, std::uint32_t lanes) const;
  void apply(const simt::StepInfo& info, const FunctionTable& table, const PcInfo& pc,
             Frame& frame) const;
  void snapshot(const simt::StepInfo& info, const Action& action, const VariableSlot& slot,
                Frame& frame) const;
  // Keeps the kernel's variables of some lanes of a warp that is at `pc` of the kernel itself.
  void capture(simt::WarpId id, std::uint32_t pc, std::uint32_t lanes, std::uint32_t line) const;
  void enter_call(const simt::StepInfo& info, WarpTrack& track) const;
  void note_write(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_local_write(const simt::StepInfo& info, const simt::MemoryEvent& event,
                        WarpTrack& track) const;

  StateData& state_;
  const Tables& tables_;
  simt::Observer* next_;
  bool next_wants_steps_;
};

// Collects what a range of steps did.

class ActivityCollector final : public simt::Observer {
 public:
  // `state` is the one being stepped.
  explicit ActivityCollector(const StateData& state)
      : state_(state),
        open_(std::size_t{state.tables->program->block_count()} *
              state.tables->program->warps_per_block()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override;

  [[nodiscard]] Activity take(std::uint64_t first, std::uint64_t last);

 private:
  [[nodiscard]] std::uint32_t line(const simt::StepInfo& info) const;

  const StateData& state_;
  Activity activity_;
  std::vector<std::size_t> open_;  // by warp: 1 + index of its last Executed; 0: none
};

// The line of a step: its own, or that of the innermost caller that has one.
[[nodiscard]] std::uint32_t step_line(const StateData& state, const simt::StepInfo& info);
// The line of the last step that a warp made.
[[nodiscard]] std::uint32_t last_line(const StateData& state, simt::WarpId id);

}  // namespace tilestep::record
