// Observes one run of a launch and records which thread accessed what, for comparison with claims
// about kernels.
#pragma once

#include "insight/count/counters.h"
#include "simt/machine/schedule.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tilestep::test {

class Tally : public simt::Observer {
 public:
  // Runs the launch to its end. Buffers and shared arrays hold float32.
  explicit Tally(std::shared_ptr<const simt::Program> program) : program_(std::move(program)) {
    for (const problem::Buffer& buffer : program_->launch().buffers) {
      reads_.emplace_back(static_cast<std::size_t>(buffer.rows) *
                          static_cast<std::size_t>(buffer.pitch));
    }
    simt::Machine machine(program_);
    simt::Scheduler scheduler(*program_, {simt::ScheduleKind::Sequential});
    simt::run_to_end(machine, scheduler, this);
  }

  // The number of reads of an element of a buffer from global memory, by all threads together.
  [[nodiscard]] std::uint64_t reads(std::size_t buffer, int row, int col) const {
    const problem::Buffer& shape = program_->launch().buffers[buffer];
    return reads_[buffer][static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.pitch) +
                          static_cast<std::size_t>(col)];
  }
  // The different values of reads() over all elements of a buffer.
  [[nodiscard]] std::set<std::uint64_t> reads_of_all(std::size_t buffer) const {
    const problem::Buffer& shape = program_->launch().buffers[buffer];
    std::set<std::uint64_t> all;
    for (int row = 0; row < shape.rows; ++row) {
      for (int col = 0; col < shape.cols; ++col) {
        all.insert(reads(buffer, row, col));
      }
    }
    return all;
  }

  // Elements of a buffer that a thread (linear in its block) read or stored, in order.
  using Elements = std::vector<std::size_t>;
  [[nodiscard]] Elements read_by(std::uint32_t block, std::uint32_t thread,
                                 std::size_t buffer) const {
    return elements(simt::AccessKind::Load, block, thread, buffer);
  }
  [[nodiscard]] Elements stored_by(std::uint32_t block, std::uint32_t thread,
                                   std::size_t buffer) const {
    return elements(simt::AccessKind::Store, block, thread, buffer);
  }

  // The different numbers of reads per word of a block's shared memory.
  [[nodiscard]] std::set<std::uint64_t> shared_reads(std::uint32_t block) const {
    std::set<std::uint64_t> all;
    for (const auto& [word, count] : shared_reads_) {
      if (word.first == block) {
        all.insert(count);
      }
    }
    return all;
  }

  // Whole-block barriers that a block executed.
  [[nodiscard]] int barriers(std::uint32_t block) const {
    const auto found = barriers_.find(block);
    return found == barriers_.end() ? 0 : found->second;
  }

  // The most passes through the banks of one access of this kind at a source line; the maximum of
  // several such accesses.
  [[nodiscard]] std::uint32_t passes(simt::AccessKind kind, std::uint32_t line) const {
    const auto found = passes_.find({kind, line});
    return found == passes_.end() ? 0 : found->second;
  }

  void on_memory(const simt::StepInfo& step, const simt::MemoryEvent& event) override {
    if (event.space == ptx::Space::Shared) {
      std::uint32_t& worst = passes_[{event.kind, line_of(step)}];
      worst = std::max(worst, insight::count_wavefronts(event));
    }
    for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
      if ((event.mask >> lane & 1U) != 0) {
        add(step, event, lane);
      }
    }
  }
  void on_barrier(const simt::StepInfo& step, const simt::BarrierEvent& event) override {
    barriers_[step.id.block] += event.action == simt::BarrierAction::Release ? 1 : 0;
  }

 private:
  using Access = std::tuple<simt::AccessKind, std::uint32_t, std::uint32_t, std::size_t>;

  [[nodiscard]] Elements elements(simt::AccessKind kind, std::uint32_t block, std::uint32_t thread,
                                  std::size_t buffer) const {
    const auto found = touched_.find({kind, block, thread, buffer});
    return found == touched_.end() ? Elements{} : found->second;
  }

  [[nodiscard]] std::uint32_t line_of(const simt::StepInfo& step) const {
    return ptx::statement_line(program_->module().functions[step.function], step.pc);
  }

  void add(const simt::StepInfo& step, const simt::MemoryEvent& event, std::uint32_t lane) {
    const std::uint64_t address = event.addresses[lane];
    if (event.space == ptx::Space::Shared && event.kind == simt::AccessKind::Load) {
      for (std::uint64_t word = 0; word < event.bytes / 4; ++word) {
        ++shared_reads_[{step.id.block, address / 4 + word}];
      }
    }
    if (event.space != ptx::Space::Global) {
      return;
    }
    const simt::Place place = program_->locate(address, event.bytes);
    const simt::Allocation& allocation = program_->allocations()[place.allocation];
    if (allocation.kind != simt::AllocationKind::Buffer) {
      return;
    }
    const auto thread = program_->thread_of(step.id, lane);
    for (std::size_t i = 0; i < event.bytes / 4; ++i) {
      const std::size_t element = static_cast<std::size_t>(place.offset) / 4 + i;
      touched_[{event.kind, step.id.block, thread, allocation.launch_buffer}].push_back(element);
      if (event.kind == simt::AccessKind::Load) {
        ++reads_[allocation.launch_buffer][element];
      }
    }
  }

  std::shared_ptr<const simt::Program> program_;
  std::vector<std::vector<std::uint64_t>> reads_;  // by buffer, element
  std::map<Access, Elements> touched_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> shared_reads_;
  std::map<std::uint32_t, int> barriers_;
  std::map<std::pair<simt::AccessKind, std::uint32_t>, std::uint32_t> passes_;
};

}  // namespace tilestep::test
