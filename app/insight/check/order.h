// The order of accesses, and the access history of each word: within a block, by flags, between
// blocks, and between threads and the TMA unit.
#pragma once

#include "ptx/model/instruction.h"
#include "simt/state/event.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

// How an instruction orders memory accesses (PTX ISA, "Memory Consistency Model"). Other blocks do
// not see accesses of scope .cta.

// An access to a flag in shared memory. A volatile access is none: programs from before independent
// thread scheduling use `volatile` in place of a barrier.
[[nodiscard]] inline bool is_flag_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction) &&
                                            instruction.order != ptx::MemoryOrder::Volatile);
}

// An access that may be concurrent with others: an atomic, .volatile, .relaxed, …
[[nodiscard]] inline bool is_strong_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return instruction.scope != ptx::MemoryScope::Cta &&
         (ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction)));
}

// A fence, or an access with release semantics.
[[nodiscard]] inline bool releases_in_block(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Opcode::Membar:
    case ptx::Opcode::Fence:
      return instruction.order != ptx::MemoryOrder::Acquire;
    case ptx::Opcode::Atom:
    case ptx::Opcode::Red:
    case ptx::Opcode::Ld:
    case ptx::Opcode::St:
      return instruction.order == ptx::MemoryOrder::Release ||
             instruction.order == ptx::MemoryOrder::AcqRel;
    default:
      return false;
  }
}

[[nodiscard]] inline bool releases(const ptx::Instruction& instruction) {
  return instruction.scope != ptx::MemoryScope::Cta && releases_in_block(instruction);
}

[[nodiscard]] inline bool is_fence(const ptx::Instruction& instruction) {
  const bool may_be = instruction.op == ptx::Opcode::Membar || instruction.op == ptx::Opcode::Fence;
  return may_be && releases_in_block(instruction);
}

// Order of the threads of one block through words of its shared memory: one thread releases on a
// word (a release, or a fence and then an atomic or another strong access), another sees the word.
// Cooperative groups synchronize tiles of several warps in this way.
//
// Vector clocks by thread (Lamport 1978, Mattern 1989), kept only for threads that have seen a
// release. As in LaunchOrder, observing needs no acquire.

// By thread of the block: everything that the thread did at smaller ticks is ordered before. Null:
// nothing is.
using ThreadClock = std::shared_ptr<const std::vector<std::uint32_t>>;
[[nodiscard]] ThreadClock joined(const ThreadClock& a, const ThreadClock& b);

class FlagOrder {
 public:
  // The lanes of `lanes` of `warp` whose access at `tick` is not ordered before `thread`, because
  // the thread has seen no later release of theirs.
  [[nodiscard]] std::uint32_t unordered(std::uint32_t tick, std::uint32_t warp, std::uint32_t lanes,
                                        std::uint32_t thread) const;
  // The joined clock of these lanes.
  [[nodiscard]] ThreadClock seen(std::uint32_t warp, std::uint32_t lanes) const;
  void show(std::uint32_t warp, std::uint32_t lanes, const ThreadClock& clock);
  // The lanes synchronize: each gets the joined clock of all.
  void meet(std::uint32_t warp, std::uint32_t lanes) { show(warp, lanes, seen(warp, lanes)); }

  // A fence of a thread with the clock `clock`.
  void fence(std::uint32_t thread, ThreadClock clock) { fences_[thread] = std::move(clock); }
  // The clock at the thread's last fence.
  [[nodiscard]] ThreadClock fenced(std::uint32_t thread) const;
  // `replaces`: earlier releases on the word are no longer visible (a store that is not an atomic).
  void release(std::uint64_t word, const ThreadClock& clock, bool replaces);
  void observe(std::uint32_t warp, std::uint32_t lane, std::uint64_t word);

  void clear();

 private:
  std::vector<ThreadClock> clocks_;  // by thread; empty: nobody has seen a release
  std::unordered_map<std::uint32_t, ThreadClock> fences_;  // by thread
  std::unordered_map<std::uint64_t, ThreadClock> words_;
};

// Order of the threads of one block: barriers of the whole block, barriers of some of its warps,
// __syncwarp, and flags in its shared memory.
//
// A whole-block barrier starts a new interval; everything in an earlier interval is ordered before
// everything in a later one. Inside an interval vector clocks hold the order (Lamport 1978, Mattern
// 1989): between warps through partial barriers, between lanes through __syncwarp. Shuffles and
// votes order nothing (CUDA C++ Programming Guide, "Warp Shuffle Functions").

