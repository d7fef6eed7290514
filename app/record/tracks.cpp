#include "record/tracks.h"

#include <algorithm>
#include <cassert>

namespace tilestep::record {
namespace {

template <class T>
[[nodiscard]] bool equal_pointees(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

ExitLayout::ExitLayout(const Tables& tables, const std::vector<std::uint32_t>& variables) {
  const ptx::Module& module = tables.program->module();
  for (const std::uint32_t v : variables) {
    const ptx::SourceVariable& source = module.functions[tables.entry].source_variables[v];
    const bool shared = source.kind == ptx::LocationKind::Memory &&
                        module.variables[source.variable].space == ptx::Space::Shared;
    std::size_t& end = shared ? shared_bytes_ : stride_;
    const std::uint32_t bytes = type_bytes(module, source.type);
    sections_.push_back({end, bytes, shared});
    end += bytes;
  }
}

bool operator==(const WarpTrack& a, const WarpTrack& b) {
  return a.frames == b.frames && a.active == b.active && a.frame == b.frame && a.pc == b.pc &&
         a.parked == b.parked && equal_pointees(a.exit, b.exit);
}

BlockTracks::BlockTracks(const simt::Program& program, simt::BlockPart part) {
  simt::CopyOnWrite<BlockTrack> idle(std::make_shared<BlockTrack>());
  idle.own().warps.resize(program.warps_per_block());
  blocks_ = simt::BlockTable<simt::CopyOnWrite<BlockTrack>>(part, idle);
  for (std::uint32_t block = part.first; block < part.last; ++block) {
    blocks_.at(block) = idle;
  }
}

BlockTracks::BlockTracks(const BlockTracks& other)
    : blocks_(other.blocks_), running_(other.running_) {
  if (other.packed_.empty()) {
    return;
  }
  simt::WordUnpacker unpacker(other.packed_);
  for (const std::uint32_t block : running_) {
    for (WarpTrack& warp : running(block).warps) {
      for (Frame& frame : warp.frames) {
        frame.words.resize(unpacker.next_bytes() / sizeof(frame.words[0]));
        unpacker.next(std::as_writable_bytes(std::span(frame.words)));
      }
    }
  }
}

BlockTracks BlockTracks::packed() const {
  assert(packed_.empty());
  simt::WordPacker packer;
  BlockTracks result(*this);
  for (const std::uint32_t block : running_) {
    const std::vector<WarpTrack>& warps = blocks_[block]->warps;
    for (std::size_t w = 0; w < warps.size(); ++w) {
      for (std::size_t f = 0; f < warps[w].frames.size(); ++f) {
        packer.add(std::as_bytes(std::span(warps[w].frames[f].words)));
        // assigning {} would keep the capacity
        result.running(block).warps[w].frames[f].words = std::vector<std::uint32_t>();
      }
    }
  }
  result.packed_ = packer.take();
  return result;
}

void BlockTracks::start(std::uint32_t block) {
  running_.push_back(block);
}

void BlockTracks::end(std::uint32_t block) {
  std::erase(running_, block);
}

std::size_t BlockTracks::footprint() const {
  std::size_t bytes =
      blocks_.entries().size() * sizeof(blocks_[0]) + packed_.size() * sizeof(packed_[0]);
  for (const std::uint32_t block : running_) {
    const BlockTrack& track = *blocks_[block];
    bytes += sizeof(BlockTrack) + track.shared_writers.footprint() +
             track.warps.size() * sizeof(WarpTrack);
    for (const WarpTrack& warp : track.warps) {
      for (const Frame& frame : warp.frames) {
        bytes += sizeof(Frame) + frame.words.size() * sizeof(frame.words[0]);
      }
      bytes += warp.parked.size() * sizeof(ParkedLane);
    }
  }
  return bytes;
}

bool operator==(const BlockTracks& a, const BlockTracks& b) {
  return a.blocks_ == b.blocks_;
}

StateData::StateData(std::shared_ptr<const Tables> t, const simt::Schedule& schedule,
                     simt::BlockPart part)
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
  const auto width = program.warp_size();
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
  // Not among those that move next: it waits where it diverged, or after its last step.
  const bool moved_last = ((track.active >> place.lane) & 1U) != 0;
  LanePosition position{track.frame, track.pc, false};
  if (!moved_last && !track.parked.empty()) {
    const ParkedLane& parked = track.parked[static_cast<std::size_t>(place.lane)];
    position = {parked.frame, parked.pc, false};
  }
  // A call that has returned: the lane waits after it.
  while (!state.machine.call(place.id, position.frame)) {
    const Frame& returned = track.frames[position.frame];
    position = {returned.caller, returned.call_pc, false};
  }
  return position;
}

}  // namespace tilestep::record
