// Counts of a launch from some of its blocks: an estimate, where blocks are too many to execute and
// no proof says which of them are alike.
#pragma once

#include "insight/count/profile.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Blocks are taken from the corners, the edges and the inside of the grid, each of these by itself,
// at random: two of each, one of a part that is far smaller than the largest. More are taken where
// they lower the error most, until `most_steps` warp instructions are executed. Each block stands
// for its share of its part. A part of which one was taken counts as spread as the largest one;
// where blocks are very long, small parts count as the largest, and their share is added to the
// error. Profile::error is twice the standard error of the sums, relative (stratified sampling:
// Cochran, Sampling Techniques, section 5.4), the larger of warp instructions' and global sectors'.
// `known`: the blocks of a proof are counted exactly, and the parts are the ranges that it leaves.
// False: a block waits for another one, so that blocks cannot be executed by themselves; or, where
// only proved blocks are wanted, a block's counts may depend on the contents of memory.
enum class SampledBlocks { Any, Proved };
[[nodiscard]] bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                                     std::uint64_t most_steps, Profile& result,
                                     const std::atomic<bool>* cancel,
                                     SampledBlocks blocks = SampledBlocks::Any,
                                     const PartialProof* known = nullptr);

// One block of a launch, executed by itself.

// Runs a block that no other block has to run before, its warps by turns, to its end, or until
// `stop` (asked now and then) says true. False: its warps wait at barriers for each other, and it
// was stopped. `steps`, if there is one, grows by the warp instructions while it runs.
bool run_block(simt::Machine& machine, std::uint32_t block, simt::Observer* observer,
               const std::function<bool()>& stop, std::uint64_t* steps = nullptr);

// A machine that runs this block alone, its warps by turns: the order makes no difference to what
// is counted. It takes the memory of one block, and of what that block stores.
class BlockRun {
 public:
  BlockRun(std::shared_ptr<const simt::Program> program, std::uint32_t block)
      : machine_(std::move(program), {block, block + 1}), block_(block) {}

  [[nodiscard]] const simt::Machine& machine() const { return machine_; }
  // As run_block().
  bool to_end(simt::Observer* observer, const std::function<bool()>& stop,
              std::uint64_t* steps = nullptr) {
    return run_block(machine_, block_, observer, stop, steps);
  }

 private:
  simt::Machine machine_;
  std::uint32_t block_ = 0;
};

// One run of a launch, or of some of its blocks, from the start.

struct LaunchRun {
  simt::Machine machine;
  simt::Scheduler scheduler;
  std::vector<std::uint32_t> blocks;  // those that run, one after the other; empty: all, scheduled
  std::uint64_t steps = 0;
  bool cancelled = false;

  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule)
      : LaunchRun(program, schedule, simt::BlockPart{0, program->block_count()}) {}
  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
            simt::BlockPart part)
      : machine(program, part), scheduler(*program, schedule) {}

  // Of these blocks alone, where there are any.
  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
            std::vector<std::uint32_t> some)
      : LaunchRun(program, schedule) {
    blocks = std::move(some);
  }

  void to_end(simt::Observer* observer, const std::atomic<bool>* cancel);
};

// What a block asks of the L1 cache and of the L2 behind it, for estimates of time.
//
// Exact for the blocks that are executed. Others of the launch may straddle sectors differently, so
// multiplied by the number of blocks this is an estimate, unlike the counts of profile.h.

struct LineSample {
  std::uint64_t requests = 0;  // to global memory
  // Passes through the L1 cache, summed over the requests. It is the same memory as shared memory
  // and has its banks, so a request takes as many passes as its lanes want different words of one
  // bank; at least one for every line of 128 bytes, because a pass reads from one of them.
  std::uint64_t passes = 0;
  // Distinct 32-byte sectors that a block's requests touch, summed over the blocks: what comes from
  // L2 if the cache keeps them as long as the block runs.
  std::uint64_t distinct_sectors = 0;
  // Of the load that does so most often: how often it is executed, and how often it touches a
  // 64-byte piece that its warp has not touched before. The first to come has to fetch such a piece
  // from DRAM, two sectors at a time, and who waits for several loads waits for that one.
  std::uint64_t loads = 0;
  std::uint64_t loads_of_new = 0;
};

// Executes blocks in the middle of the grid, neighbours along its diagonal because they straddle
// lines in different ways, the warps of each by turns, until they have made so many requests, or
// 300,000 warp instructions, together.
[[nodiscard]] LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                                      std::uint64_t most_requests = 50'000);

}  // namespace tilestep::insight
