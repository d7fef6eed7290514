#include "record/trace.h"

#include "simt/state/event.h"

#include <cassert>
#include <cstring>

namespace tilestep::record {
namespace {

using simt::for_each_lane;

// Creating a keyframe takes as long as one step for every 16 to 50 of its bytes, so at this
// distance keyframes cost at most half of the recording's time. Within these bounds a seek takes
// less than a frame.
constexpr std::uint64_t kBytesPerStep = 16;
constexpr std::uint64_t kClosestKeyframes = 22'000;
constexpr std::uint64_t kFarthestKeyframes = 100'000;

// The line of the innermost caller that has one.
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

Tracker::Tracker(StateData& state, simt::Observer* next)
    : state_(state),
      tables_(*state.tables),
      next_(next),
      next_wants_steps_(next != nullptr && next->wants_steps()) {}

bool Tracker::step() {
  if (!state_.scheduler.step(state_.machine, this)) {
    return false;
  }
  ++state_.step;
  return true;
}

void Tracker::before_step(const simt::StepInfo& info) {
  if (next_wants_steps_) {
    next_->before_step(info);
  }
  WarpTrack& track = state_.tracks.running(info.id);
  if (track.frames.empty()) {
    track.frames.emplace_back(tables_, info.function);
    track.active = info.active;
  }
  if (const std::uint32_t left = track.active & ~info.active; left != 0) {
    park(track, left);
  }
  track.active = info.active;
  track.frame = info.frame;
  track.pc = info.pc;
  const FunctionTable& table = tables_.functions[info.function];
  const PcInfo& pc = table.pcs[info.pc];
  if (pc.action_count != 0) {
    apply(info, table, pc, track.frames[info.frame]);
  }
  if ((pc.flags & kReturnPc) != 0 && info.frame == 0 && info.mask != 0) {
    capture(info.id, info.pc, info.mask, 0);
  }
}

void Tracker::after_step(const simt::StepInfo& info) {
  const PcInfo& pc = tables_.functions[info.function].pcs[info.pc];
  if ((pc.flags & kCallPc) != 0) {
    enter_call(info, state_.tracks.running(info.id));
  }
  if (next_wants_steps_) {
    next_->after_step(info);
  }
}

void Tracker::park(WarpTrack& track, std::uint32_t lanes) const {
  track.parked.resize(simt::kWarpSize);
  for_each_lane(lanes, [&](int lane) {
    track.parked[static_cast<std::size_t>(lane)] = {track.frame, track.pc};
  });
}

void Tracker::apply(const simt::StepInfo& info, const FunctionTable& table, const PcInfo& pc,
                    Frame& frame) const {
  for (const Action& action : table.actions_at(pc)) {
    switch (action.kind) {
      case Action::Kind::Clear:
        frame.assigned(action.variable) &= ~info.active;
        frame.snapped(action.variable) &= ~info.active;
        break;
      case Action::Kind::Snapshot:
        snapshot(info, action, table.slots[action.variable], frame);
        break;
      case Action::Kind::Assign:
        frame.assigned(action.variable) |= info.mask;
        break;
    }
  }
}

void Tracker::snapshot(const simt::StepInfo& info, const Action& action, const VariableSlot& slot,
                       Frame& frame) const {
  frame.snapped(action.variable) |= info.active;
  std::uint32_t* words = frame.words.data() + slot.snapshot;
  const auto row = state_.machine.register_row(info.id, action.reg);
  for_each_lane(info.active, [&](int lane) {
    const std::uint64_t bits = row[static_cast<std::size_t>(lane)];
    if (slot.wide) {
      std::memcpy(words + 2 * lane, &bits, sizeof bits);
    } else {
      words[lane] = static_cast<std::uint32_t>(bits);
    }
  });
}

void Tracker::capture(simt::WarpId id, std::uint32_t pc, std::uint32_t lanes,
                      std::uint32_t line) const {
  WarpTrack& track = state_.tracks.running(id);
  const FunctionTable& table = tables_.functions[tables_.entry];
  auto image = track.exit != nullptr ? std::make_shared<ExitImage>(*track.exit)
                                     : std::make_shared<ExitImage>();
  // Lanes of one warp may exit at different places: the first place's variables are the layout.
  if (image->mask == 0) {
    image->visible = table.pcs[pc].visible;
  }
  const std::vector<std::uint32_t>& variables = table.visible_sets[image->visible];
  const ExitLayout layout(tables_, variables);
  image->line = line;
  image->statuses.resize(variables.size() * simt::kWarpSize, Value::Status::Unreadable);
  image->bytes.resize(layout.bytes());
  for_each_lane(lanes, [&](int lane) {
    const auto l = static_cast<std::size_t>(lane);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      image->statuses[variables.size() * l + i] =
          read_variable(state_, {id, lane}, {0, pc, track.frame == 0}, 0, variables[i],
                        std::span(image->bytes).subspan(layout.at(i, l), layout.size(i)));
    }
  });
  image->mask |= lanes;
  track.exit = std::move(image);
}

// A call of a function with its own frame makes that frame the current one.
void Tracker::enter_call(const simt::StepInfo& info, WarpTrack& track) const {
  const simt::WarpView view = state_.machine.warp(info.id);
  const std::optional<simt::CallView> call = state_.machine.call(info.id, view.frame);
  if (!call || view.frame == info.frame || call->caller != info.frame || call->call_pc != info.pc ||
      view.pc != 0) {
    return;
  }
  if (view.frame < track.frames.size()) {
    // The number of a call that has returned. Its lanes wait after it.
    const Frame& returned = track.frames[view.frame];
    for (ParkedLane& lane : track.parked) {
      if (lane.frame == view.frame) {
        lane = {returned.caller, returned.call_pc};
      }
    }
  } else {
    track.frames.resize(view.frame + std::size_t{1});
  }
  Frame& frame = track.frames[view.frame];
  frame = Frame(tables_, view.function);
  frame.caller = info.frame;
  frame.call_pc = info.pc;
}

void Tracker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.kind != simt::AccessKind::Load) {
    if (event.space == ptx::Space::Local) {
      note_local_write(info, event, state_.tracks.running(info.id));
    } else {
      note_write(info, event);
    }
  }
  if (next_ != nullptr) {
    next_->on_memory(info, event);
  }
}

