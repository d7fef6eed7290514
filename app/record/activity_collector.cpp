#include "record/activity_collector.h"

namespace tilestep::record {
namespace {

// Of the innermost caller of a frame that has a line.
std::uint32_t caller_line(const StateData& state, simt::WarpId id, std::uint32_t frame) {
  const std::vector<Frame>& frames = state.tracks.warp(id).frames;
  for (; frame != 0; frame = frames[frame].caller) {
    const Frame& caller = frames[frames[frame].caller];
    const std::uint32_t line =
        state.tables->functions[caller.function].pcs[frames[frame].call_pc].line;
    if (line != 0) {
      return line;
    }
  }
  return 0;
}

}  // namespace

std::uint32_t step_line(const StateData& state, const simt::StepInfo& info) {
  const std::uint32_t own = state.tables->functions[info.function].pcs[info.pc].line;
  return own != 0 ? own : caller_line(state, info.id, info.frame);
}

std::uint32_t last_line(const StateData& state, simt::WarpId id) {
  const WarpTrack& track = state.tracks.warp(id);
  if (track.frames.empty()) {
    return 0;
  }
  const std::uint32_t function = track.frames[track.frame].function;
  const std::uint32_t own = state.tables->functions[function].pcs[track.pc].line;
  return own != 0 ? own : caller_line(state, id, track.frame);
}

std::uint32_t ActivityCollector::line(const simt::StepInfo& info) const {
  return step_line(state_, info);
}

void ActivityCollector::before_step(const simt::StepInfo& info) {
  std::size_t& open = open_[state_.warp_index(info.id)];
  const std::uint32_t here = line(info);
  if (open == 0 || activity_.executed[open - 1].line != here) {
    activity_.executed.push_back({info.id, here, 0, state_.machine.warp(info.id).live});
    open = activity_.executed.size();
  }
  activity_.executed[open - 1].mask |= info.active;
}

void ActivityCollector::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  activity_.accesses.push_back({info.id, info.pc, line(info), state_.step, event});
}

void ActivityCollector::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  activity_.barriers.push_back({info.id, event, line(info)});
}

void ActivityCollector::on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  activity_.faults.push_back({info.id, event, line(info), state_.step});
}

void ActivityCollector::on_print(const simt::StepInfo& info, std::uint32_t lane,
                                 const std::string& text) {
  activity_.prints.push_back({info.id, lane, line(info), text});
}

Activity ActivityCollector::take(std::uint64_t first, std::uint64_t last) {
  activity_.first_step = first;
  activity_.last_step = last;
  return std::move(activity_);
}

}  // namespace tilestep::record
