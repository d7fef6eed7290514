// Collects what a stretch of steps did.
#pragma once

#include "record/state_data.h"

#include <vector>

namespace tilestep::record {

class ActivityCollector final : public simt::Observer {
 public:
  // `state` is the one being stepped.
  explicit ActivityCollector(const StateData& state)
      : state_(state),
        open_(std::size_t{state.tables->program->block_count()} *
              state.tables->program->warps_per_block()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override;

  [[nodiscard]] Activity take(std::uint64_t first, std::uint64_t last);

 private:
  [[nodiscard]] std::uint32_t line(const simt::StepInfo& info) const;

  const StateData& state_;
  Activity activity_;
  std::vector<std::size_t> open_;  // by warp: 1 + index of its last Executed; 0: none
};

// The line a step belongs to: its own, or that of the innermost caller that has one.
[[nodiscard]] std::uint32_t step_line(const StateData& state, const simt::StepInfo& info);
// The same of the last step that a warp made.
[[nodiscard]] std::uint32_t last_line(const StateData& state, simt::WarpId id);

}  // namespace tilestep::record
