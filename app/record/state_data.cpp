#include "record/state_impl.h"

namespace tilestep::record {
namespace {

template <class T>
bool equal_pointees(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool equal(const WarpTrack& a, const WarpTrack& b) {
  return a.frames == b.frames && a.active == b.active && a.frame == b.frame && a.pc == b.pc &&
         a.parked == b.parked && equal_pointees(a.exit, b.exit);
}

bool equal(const BlockTrack& a, const BlockTrack& b) {
  return a.shared_writers == b.shared_writers && equal_pointees(a.ended_shared, b.ended_shared);
}

template <class T>
bool all_equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return equal(x, y); });
}

}  // namespace

StateData::StateData(std::shared_ptr<const Tables> t, simt::Schedule schedule)
    : tables(std::move(t)),
      machine(tables->program),
      scheduler(*tables->program, schedule),
      warps(std::size_t{tables->program->block_count()} * tables->program->warps_per_block()),
      blocks(tables->program->block_count()),
      buffer_writers(tables->program->launch().buffers.size()) {}

std::size_t StateData::footprint() const {
  std::size_t bytes = sizeof(StateData) + machine.footprint();
  bytes += warps.size() * sizeof(WarpTrack) + blocks.size() * sizeof(BlockTrack);
  for (const WarpTrack& warp : warps) {
    for (const Frame& frame : warp.frames) {
      bytes += sizeof(Frame) + frame.words.size() * sizeof(frame.words[0]);
    }
    bytes += warp.parked.size() * sizeof(ParkedLane);
  }
  for (const BlockTrack& block : blocks) {
    bytes += block.shared_writers.size() * sizeof(WriterWord);
  }
  for (const std::vector<WriterWord>& writers : buffer_writers) {
    bytes += writers.size() * sizeof(WriterWord);
  }
  return bytes;
}

bool operator==(const StateData& a, const StateData& b) {
  return a.step == b.step && a.machine == b.machine && a.scheduler == b.scheduler &&
         all_equal(a.warps, b.warps) && all_equal(a.blocks, b.blocks) &&
         a.buffer_writers == b.buffer_writers;
}

LanePlace lane_place(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  const auto width = static_cast<std::uint32_t>(program.warp_size());
  return {{block, thread / width}, static_cast<int>(thread % width)};
}

LanePosition lane_position(const StateData& state, const LanePlace& place) {
  const WarpTrack& track = state.warps[state.warp_index(place.id)];
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
