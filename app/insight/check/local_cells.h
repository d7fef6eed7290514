// Which words of the threads' local memory hold something: those stored to since the call that they
// belong to began. A partial store counts for its whole word.
#pragma once

#include "insight/check/plain_copy.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

class LocalCells {
 public:
  explicit LocalCells(const simt::Program& program);

  void start_block(std::uint32_t block);
  void end_block(std::uint32_t block) { start_block(block); }
  // A call has got local memory: simt::Observer::on_local_frame.
  void start_frame(const simt::StepInfo& info, std::uint64_t address, std::uint32_t bytes);
  // Notes a store. Of a load: lanes that read nothing but words that hold nothing, and do more with
  // them than copy them (plain_copy.h).
  std::uint32_t access(const simt::StepInfo& info, const simt::MemoryEvent& event);

 private:
  // By word, the lanes that have stored it.
  [[nodiscard]] std::vector<std::uint32_t>& words(simt::WarpId id) {
    return words_[std::size_t{id.block} * warps_per_block_ + id.warp];
  }

  std::vector<std::vector<std::uint32_t>> words_;  // by block and warp
  PlainCopies copies_;
  std::uint32_t warps_per_block_;
};

// What the kernel is to fill: a buffer that the launch gives no contents, and malloc's heap.
[[nodiscard]] inline bool is_unset(const simt::Program& program,
                                   const simt::Allocation& allocation) {
  return allocation.kind == simt::AllocationKind::Heap ||
         (allocation.kind == simt::AllocationKind::Buffer &&
          program.launch().buffers[allocation.launch_buffer].role == problem::BufferRole::Output);
}

}  // namespace tilestep::insight
