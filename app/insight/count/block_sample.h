// Counts of a launch from some of its blocks: an estimate, for launches with too many blocks to
// execute and no proof that shows which of them are alike.
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

// Blocks are taken at random from each part of the grid: corners, edges and inside. Two from each
// part, one from a part that is far smaller than the largest. More are taken where they reduce the
// error most, until `most_steps` warp instructions are executed. Each block represents its share of
// its part. A part with one sample gets the variance of the largest part. If blocks are very long,
// small parts count as the largest part, and their share is added to the error. Profile::error is
// twice the standard error of the sums, relative (stratified sampling: Cochran, Sampling
// Techniques, section 5.4): the larger of those of warp instructions and global sectors. `known`:
// the blocks of a proof are counted exactly, and the parts are the ranges that it leaves. Returns
// false if a block waits for another one, so that blocks cannot be executed alone; or, if only
// proved blocks are wanted, if a block's counts may depend on memory contents.
enum class SampledBlocks { Any, Proved };
[[nodiscard]] bool profile_by_sample(const std::shared_ptr<const simt::Program>& program,
                                     std::uint64_t most_steps, Profile& result,
                                     const std::atomic<bool>* cancel,
                                     SampledBlocks blocks = SampledBlocks::Any,
                                     const PartialProof* known = nullptr);

// One block of a launch, executed by itself.

// Runs a block that depends on no other block, its warps by turns, to its end, or until `stop`
// (called now and then) returns true. Returns false if its warps wait at barriers for each other,
// or if it was stopped. `steps`, unless null, counts the warp instructions during the run.
bool run_block(simt::Machine& machine, std::uint32_t block, simt::Observer* observer,
               const std::function<bool()>& stop, std::uint64_t* steps = nullptr);

// A machine that runs this block alone, its warps by turns: the order does not change the counts.
// It takes the memory of one block, and of what that block stores.
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
  std::vector<std::uint32_t> blocks;  // blocks that run, one after the other; empty: all, scheduled
  std::uint64_t steps = 0;
  bool cancelled = false;

  LaunchRun(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule)
      : LaunchRun(program, schedule, simt::BlockPart{0, program->block_count()}) {}
  LaunchRun(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule,
            simt::BlockPart part)
      : machine(program, part), scheduler(*program, schedule) {}

  // If `some` is not empty, runs these blocks alone.
  LaunchRun(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule,
            std::vector<std::uint32_t> some)
      : LaunchRun(program, schedule) {
    blocks = std::move(some);
  }

  void to_end(simt::Observer* observer, const std::atomic<bool>* cancel);
};

// A block's requests to the L1 cache and to the L2 behind it, for estimates of time.
//
// Exact for the executed blocks. Other blocks of the launch may straddle sectors differently, so a
// multiple by the number of blocks is an estimate, unlike the counts of profile.h.

struct LineSample {
  std::uint64_t requests = 0;  // to global memory
  // Passes through the L1 cache, summed over the requests. The cache is the same memory as shared
  // memory and has its banks. A request takes as many passes as its lanes need different words of
  // one bank, and at least one for every line of 128 bytes, because a pass reads from one line.
  std::uint64_t passes = 0;
  // Distinct 32-byte sectors that a block's requests access, summed over the blocks: the traffic
  // from L2 if the cache keeps them while the block runs.
  std::uint64_t distinct_sectors = 0;
  // For the load that most often accesses a new piece: how often it is executed, and how often it
  // accesses a 64-byte piece that its warp has not accessed before. The first access has to fetch
  // such a piece from DRAM, two sectors at a time, and a warp that waits for several loads waits
  // for that one.
  std::uint64_t loads = 0;
  std::uint64_t loads_of_new = 0;
};

// Executes blocks in the middle of the grid, the warps of each by turns, until they have made this
// many requests, or 300,000 warp instructions, together. The blocks are neighbors along the
// diagonal, because those straddle lines in different ways.
[[nodiscard]] LineSample sample_lines(const std::shared_ptr<const simt::Program>& program,
                                      std::uint64_t most_requests = 50'000);

}  // namespace tilestep::insight
