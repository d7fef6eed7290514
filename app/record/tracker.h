// Follows a run beside the machine: assignments to source variables, who wrote which cell, where
// lanes were left, and what ended threads and blocks leave behind.
#pragma once

#include "record/state_data.h"

namespace tilestep::record {

// Keeps a StateData's tracks in step with its machine. `next` sees every event too.
class Tracker final : public simt::Observer {
 public:
  explicit Tracker(StateData& state, simt::Observer* next = nullptr);

  // One step of the schedule; false when the launch has ended (nothing was executed then).
  bool step();

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override;
  void on_block_start(std::uint32_t block) override;
  void on_block_end(std::uint32_t block) override;

 private:
  void park(WarpTrack& track, std::uint32_t lanes) const;
  void apply(const simt::StepInfo& info, const FunctionTable& table, const PcInfo& pc,
             Frame& frame) const;
  void snapshot(const simt::StepInfo& info, const Action& action, const VariableSlot& slot,
                Frame& frame) const;
  // Keeps the kernel's variables of some lanes of a warp that stands at `pc` of the kernel itself.
  void capture(simt::WarpId id, std::uint32_t pc, std::uint32_t lanes, std::uint32_t line) const;
  void enter_call(const simt::StepInfo& info, WarpTrack& track) const;
  void note_write(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void note_local_write(const simt::StepInfo& info, const simt::MemoryEvent& event,
                        WarpTrack& track) const;

  StateData& state_;
  const Tables& tables_;
  simt::Observer* next_;
  bool next_wants_steps_;
};

}  // namespace tilestep::record
