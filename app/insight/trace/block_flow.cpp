#include "insight/trace/block_flow.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

// The last value held before or at a step; kUnknownNode: none.
HeldValue held_at(const std::vector<HeldValue>& values, std::uint64_t step) {
  const auto after =
      std::upper_bound(values.begin(), values.end(), step,
                       [](std::uint64_t k, const HeldValue& value) { return k < value.step; });
  return after == values.begin() ? HeldValue{} : *std::prev(after);
}

}  // namespace

BlockFlow::BlockFlow(const record::Recording& recording, std::uint32_t block,
                     std::uint64_t last_step, Settle settle, std::size_t most_values,
                     const std::atomic<bool>* cancel)
    : block_(block),
      settle_(settle),
      most_values_(most_values),
      cancel_(cancel),
      tables_(recording.shared_program()),
      machine_(recording.shared_program(), recording.part()) {
  tracker_.emplace(machine_, tables_, block, true);
  last_step = std::min(last_step, recording.step_count());
  run(recording, last_step);
  // One instruction of a tensor core makes thousands of values. Without them the rest is followed.
  // So it is where the elements are no numbers of TF32.
  if ((is_too_large() && tracker_->has_matrices()) || tracker_->has_rests()) {
    machine_ = simt::Machine(recording.shared_program(), recording.part());
    tracker_.emplace(machine_, tables_, block, false);
    run(recording, last_step);
  }
}

void BlockFlow::run(const record::Recording& recording, std::uint64_t last_step) {
  if (recording.keeps_steps_of(block_)) {
    run_block(recording, last_step);
  } else {
    run_all(recording, last_step);
  }
}

void BlockFlow::run_block(const record::Recording& recording, std::uint64_t last_step) {
  std::vector<bool> finished(program().warps_per_block(), settle_ == Settle::Exactly);
  recording.visit_steps_of(block_, [&](const record::Recording::BlockStep& step) {
    const simt::WarpId id{block_, step.warp};
    if (step.step >= last_step) {
      const bool ready = machine_.block_status(block_) == simt::BlockStatus::Running &&
                         machine_.warp(id).status == simt::WarpStatus::Ready;
      if (finished[step.warp] || !ready) {
        return true;
      }
      finished[step.warp] = true;
    }
    if (gives_up()) {
      return false;
    }
    tracker_->set_step(step.step);
    machine_.step(id, &*tracker_);
    return true;
  });
}

void BlockFlow::run_all(const record::Recording& recording, std::uint64_t last_step) {
  simt::Scheduler scheduler(recording.program(), recording.schedule(), recording.part());
  std::vector<bool> finished(program().warps_per_block(), false);
  std::size_t unfinished = settle_ == Settle::Exactly ? 0 : finished.size();
  for (std::uint64_t step = 0; step < last_step || unfinished > 0; ++step) {
    tracker_->set_step(step);
    if (gives_up() || !scheduler.step(machine_, &*tracker_)) {
      return;
    }
    if (step >= last_step && scheduler.last().block == block_ && !finished[scheduler.last().warp]) {
      finished[scheduler.last().warp] = true;
      --unfinished;
    }
  }
}

const ptx::SourceVariable& BlockFlow::source(const FlowTracker::History& history) const {
  return program().module().functions[history.function].source_variables[history.variable];
}

NodeId BlockFlow::held(std::uint64_t step, std::uint32_t thread,
                       const std::string& variable) const {
  HeldValue latest;
  for (const FlowTracker::History& history : tracker_->histories()) {
    if (source(history).name == variable) {
      const HeldValue held = held_at(history.lanes[thread], step);
      if (held.step >= latest.step) {
        latest = held;
      }
    }
  }
  return latest.node;
}

}  // namespace tilestep::insight
