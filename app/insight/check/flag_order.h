// What orders the threads of one block through words of its shared memory: one thread releases on a
// word (a release, or a fence and then an atomic or another ordered access), another sees the word.
// Cooperative groups synchronise tiles of several warps like this.
//
// Vector clocks by thread (Lamport 1978, Mattern 1989), kept only for threads that have seen a
// release. As for whole launches (launch_order.h), observing needs no acquire.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

// By thread of the block: what it did at ticks below these is ordered before. Null: nothing is.
using ThreadClock = std::shared_ptr<const std::vector<std::uint32_t>>;
[[nodiscard]] ThreadClock joined(const ThreadClock& a, const ThreadClock& b);

class FlagOrder {
 public:
  // Of `lanes` of `warp`, which did something at `tick`: those that the thread has seen no release
  // of.
  [[nodiscard]] std::uint32_t unordered(std::uint32_t tick, std::uint32_t warp, std::uint32_t lanes,
                                        std::uint32_t thread) const;
  // What lanes of a warp have seen, together.
  [[nodiscard]] ThreadClock seen(std::uint32_t warp, std::uint32_t lanes) const;
  void show(std::uint32_t warp, std::uint32_t lanes, const ThreadClock& clock);
  // The lanes meet: each knows what all have seen.
  void meet(std::uint32_t warp, std::uint32_t lanes) { show(warp, lanes, seen(warp, lanes)); }

  // A fence of a thread, which knows `clock`.
  void fence(std::uint32_t thread, ThreadClock clock) { fences_[thread] = std::move(clock); }
  // What its last fence covers.
  [[nodiscard]] ThreadClock fenced(std::uint32_t thread) const;
  // `replaces`: what others have released there is not seen any more (a store, no atomic).
  void release(std::uint64_t word, const ThreadClock& clock, bool replaces);
  void observe(std::uint32_t warp, std::uint32_t lane, std::uint64_t word);

  void clear();

 private:
  std::vector<ThreadClock> clocks_;  // by thread; empty: nobody has seen a release
  std::unordered_map<std::uint32_t, ThreadClock> fences_;  // by thread
  std::unordered_map<std::uint64_t, ThreadClock> words_;
};

}  // namespace tilestep::insight
