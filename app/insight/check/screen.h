// The fast half of check(): one tag a word says whether anything about an access can be wrong.
//
// Shared memory, by word: who stored it last and who read it, in which barrier interval. A new
// interval or block is a new number, so nothing is ever cleared. A word that is stored by one
// thread and touched by another in one interval is a suspect; so is one that is read before any
// store, or while a copy to it (cp.async) is under way. Global memory the same with the block in
// the tag. Local memory: words that a thread reads and has never stored.
//
// Complete, not exact: every race has a suspect (fuzzed against a set-based oracle in the tests),
// but __syncwarp, named barriers, what orders blocks and bytes within a word are left to the
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
  // Counts ended blocks in `blocks_done`, if there is one.
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

  // Whether blocks seen here and there touched one word of global memory that either stored.
  [[nodiscard]] bool meets(const Screen& other) const;

  [[nodiscard]] const Suspects& suspects() const { return suspects_; }
  [[nodiscard]] const Printout& printout() const { return printout_; }
  [[nodiscard]] bool had_faults() const { return had_faults_; }
  [[nodiscard]] std::uint32_t blocks_ended() const { return blocks_ended_; }
  [[nodiscard]] const Counters& counters() { return tally_.counters(); }

 private:
  // 31 bits: interval · 4096 + thread + 1, or + kMany (several readers), + kAtomic (atomics);
  // kUnderWay: a copy is.
  using Tag = std::int32_t;
  // 64 bits: block + 1, interval, thread + 1. 0: nobody; kAnybody: several blocks, or atomics.
  using WideTag = std::uint64_t;

  struct BlockTags {
    std::vector<Tag> stored;
    std::vector<Tag> read;
    Tag start = 0;               // tags below are of an earlier block
    Tag floor = 0;               // tags below are of an earlier interval
    std::uint32_t interval = 0;  // of the block, for wide tags
    EarlyExit at_barrier;        // the last thread that came to one, and its line
  };
  struct Window {
    Zeroed<WideTag> stored;  // empty: by nobody
    Zeroed<WideTag> read;
    bool is_unset = false;  // holds nothing at the start: an output
  };
  // An access of one warp, with what its checks need.
  struct Request {
    const Shape& shape;
    std::uint64_t word = 0;  // of its first lane, in its memory
    std::uint32_t first_thread = 0;
    SuspectBlocks::Access place{};
    simt::AccessKind kind = simt::AccessKind::Load;
  };

  // Words [from, to) of a run; word i stands at `first` + i.
  struct Slice {
    const WordRun& run;
    std::size_t first = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  // False: something may be wrong with it, or it has another shape.
  // `offsets`: see suspects.h; a store has one.
  [[nodiscard]] static bool touch_groups(const simt::MemoryEvent& event, const Request& request,
                                         BlockTags& tags, std::span<const std::uint32_t> offsets);
  void note_undefined(const simt::StepInfo& info);
  // The block that an access meets at word `index` of a window.
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
  // Leave a whole run's tags.
  static void leave_tags(const Request& request, const Slice& slice, BlockTags& tags);
  static void leave_tags(const Request& request, const Slice& slice, WideTag interval,
                         Window& window);
  static void next_interval(BlockTags& tags);
  void note_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event);

  const simt::Program& program_;
  std::uint32_t warp_size_ = 0;
  AccessTally tally_;
  std::vector<std::unique_ptr<BlockTags>> blocks_;  // by block; empty when it does not run
  std::vector<std::unique_ptr<BlockTags>> pool_;    // of ended blocks, to be used again
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

// A launch that has run under a screen.
struct Screened {
  std::unique_ptr<simt::Machine> machine;  // at its end
  Suspects suspects;
  std::unique_ptr<BufferStores> stores;  // where only some blocks ran
  Counters counters;
  Printout printout;
  std::uint64_t steps = 0;
  bool had_faults = false;
  bool cancelled = false;
  std::uint32_t blocks_ended = 0;
  std::optional<Party> stands_at;  // cancelled: a thread that had not ended
};

// The first thread of a launch in progress that could go on, or else one that waits.
[[nodiscard]] std::optional<Party> first_at_work(const simt::Machine& machine);

// On several cores, each takes some of the blocks and a copy of global memory. That is the same as
// one run if no word that blocks of one part stored was touched by blocks of another, which is
// looked at afterwards; where it was, or where anything else connects blocks (malloc, clocks,
// schedules that go from block to block), the launch runs on one core.
// `blocks`: only these, one after the other, where there are any.
[[nodiscard]] Screened screen_launch(const std::shared_ptr<const simt::Program>& program,
                                     simt::Schedule schedule, const Cores& cores,
                                     const std::atomic<bool>* cancel,
                                     std::atomic<std::uint32_t>* blocks_done,
                                     const std::vector<std::uint32_t>& blocks = {});

}  // namespace tilestep::insight
