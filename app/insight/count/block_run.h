// One block of a launch, executed by itself.
#pragma once

#include "simt/machine/machine.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace tilestep::insight {

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

}  // namespace tilestep::insight
