// What a recording keeps beside its keyframes so that one block can be executed again by itself:
// the order of its steps, and whether it depends on what other blocks store.
#pragma once

#include "record/recording.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tilestep::record {

// Which warp made each step. Warps that take turns step at even distances, so a warp's steps are
// kept as runs: a few for each of its statements.
class Trace {
 public:
  // Recordings with more runs (12 bytes each) do not keep the order of their steps.
  static constexpr std::size_t kMostRuns = 4'000'000;

  // Of `warps` warps from the grid's `first` on.
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
    runs_ = std::vector<std::vector<Run>>();  // {} would keep the room
  }
  // Steps of warps [first, last), in order, until `visit` says false.
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
    std::uint32_t warp = 0;  // less the first that is visited
    std::size_t run = 0;
    std::uint32_t at = 0;
  };
  // False: that was its last.
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

// Windows of global memory that are read, and that are stored to, one bit each.
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
  // Nothing else was read: no matter what other blocks did, as long as they store to no input.
  [[nodiscard]] bool reads_only(std::uint64_t windows) const { return (read_ & ~windows) == 0; }

 private:
  std::uint64_t read_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace tilestep::record