void Tracker::note_write(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.is_issue) {
    return;  // the bytes change when it arrives
  }
  WriterWord writer{static_cast<std::uint32_t>(state_.step + 1), info.id.block, 0,
                    tables_.functions[info.function].pcs[info.pc].line};
  const std::uint32_t first_thread = info.id.warp * tables_.program->warp_size();
  for_each_lane(event.mask, [&](int lane) {
    const std::uint64_t address = event.addresses[static_cast<std::size_t>(lane)];
    Writers* words = nullptr;
    const std::uint64_t offset = address % simt::kWindowBytes;
    if (event.space == ptx::Space::Shared) {
      words = &state_.tracks.running(info.id.block).shared_writers;
    } else if (const auto buffer = tables_.buffer_at(address)) {
      words = &state_.buffer_writers[*buffer];
      if (words->size() == 0) {
        *words = Writers((tables_.program->launch().buffers[*buffer].contents.size() + 3) / 4);
      }
    } else {
      return;
    }
    writer.thread = first_thread + static_cast<std::uint32_t>(lane);
    const std::uint64_t last = (offset + event.bytes - 1) / 4;
    for (std::uint64_t word = offset / 4; word <= last && word < words->size(); ++word) {
      words->set(word, writer);
    }
  });
}

void Tracker::note_local_write(const simt::StepInfo& info, const simt::MemoryEvent& event,
                               WarpTrack& track) const {
  const int lane = std::countr_zero(event.mask);
  const std::uint64_t address = event.addresses[static_cast<std::size_t>(lane)];
  for (std::uint32_t f = 0; f < track.frames.size(); ++f) {
    Frame& frame = track.frames[f];
    const std::uint64_t base = state_.machine.local_frame(info.id, lane, f);
    const std::uint64_t offset = address - base;
    const std::uint32_t size = tables_.program->module().functions[frame.function].local_bytes;
    if (base == 0 || offset >= size) {
      continue;
    }
    for (const FunctionTable::LocalVariable& local : tables_.functions[frame.function].locals) {
      if (offset < local.end && offset + event.bytes > local.begin) {
        frame.assigned(local.variable) |= event.mask;
      }
    }
    return;
  }
}

