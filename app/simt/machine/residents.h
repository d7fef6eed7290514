// The blocks that Lockstep and Random share the machine between. A GPU does not hold a large grid
// at once either: its blocks come in waves.
#pragma once

#include "simt/machine/machine.h"
#include "simt/state/machine_state.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::simt {

// A warp of it can move, and does more than to poll in vain (exec_poll.cpp). One that has not
// started counts.
[[nodiscard]] bool is_busy(const MachineState& state, std::uint32_t block);

// Stops those of the blocks whose warps all wait at barriers that nobody is left to complete.
void stop_deadlocked(Machine& machine, std::span<const std::uint32_t> blocks, Observer* observer);

class Residents {
 public:
  Residents() = default;
  // Blocks of this part of the grid, `limit` at a time.
  Residents(BlockPart part, std::uint32_t limit);

  // In grid order. Those that have ended stay until another block wants their place.
  [[nodiscard]] std::span<const std::uint32_t> blocks() const { return blocks_; }

  // As long as fewer than `limit` are busy, the next block of the part becomes resident.
  // Blocks that only poll hold nobody out: they may wait for one that has not started. Nor do
  // deadlocked ones: they are stopped as soon as there is somebody to take their place.
  void admit(Machine& machine, Observer* observer);

  friend bool operator==(const Residents&, const Residents&) = default;

 private:
  std::vector<std::uint32_t> blocks_;
  std::uint32_t next_ = 0;  // the first block that has not been resident yet
  std::uint32_t end_ = 0;
  std::uint32_t limit_ = 0;
};

}  // namespace tilestep::simt
