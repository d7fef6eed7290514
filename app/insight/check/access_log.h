// Who accessed a word of memory last, exactly: enough of its history to tell of every access
// whether something earlier is in conflict with it and unordered, and who that was.
#pragma once

#include "insight/check/block_order.h"
#include "insight/check/launch_order.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::insight {

// A store by cp.async or its bulk relatives is told twice (simt::MemoryEvent). What a copy brings
// that is still under way when its thread exits was never waited for: that is no arrival here.
enum class CopyPart : std::uint8_t { None, Issue, Arrival, Exit };
[[nodiscard]] CopyPart copy_part(const simt::StepInfo& info, const simt::MemoryEvent& event);

// One instruction's access to one word by some lanes of a warp.
struct WordAccess {
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;
  Stamp stamp;
  std::uint32_t line = 0;
  // Instructions of the warp since the interval began: which of two accesses stands first in the
  // program, whatever the schedule made of it.
  std::uint32_t position = 0;
  std::uint32_t bytes = 0xf;  // of the word, one bit each
  simt::AccessKind kind = simt::AccessKind::Load;
  simt::AccessAgent agent = simt::AccessAgent::Thread;
  bool strong = false;       // of global memory: others may meet it (MemoryOrder)
  bool initialises = false;  // an mbarrier
  CopyPart copy = CopyPart::None;
  Stamp issued;  // Arrival: when it was, and `line` and `step` are of then too
  std::optional<std::uint32_t> value;  // a store's, where known; valid at `bytes`
};

// Flags and counters are made of strong accesses: those race only where both store, when one of
// two updates may be lost.
[[nodiscard]] constexpr bool in_conflict(const WordAccess& a, const WordAccess& b) {
  const bool both_read = a.kind == simt::AccessKind::Load && b.kind == simt::AccessKind::Load;
  const bool both_atomic = a.kind == simt::AccessKind::Atomic && b.kind == simt::AccessKind::Atomic;
  const bool both_store = a.kind == simt::AccessKind::Store && b.kind == simt::AccessKind::Store;
  return !both_read && !both_atomic && (both_store || !a.strong || !b.strong);
}

// Both are stores, and what they leave in the bytes that both cover is equal.
[[nodiscard]] bool store_the_same(const WordAccess& a, const WordAccess& b);

class WordLog {
 public:
  // The earlier access that `access` (of one lane) races with, with `lanes` cut to those that do;
  // null when it is ordered after all of them. `order` is that of the access's block.
  [[nodiscard]] const WordAccess* find_race(const WordAccess& access, const BlockOrder& order,
                                            const LaunchOrder& launch,
                                            std::uint32_t& racing_lanes) const;
  // A copy that has been issued by now and has not arrived, to bytes of `access`: the two race,
  // whatever barriers lie between. Null when there is none.
  [[nodiscard]] const WordAccess* copy_under_way(const WordAccess& access) const;
  void add(const WordAccess& access);
  // Shared memory: forgets what a whole-block barrier has ordered.
  void enter_interval(std::uint32_t interval);

  [[nodiscard]] std::uint32_t written() const { return written_; }  // bytes ever stored

 private:
  void arrive(WordAccess arrival);
  void add_store(const WordAccess& store);
  void add_read(const WordAccess& access);

  std::vector<WordAccess> accesses_;
  std::vector<WordAccess> copies_;  // under way
  std::uint32_t interval_ = 0;
  std::uint32_t written_ = 0;
};

}  // namespace tilestep::insight
