// Which accesses are ordered, and what is kept of each word for it: within a block, by flags,
// between blocks, and between threads and the copy engine.
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

// What an instruction says about the order of memory accesses (PTX ISA, "Memory Consistency
// Model"). Other blocks see nothing of what is of scope .cta.

// An access to a flag in shared memory. A volatile one is none: programs from before independent
// thread scheduling use `volatile` where a barrier belongs.
[[nodiscard]] inline bool is_flag_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction) &&
                                            instruction.order != ptx::MemoryOrder::Volatile);
}

// An access that others may meet: an atomic, .volatile, .relaxed, …
[[nodiscard]] inline bool is_strong_access(const ptx::Instruction& instruction) {
  const bool is_other = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  return instruction.scope != ptx::MemoryScope::Cta &&
         (ptx::is_atomic(instruction.op) || (is_other && ptx::is_strong(instruction)));
}

// A fence, or an access with one in front of it.
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

// What orders the threads of one block through words of its shared memory: one thread releases on a
// word (a release, or a fence and then an atomic or another ordered access), another sees the word.
// Cooperative groups synchronise tiles of several warps like this.
//
// Vector clocks by thread (Lamport 1978, Mattern 1989), kept only for threads that have seen a
// release. As for whole launches (order.h), observing needs no acquire.

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

// What orders the threads of one block: barriers of the whole block, barriers of some of its warps,
// __syncwarp, and flags in its shared memory (order.h).
//
// A whole-block barrier starts a new interval; everything of an earlier interval is ordered before
// everything of a later one. Inside an interval vector clocks say what is ordered (Lamport 1978,
// Mattern 1989): warps know warps through partial barriers, lanes know lanes through __syncwarp.
// Shuffles and votes order nothing (CUDA C++ Programming Guide, "Warp Shuffle Functions").

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

// What orders the threads of a launch, of one block or of several: one publishes on a word of
// global memory what it has done (a fence, and then an atomic or another strong access to the
// word), another sees the word there.
//
// PTX ISA, "Memory Consistency Model": a release pattern synchronizes with whoever observes its
// write. Observing is enough here: the CUDA C++ Programming Guide's example for memory fences has
// none behind its atomic either.

struct WordAccess;

class LaunchOrder {
 public:
  // `step`: its number; `order`: of its block.
  void before_step(const simt::StepInfo& info, std::uint64_t step, const BlockOrder& order);
  // An access to global memory; whether it is a strong one.
  bool access(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint64_t step,
              const BlockOrder& order);

  // Of the lanes of `earlier`, those that are not ordered before what
  // one lane does now. `with_fences` false: as if everybody had fenced before publishing.
  [[nodiscard]] std::uint32_t unordered(const WordAccess& earlier, const WordAccess& now,
                                        const BlockOrder& order, bool with_fences = true) const;

 private:
  // A prefix of what was published on a word has been seen.
  struct Observation {
    Stamp stamp;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t step = 0;
    std::size_t publications = 0;  // index into lists_
    std::size_t count = 0;
    bool is_fenced = true;  // in a publication: from what is published after it
  };
  using Fences = std::vector<std::shared_ptr<const Knowledge>>;
  struct Publication {
    Fences fences;                  // that precede it
    Knowledge known;                // at the publication itself
    std::vector<Observation> seen;  // on other words, by its block, before it
  };
  struct Publications {
    std::vector<Publication> all;
    std::multimap<std::uint32_t, std::size_t> of_block;
    std::vector<std::size_t> with_seen;  // those that have seen others
  };
  struct Block {
    Fences earlier;  // of the last interval before `current` in which there were any
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

  // `word`: generic address / 4. `replaces`: what others have published there is not seen any more
  // (a store, no atomic).
  void publish(const Actor& actor, std::uint64_t word, bool replaces);
  void observe(const Actor& actor, std::uint64_t word);
  void fence(const Actor& actor);

  std::unordered_map<std::uint32_t, Block> blocks_;  // that have done any of it
  std::vector<Publications> lists_;
  std::unordered_map<std::uint64_t, std::size_t> words_;  // to the list that stands there now
};

// Who accessed a word of memory last, exactly: enough of its history to tell of every access
// whether something earlier is in conflict with it and unordered, and who that was.

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

// Whether the copy engine and the tensor cores see what threads have stored in shared memory.
//
// They access memory through another proxy (PTX ISA 9.0, 8.3 "Proxies"): a barrier orders a
// thread's store before their read, but it is fence.proxy.async, by the thread that has stored or
// by the one that starts the read, that makes the value visible to them.

// Whether it has instructions by which they read shared memory. Without, all is seen.
[[nodiscard]] bool sets_units_to_work(const ptx::Module& module);

// Of one block.
class ProxyOrder {
 public:
  void before_step(const simt::StepInfo& info, std::uint64_t step);
  // An access to a word of shared memory. For a unit's read: the thread's store that it need not
  // see; null where there is none.
  const WordAccess* access(const WordAccess& access, std::uint64_t word);

 private:
  [[nodiscard]] std::uint64_t last_fence(std::uint32_t warp, std::uint32_t lanes) const;

  std::unordered_map<std::uint32_t, std::uint64_t> fences_;  // by thread, the step of its last one
  std::unordered_map<std::uint64_t, WordAccess> stores_;     // by word: a thread's, the last one
};

}  // namespace tilestep::insight
