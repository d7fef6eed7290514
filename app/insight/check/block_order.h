// What orders the threads of one block: barriers of the whole block, barriers of some of its warps,
// __syncwarp, and flags in its shared memory (flag_order.h).
//
// A whole-block barrier starts a new interval; everything of an earlier interval is ordered before
// everything of a later one. Inside an interval vector clocks say what is ordered (Lamport 1978,
// Mattern 1989): warps know warps through partial barriers, lanes know lanes through __syncwarp.
// Shuffles and votes order nothing (CUDA C++ Programming Guide, "Warp Shuffle Functions").
#pragma once

#include "insight/check/flag_order.h"
#include "simt/state/event.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilestep::insight {

// When a warp did something: comparable through BlockOrder only.
struct Stamp {
  std::uint32_t interval = 0;
  std::uint32_t tick = 0;  // synchronisations of the warp in this interval

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// What some lanes of a warp did and what they were ordered after, at one moment: the part of it
// that outlives the block.
struct Knowledge {
  Stamp stamp;
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;
  std::uint64_t step = 0;
  std::vector<std::uint32_t> warps;       // ticks of other warps; empty: none of this interval
  std::vector<std::uint32_t> lane_ticks;  // of the warp's other lanes, likewise
  ThreadClock seen;                       // through flags

  // Those of `lanes` of a warp of this block, which did something at `when` and `at_step`, that are
  // not ordered before it.
  [[nodiscard]] std::uint32_t unordered(Stamp when, std::uint32_t of_warp, std::uint32_t of_lanes,
                                        std::uint64_t at_step) const;
};

class BlockOrder {
 public:
  explicit BlockOrder(std::uint32_t warps);

  [[nodiscard]] std::uint32_t interval() const { return interval_; }
  [[nodiscard]] Stamp now(std::uint32_t warp) const { return {interval_, ticks_[warp]}; }

  // Those of `lanes` of `warp`, which did something at `when`, that are not ordered before what
  // lane `lane` of warp `here` does now. A thread is always ordered after itself.
  [[nodiscard]] std::uint32_t unordered(Stamp when, std::uint32_t warp, std::uint32_t lanes,
                                        std::uint32_t here, std::uint32_t lane) const;

  // Of lanes of a warp, now.
  [[nodiscard]] Knowledge knowledge(std::uint32_t warp, std::uint32_t lanes,
                                    std::uint64_t step) const;

  void sync_block();
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes);
  // A barrier for some warps only (bar.sync id, count; bar.arrive does not wait).
  void arrive(std::uint32_t warp, std::uint32_t id, bool waits);
  void release(std::uint32_t id);
  // The phase of a barrier in memory is over, and lanes of a warp have seen that it is.
  void end_phase(std::uint32_t id);
  void acquire(std::uint32_t warp, std::uint32_t lanes, std::uint32_t id);

  // Flags in shared memory. An access to shared memory; whether it is one to flags.
  void before_step(const simt::StepInfo& info);
  bool access(const simt::StepInfo& info, const simt::MemoryEvent& event);

 private:
  using Clock = std::vector<std::uint32_t>;  // what happened at ticks below these is ordered before
  struct Arrival {
    std::uint32_t warp = 0;
    bool waits = true;
    Clock known;
    ThreadClock seen;
  };

  struct Phase {
    Clock known;
    ThreadClock seen;
  };

  void sync_whole_warp(std::uint32_t warp);
  [[nodiscard]] Phase brought_together(const std::vector<Arrival>& arrivals) const;
  [[nodiscard]] std::uint32_t unordered_by_barriers(Stamp when, std::uint32_t warp,
                                                    std::uint32_t lanes, std::uint32_t here,
                                                    std::uint32_t lane) const;
  // All that a thread knows.
  [[nodiscard]] ThreadClock thread_clock(std::uint32_t warp, std::uint32_t lane) const;

  std::uint32_t interval_ = 1;
  std::vector<std::uint32_t> ticks_;
  std::vector<Clock> warp_clocks_;  // [warp][other warp]; empty while no partial barrier was met
  std::vector<Clock> lane_clocks_;  // [warp][lane · 32 + other lane]; empty while no __syncwarp was
  std::map<std::uint32_t, std::vector<Arrival>> waiting_;  // by barrier id
  std::map<std::uint32_t, Phase> phases_;                  // what their last phase brought together
  FlagOrder flags_;
};

}  // namespace tilestep::insight