void Tracker::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (next_ != nullptr) {
    next_->on_barrier(info, event);
  }
}

void Tracker::on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  if (next_ != nullptr) {
    next_->on_fault(info, event);
  }
}

void Tracker::on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) {
  if (next_ != nullptr) {
    next_->on_print(info, lane, text);
  }
}

void Tracker::on_block_start(std::uint32_t block) {
  state_.tracks.start(block);
  state_.tracks.running(block).shared_writers = Writers((tables_.program->shared_room() + 3) / 4);
  if (next_ != nullptr) {
    next_->on_block_start(block);
  }
}

void Tracker::on_block_end(std::uint32_t block) {
  const std::span<const std::byte> shared = state_.machine.shared(block);
  state_.tracks.running(block).ended_shared.assign(shared.begin(), shared.end());
  for (std::uint32_t w = 0; w < tables_.program->warps_per_block(); ++w) {
    const simt::WarpId id{block, w};
    WarpTrack& track = state_.tracks.running(id);
    const std::uint32_t left =
        state_.machine.warp(id).live & ~(track.exit != nullptr ? track.exit->mask : 0U);
    // A fault stopped the block: its threads keep their values.
    if (left != 0 && !track.frames.empty()) {
      std::uint32_t pc = track.pc;  // of the kernel itself
      for (std::uint32_t f = track.frame; f != 0; f = track.frames[f].caller) {
        pc = track.frames[f].call_pc;
      }
      capture(id, pc, left, last_line(state_, id));
    }
    // Assigning {} would keep the capacity, and there are many ended tracks.
    track.frames = std::vector<Frame>();
    track.parked = std::vector<ParkedLane>();
  }
  state_.tracks.end(block);
  if (next_ != nullptr) {
    next_->on_block_end(block);
  }
}

void Keyframes::take(const StateData& state) {
  auto frame = std::make_shared<const StateData>(state.packed());
  const std::size_t bytes = frame->footprint();
  frames_.push_back({std::move(frame), bytes});
  bytes_ += bytes;
  const std::uint64_t distance =
      distance_ != 0
          ? distance_
          : std::clamp<std::uint64_t>(bytes / kBytesPerStep, kClosestKeyframes, kFarthestKeyframes);
  next_ = state.step + scale_ * distance;
  while (bytes_ > budget_ && frames_.size() > 1) {
    thin_out();
  }
}

Keyframes::Entry Keyframes::before(std::uint64_t step) const {
  const std::lock_guard lock(mutex_);
  const auto after =
      std::upper_bound(frames_.begin(), frames_.end(), step,
                       [](std::uint64_t k, const Held& held) { return k < held.state->step; });
  assert(after != frames_.begin());
  return std::prev(after)->state;
}

void Keyframes::insert(Entry frame) {
  const std::size_t bytes = frame->footprint();
  const std::lock_guard lock(mutex_);
  const auto at = std::lower_bound(
      frames_.begin(), frames_.end(), frame->step,
      [](const Held& held, std::uint64_t step) { return held.state->step < step; });
  if (at == frames_.end() || at->state->step != frame->step) {
    frames_.insert(at, {std::move(frame), bytes});
    bytes_ += bytes;
  }
}

std::vector<std::uint64_t> Keyframes::steps() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> all;
  for (const Held& held : frames_) {
    all.push_back(held.state->step);
  }
  return all;
}

std::uint64_t Keyframes::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void Keyframes::thin_out() {
  std::vector<Held> kept;
  bytes_ = 0;
  for (std::size_t i = 0; i < frames_.size(); i += 2) {
    bytes_ += frames_[i].bytes;
    kept.push_back(std::move(frames_[i]));
  }
  frames_ = std::move(kept);
  scale_ *= 2;
}

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
