// The fast half of check(): one tag per word shows whether an access may be wrong.
//
// Shared memory, by word: the thread that stored it last and the thread that read it, with the
// barrier interval. A new interval or block is a new number, so nothing is ever cleared. A word is
// a suspect if one thread stores it and another accesses it in one interval, if it is read before
// any store, or if it is read while a copy to it (cp.async) is under way. Global memory: the same,
// with the block in the tag. Local memory: words that a thread reads and has never stored.
//
// Complete, not exact: every race has a suspect (fuzzed against a set-based oracle in the tests),
// but __syncwarp, named barriers, the order of blocks and bytes within a word are left to the
// Checker.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/order.h"
#include "insight/check/stores.h"
#include "insight/check/suspects.h"
#include "insight/check/watchers.h"
#include "insight/count/counters.h"
#include "insight/names.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::insight {

class Screen final : public simt::Observer {
 public:
  // Counts ended blocks in `blocks_done` unless it is null.
  explicit Screen(const simt::Program& program, std::atomic<std::uint32_t>* blocks_done = nullptr);

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_load_run(const simt::StepInfo& first, const simt::LoadRun& run,
                   simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_undefined_shuffle(const simt::StepInfo& info, const simt::UndefinedShuffle&) override {
    note_undefined(info);
  }
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t /*mask*/) override {
    note_undefined(info);
  }
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override;
  void on_local_frame(const simt::StepInfo& info, std::uint64_t address,
                      std::uint32_t bytes) override {
    local_.start_frame(info, address, bytes);
  }
  void on_allocation(const simt::StepInfo& info, std::uint64_t address,
                     std::uint64_t bytes) override;
  void on_block_start(std::uint32_t block) override;
  void on_block_end(std::uint32_t block) override;

  // Whether blocks of the two screens accessed one word of global memory that either stored.
  [[nodiscard]] bool meets(const Screen& other) const;

  [[nodiscard]] const Suspects& suspects() const { return suspects_; }
  [[nodiscard]] const Printout& printout() const { return printout_; }
  [[nodiscard]] bool had_faults() const { return had_faults_; }
  [[nodiscard]] std::uint32_t blocks_ended() const { return blocks_ended_; }
  [[nodiscard]] const Counters& counters() { return tally_.counters(); }

 private:
  // 31 bits: interval · 4096 + thread + 1, or + kMany (several readers), + kAtomic (atomics).
  // kUnderWay: a copy to the word is under way.
  using Tag = std::int32_t;
  // 64 bits: block + 1, interval, thread + 1. 0: nobody. kAnybody: several blocks, or atomics.
  using WideTag = std::uint64_t;

  struct BlockTags {
    std::vector<Tag> stored;
    std::vector<Tag> read;
    Tag start = 0;               // smaller tags are of an earlier block
    Tag floor = 0;               // smaller tags are of an earlier interval
    std::uint32_t interval = 0;  // of the block, for wide tags
    EarlyExit at_barrier;        // the last thread that reached a barrier, and its line
  };
  struct Window {
    Zeroed<WideTag> stored;  // empty: no stores
    Zeroed<WideTag> read;
    bool is_unset = false;  // uninitialised at the start: an output
  };
  // An access of one warp, with what its checks need.
  struct Request {
    const Shape& shape;
    std::uint64_t word = 0;  // of its first lane, in its memory
    std::uint32_t first_thread = 0;
    SuspectBlocks::Access place{};
    simt::AccessKind kind = simt::AccessKind::Load;
  };

  // Words [from, to) of a run; word i is at `first` + i.
  struct Slice {
    const WordRun& run;
    std::size_t first = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  // False: the access may be wrong, or it has another shape. `offsets`: see suspects.h; a store has
  // one.
  [[nodiscard]] static bool touch_groups(const simt::MemoryEvent& event, const Request& request,
                                         BlockTags& tags, std::span<const std::uint32_t> offsets);
  void note_undefined(const simt::StepInfo& info);
  // Notes the block that accessed word `index` of a window before this access.
  void note_met(const Request& request, const Window& window, std::size_t index);
  void on_shared(const Request& request, BlockTags& tags);
  void on_copy(const Request& request, BlockTags& tags, CopyPart part);
  void on_unit_read(const Request& request, BlockTags& tags);
  void on_global(const Request& request, const BlockTags& tags);
  [[nodiscard]] static std::uint32_t thread_of(const Request& request, const Slice& slice,
                                               std::uint32_t i);
  [[nodiscard]] static bool is_fine(const Request& request, const Slice& slice,
                                    const BlockTags& tags);
  [[nodiscard]] static bool is_fine(const Request& request, const Slice& slice, WideTag interval,
                                    const Window& window);
  // Set the tags of a whole run.
  static void leave_tags(const Request& request, const Slice& slice, BlockTags& tags);
  static void leave_tags(const Request& request, const Slice& slice, WideTag interval,
                         Window& window);
  static void next_interval(BlockTags& tags);
  void note_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event);

  const simt::Program& program_;
  std::uint32_t warp_size_ = 0;
  AccessTally tally_;
  std::vector<std::unique_ptr<BlockTags>> blocks_;  // by block; null if it is not running
  std::vector<std::unique_ptr<BlockTags>> pool_;    // of ended blocks, for reuse
  std::vector<Window> windows_;                     // of global memory
  std::vector<std::uint64_t> window_words_;
  LocalCells local_;
  std::atomic<std::uint32_t>* blocks_done_;
  Suspects suspects_;
  bool had_faults_ = false;
  Printout printout_;
  std::uint32_t blocks_ended_ = 0;
};

// The fast checks of a launch, spread over cores.

// The result of a launch that has run under a screen.
struct Screened {
  std::unique_ptr<simt::Machine> machine;  // after the run
  Suspects suspects;
  std::unique_ptr<BufferStores> stores;  // null if all blocks ran
  Counters counters;
  Printout printout;
  std::uint64_t steps = 0;
  bool had_faults = false;
  bool cancelled = false;
  std::uint32_t blocks_ended = 0;
  std::optional<Party> stands_at;  // cancelled: a thread that had not ended
};

// The first thread of a launch in progress that can continue; otherwise one that waits.
[[nodiscard]] std::optional<Party> first_at_work(const simt::Machine& machine);

// With several cores, each executes some of the blocks on a copy of global memory. The result
// equals that of one run if no word that blocks of one part stored was accessed by blocks of
// another; this is checked afterwards. If one was, or if anything else connects blocks (malloc,
// clocks, schedules that go from block to block), the launch runs on one core. `blocks`: if not
// empty, executes only these, one after the other.
[[nodiscard]] Screened screen_launch(const std::shared_ptr<const simt::Program>& program,
                                     const simt::Schedule& schedule, const Cores& cores,
                                     const std::atomic<bool>* cancel,
                                     std::atomic<std::uint32_t>* blocks_done,
                                     const std::vector<std::uint32_t>& blocks = {});

}  // namespace tilestep::insight