// When a warp did something. Stamps are comparable only through BlockOrder.
struct Stamp {
  std::uint32_t interval = 0;
  std::uint32_t tick = 0;  // synchronizations of the warp in this interval

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// What some lanes of a warp did, and what they were ordered after, at one moment. Still valid after
// the block has ended.
struct Knowledge {
  Stamp stamp;
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;
  std::uint64_t step = 0;
  std::vector<std::uint32_t> warps;       // ticks of other warps; empty: none in this interval
  std::vector<std::uint32_t> lane_ticks;  // of the warp's other lanes; empty: none in this interval
  ThreadClock seen;                       // through flags

  // The lanes of `of_lanes`, of a warp of this block, whose access at `when` and `at_step` is not
  // ordered before this moment.
  [[nodiscard]] std::uint32_t unordered(Stamp when, std::uint32_t of_warp, std::uint32_t of_lanes,
                                        std::uint64_t at_step) const;
};

class BlockOrder {
 public:
  explicit BlockOrder(std::uint32_t warps);

  [[nodiscard]] std::uint32_t interval() const { return interval_; }
  [[nodiscard]] Stamp now(std::uint32_t warp) const { return {interval_, ticks_[warp]}; }

  // The lanes of `lanes` of `warp` whose access at `when` is not ordered before what lane `lane` of
  // warp `here` does now. A thread is always ordered after itself.
  [[nodiscard]] std::uint32_t unordered(Stamp when, std::uint32_t warp, std::uint32_t lanes,
                                        std::uint32_t here, std::uint32_t lane) const;

  // The current knowledge of lanes of a warp.
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

  // Flags in shared memory. Called for every access to shared memory; returns whether it accesses a
  // flag.
  void before_step(const simt::StepInfo& info);
  bool access(const simt::StepInfo& info, const simt::MemoryEvent& event);

 private:
  using Clock = std::vector<std::uint32_t>;  // everything at smaller ticks is ordered before
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
  // Everything that is ordered before the thread.
  [[nodiscard]] ThreadClock thread_clock(std::uint32_t warp, std::uint32_t lane) const;

  std::uint32_t interval_ = 1;
  std::vector<std::uint32_t> ticks_;
  std::vector<Clock> warp_clocks_;  // [warp][other warp]; empty before the first partial barrier
  std::vector<Clock> lane_clocks_;  // [warp][lane · 32 + other lane]; empty before the first
                                    // __syncwarp
  std::map<std::uint32_t, std::vector<Arrival>> waiting_;  // by barrier id
  std::map<std::uint32_t, Phase> phases_;                  // joined clocks of their last phase
  FlagOrder flags_;
};

// Order of the threads of a launch, in one block or in several: one thread publishes what it has
// done on a word of global memory (a fence, and then an atomic or another strong access to the
// word), another sees the word there.
//
// PTX ISA, "Memory Consistency Model": a release pattern synchronizes with any thread that observes
// its write. Observing is enough here: the CUDA C++ Programming Guide's example for memory fences
// has no fence behind its atomic either.

struct WordAccess;

class LaunchOrder {
 public:
  // `step`: the number of the step. `order`: the order of its block.
  void before_step(const simt::StepInfo& info, std::uint64_t step, const BlockOrder& order);
  // Called for every access to global memory; returns whether it is a strong one.
  bool access(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint64_t step,
              const BlockOrder& order);

  // The lanes of `earlier` that are not ordered before what one lane does now. With `with_fences`
  // false, publications need no fences.
  [[nodiscard]] std::uint32_t unordered(const WordAccess& earlier, const WordAccess& now,
                                        const BlockOrder& order, bool with_fences = true) const;

 private:
  // An observation: a prefix of the publications on a word has been seen.
  struct Observation {
    Stamp stamp;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t step = 0;
    std::size_t publications = 0;  // index into lists_
    std::size_t count = 0;
    bool is_fenced = true;  // in a publication: a fence follows it before the publication
  };
  using Fences = std::vector<std::shared_ptr<const Knowledge>>;
  struct Publication {
    Fences fences;                  // fences before the publication
    Knowledge known;                // at the publication
    std::vector<Observation> seen;  // on other words, by its block, before the publication
  };
  struct Publications {
    std::vector<Publication> all;
    std::multimap<std::uint32_t, std::size_t> of_block;
    std::vector<std::size_t> with_seen;  // publications with observations
  };
  struct Block {
    Fences earlier;  // of the last interval before `current` that has any
    Fences current;
    std::vector<Observation> observations;
  };
  class Search;
  // Lanes of a warp, at a step.
  struct Actor {
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t step = 0;
    const BlockOrder& order;
  };

