// The exact observer: every finding with both of its accesses.
#pragma once

#include "insight/check/finding.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::insight {

struct Suspects;

// Finds races in shared memory (happens-before of barriers, named ones too, and __syncwarp;
// independent of the schedule) and in global memory (the same, plus fences with atomics, flags and
// counters, which are all that orders blocks), out-of-range and misaligned accesses, reads of
// uninitialised shared, local and output memory, and barrier faults. Exact: byte by byte (local
// memory: by words), every pair of lines. Attach it to any run of a launch from its start, then
// take the findings.
class Checker : public simt::Observer {
 public:
  // `machine` executes the launch. `suspects`: the only words to check, which check() finds in a
  // faster pass; null: all. Both must outlive this object.
  explicit Checker(const simt::Machine& machine, const Suspects* suspects = nullptr);
  ~Checker() override;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;
  Checker(Checker&&) = delete;
  Checker& operator=(Checker&&) = delete;

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo&) override;
  void after_step(const simt::StepInfo&) override;
  void on_memory(const simt::StepInfo&, const simt::MemoryEvent&) override;
  void on_barrier(const simt::StepInfo&, const simt::BarrierEvent&) override;
  void on_fault(const simt::StepInfo&, const simt::FaultEvent&) override;
  void on_local_frame(const simt::StepInfo&, std::uint64_t address, std::uint32_t bytes) override;
  void on_allocation(const simt::StepInfo&, std::uint64_t address, std::uint64_t bytes) override;
  void on_block_start(std::uint32_t block) override;
  void on_block_end(std::uint32_t block) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // most informative first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::insight
