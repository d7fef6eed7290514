// Blocks that provably do the same, executed once each.
#pragma once

#include "insight/count/block_meter.h"
#include "insight/count/profile.h"
#include "problem/result.h"
#include "simt/machine/program.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::insight {

// A proof that most blocks do the same as a few that were executed.
struct PartialProof {
  std::vector<BlockClass> classes;
  std::uint64_t blocks = 0;  // of the classes
  std::uint64_t blocks_executed = 0;
  BlockAxes axes;
  std::vector<BlockRange> rest;  // along the axes: unproved blocks
};

// Fills `result` and returns true. Returns false, with result.why_full (and result.partial), if the
// method does not apply or takes more than `most_steps` warp instructions.
[[nodiscard]] bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                              std::uint64_t most_steps, Profile& result,
                                              const std::atomic<bool>* cancel);

// The blocks that have to be executed to know what all of them do.
struct BlockClasses {
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;         // of all representatives
  std::vector<std::uint32_t> representatives;  // linear indices, ascending
};

// Proves that every block does what one of few representatives does, at other addresses of the same
// buffers; that no two blocks store to one element; that no block reads what another one stores;
// and that all elements of outputs (and of other buffers with a reference) are stored. Otherwise
// returns a sentence that says what is not proved within `most_steps` warp instructions.
[[nodiscard]] Result<BlockClasses> block_classes(
    const std::shared_ptr<const simt::Program>& program, std::uint64_t most_steps,
    const std::atomic<bool>* cancel);

inline constexpr std::uint64_t kAnySteps = ~std::uint64_t{0};

// Executes all blocks.
void profile_fully(const std::shared_ptr<const simt::Program>& program, Profile& result,
                   const std::atomic<bool>* cancel);

// Whether each element of the launch's buffers is stored by at most one block, and no block reads
// what another one stores. Then blocks cannot race, and each can be executed alone.

class ExclusiveStores {
 public:
  // Holds one bit for each element of a buffer.
  explicit ExclusiveStores(const simt::Program& program);

  // Adds the accesses of the blocks of a range. `meter` observed its first block.
  void add(const BlockMeter& meter, const BlockRange& range);
  // Why the condition fails; empty: it holds for everything added so far.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // Whether each of the buffer's elements is stored by some block.
  [[nodiscard]] bool covers(std::size_t buffer) const;

 private:
  void store(std::size_t buffer, const BlockMeter::Footprint& footprint, const BlockRange& range);
  // False: one of the bits was set already.
  [[nodiscard]] static bool set_bits(std::vector<std::uint64_t>& bits, std::size_t first,
                                     std::size_t count);

  const simt::Program& program_;
  std::vector<std::vector<std::uint64_t>> stored_;  // by buffer; one bit per element, padding
                                                    // included
  std::vector<bool> read_;                          // by buffer: read by a block other than the
                                                    // one that stores
  std::string failure_;
};

}  // namespace tilestep::insight
