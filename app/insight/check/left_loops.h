// Barriers that threads of a warp come to again, while others, which have come to them before, have
// left the kernel: a loop of barriers that has not the same number of passes in all threads. Since
// compute capability 7.0 exited threads hold nobody up, but copies of an unrolled loop's barrier
// are several barriers, and a GPU then waits forever (seen on an H100). Lanes that only leave
// before a barrier are no finding.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/warp_lines.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

class LeftLoops final : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this.
  explicit LeftLoops(const simt::Machine& machine) : machine_(machine), lines_(machine.program()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;

  [[nodiscard]] std::vector<Finding> findings() const { return findings_of(findings_); }

 private:
  using Place = std::vector<std::uint32_t>;
  [[nodiscard]] Place place_of(const simt::StepInfo& info) const;

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  // By block, warp and place, the lanes that have come.
  std::map<std::tuple<std::uint32_t, std::uint32_t, Place>, std::uint32_t> came_;
  std::map<std::uint32_t, Finding> findings_;  // by line
};

// Tells each of these barriers once, and without the note that GPUs let it pass.
void take_left_loops(std::vector<Finding>& findings, const LeftLoops& loops);

}  // namespace tilestep::insight
