#include "record/state_data.h"

namespace tilestep::record {

StateData::StateData(std::shared_ptr<const Tables> t, simt::Schedule schedule, simt::BlockPart part)
    : tables(std::move(t)),
      machine(tables->program, part),
      scheduler(*tables->program, schedule, part),
      tracks(*tables->program, part),
      buffer_writers(tables->program->launch().buffers.size()) {}

std::size_t StateData::footprint() const {
  std::size_t bytes = sizeof(StateData) + machine.footprint() + tracks.footprint();
  for (const Writers& writers : buffer_writers) {
    bytes += writers.footprint();
  }
  return bytes;
}

bool operator==(const StateData& a, const StateData& b) {
  return a.step == b.step && a.machine == b.machine && a.scheduler == b.scheduler &&
         a.tracks == b.tracks && a.buffer_writers == b.buffer_writers;
}

LanePlace lane_place(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  const auto width = static_cast<std::uint32_t>(program.warp_size());
  block = std::min(block, program.block_count() - 1);
  thread = std::min(thread, program.threads_per_block() - 1);
  return {{block, thread / width}, static_cast<int>(thread % width)};
}

LanePosition lane_position(const StateData& state, const LanePlace& place) {
  const WarpTrack& track = state.tracks.warp(place.id);
  const simt::WarpView view = state.machine.warp(place.id);
  const bool active = ((view.active >> place.lane) & 1U) != 0;
  if (active || track.frames.empty()) {
    return {view.frame, view.pc, active};
  }
  // Not among those that move next: it waits where it was left, or where it took its last step.
  const bool moved_last = ((track.active >> place.lane) & 1U) != 0;
  LanePosition position{track.frame, track.pc, false};
  if (!moved_last && !track.parked.empty()) {
    const ParkedLane& parked = track.parked[static_cast<std::size_t>(place.lane)];
    position = {parked.frame, parked.pc, false};
  }
  // A call that has returned: it waits behind it.
  while (!state.machine.call(place.id, position.frame)) {
    const Frame& returned = track.frames[position.frame];
    position = {returned.caller, returned.call_pc, false};
  }
  return position;
}

}  // namespace tilestep::record
