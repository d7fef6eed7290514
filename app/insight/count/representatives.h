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

// Most blocks are proved to do the same as a few that were executed.
struct PartialProof {
  std::vector<BlockClass> classes;
  std::uint64_t blocks = 0;  // of the classes
  std::uint64_t blocks_executed = 0;
  BlockAxes axes;
  std::vector<BlockRange> rest;  // along the axes: nothing is known of these
};

// Fills `result` and says true; or says false, with result.why_full (and result.partial), where the
// method does not hold, or takes more than `most_steps` warp instructions.
[[nodiscard]] bool profile_by_representatives(const std::shared_ptr<const simt::Program>& program,
                                              std::uint64_t most_steps, Profile& result,
                                              const std::atomic<bool>* cancel);

// The blocks that have to be executed to know what all of them do.
struct BlockClasses {
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;         // of all of them
  std::vector<std::uint32_t> representatives;  // linear indices, ascending
};

// Every block does what one of few representatives does, at other addresses of the same buffers;
// no two blocks store one element, none reads what another one stores, and all elements of outputs
// (and of what else something is expected of) are stored. Otherwise a sentence says what of it is
// not proved within `most_steps` warp instructions.
[[nodiscard]] Result<BlockClasses> block_classes(
    const std::shared_ptr<const simt::Program>& program, std::uint64_t most_steps,
    const std::atomic<bool>* cancel);

inline constexpr std::uint64_t kAnySteps = ~std::uint64_t{0};

// Executes all blocks.
void profile_fully(const std::shared_ptr<const simt::Program>& program, Profile& result,
                   const std::atomic<bool>* cancel);

// Whether each element of the launch's buffers is stored by one block at most, and no block reads
// what another one stores: then blocks cannot race, and any of them can be executed by itself.

class ExclusiveStores {
 public:
  // One bit for each element of a buffer.
  explicit ExclusiveStores(const simt::Program& program);

  // What the blocks of a range touch whose first one was watched by `meter`.
  void add(const BlockMeter& meter, const BlockRange& range);
  // Why it is not so; empty: it is, as far as was added.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // Some block stores each of the buffer's elements.
  [[nodiscard]] bool covers(std::size_t buffer) const;

 private:
  void store(std::size_t buffer, const BlockMeter::Footprint& footprint, const BlockRange& range);
  // False: one of them was there.
  [[nodiscard]] static bool set_bits(std::vector<std::uint64_t>& bits, std::size_t first,
                                     std::size_t count);

  const simt::Program& program_;
  std::vector<std::vector<std::uint64_t>> stored_;  // by buffer; a bit an element, pitch included
  std::vector<bool> read_;                          // by buffer: by somebody else than its storer
  std::string failure_;
};

}  // namespace tilestep::insight