  // `word`: generic address / 4. `replaces`: earlier publications on the word are no longer visible
  // (a store that is not an atomic).
  void publish(const Actor& actor, std::uint64_t word, bool replaces);
  void observe(const Actor& actor, std::uint64_t word);
  void fence(const Actor& actor);

  std::unordered_map<std::uint32_t, Block> blocks_;  // blocks that fence, publish or observe
  std::vector<Publications> lists_;
  std::unordered_map<std::uint64_t, std::size_t> words_;  // by word, its current list
};

// The last accesses to a word of memory, exactly. The history suffices to find, for every access,
// an earlier one that conflicts with it and is unordered, and the thread that made it.

// The machine reports a store by cp.async or a bulk copy twice (simt::MemoryEvent). If a copy is
// still under way when its thread exits, nobody has waited for it: that is no arrival here.
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
  // Instructions of the warp since the interval began. It gives the program order of two accesses,
  // whatever the schedule.
  std::uint32_t position = 0;
  std::uint32_t bytes = 0xf;  // bytes of the word, one bit each
  simt::AccessKind kind = simt::AccessKind::Load;
  simt::AccessAgent agent = simt::AccessAgent::Thread;
  bool strong = false;       // global memory: may be concurrent with others (LaunchOrder)
  bool initialises = false;  // initializes an mbarrier
  CopyPart copy = CopyPart::None;
  Stamp issued;  // of an Arrival: stamp of its issue, as are `line` and `step`
  std::optional<std::uint32_t> value;  // the stored value if known; valid at `bytes`
};

// Flags and counters are made of strong accesses. Those race only if both store: one of two updates
// may be lost.
[[nodiscard]] constexpr bool in_conflict(const WordAccess& a, const WordAccess& b) {
  const bool both_read = a.kind == simt::AccessKind::Load && b.kind == simt::AccessKind::Load;
  const bool both_atomic = a.kind == simt::AccessKind::Atomic && b.kind == simt::AccessKind::Atomic;
  const bool both_store = a.kind == simt::AccessKind::Store && b.kind == simt::AccessKind::Store;
  return !both_read && !both_atomic && (both_store || !a.strong || !b.strong);
}

// Both are stores, and they leave equal values in the bytes that both cover.
[[nodiscard]] bool store_the_same(const WordAccess& a, const WordAccess& b);

class WordLog {
 public:
  // The earlier access that races with `access` (one lane's), with `lanes` reduced to the racing
  // ones; null if the access is ordered after all of them. `order` belongs to the access's block.
  [[nodiscard]] const WordAccess* find_race(const WordAccess& access, const BlockOrder& order,
                                            const LaunchOrder& launch,
                                            std::uint32_t& racing_lanes) const;
  // A copy to bytes of `access` that has been issued and has not arrived. The two race, whatever
  // barriers lie between. Null if there is none.
  [[nodiscard]] const WordAccess* copy_under_way(const WordAccess& access) const;
  void add(const WordAccess& access);
  // Shared memory: forgets the accesses that a whole-block barrier has ordered.
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

// Whether the TMA unit and the tensor cores see what threads have stored in shared memory.
//
// They access memory through another proxy (PTX ISA 9.0, 8.3 "Proxies"). A barrier orders a
// thread's store before their read, but only fence.proxy.async makes the value visible to them:
// executed by the thread that stored or by the one that starts the read.

// Whether the module has instructions by which units read shared memory. Without them, every store
// is visible.
[[nodiscard]] bool sets_units_to_work(const ptx::Module& module);

// One block's.
class ProxyOrder {
 public:
  void before_step(const simt::StepInfo& info, std::uint64_t step);
  // Called for every access to a word of shared memory. For a unit's read, returns the thread's
  // store that the unit need not see; null if there is none.
  const WordAccess* access(const WordAccess& access, std::uint64_t word);

 private:
  [[nodiscard]] std::uint64_t last_fence(std::uint32_t warp, std::uint32_t lanes) const;

  std::unordered_map<std::uint32_t, std::uint64_t> fences_;  // by thread, the step of its last
                                                             // fence
  std::unordered_map<std::uint64_t, WordAccess> stores_;     // by word, a thread's last store
};

}  // namespace tilestep::insight
