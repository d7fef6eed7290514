#include "record/keyframes.h"

#include <algorithm>
#include <cassert>

namespace tilestep::record {
namespace {

// Making a keyframe takes as long as executing a step for every 16 to 50 of its bytes, so at this
// distance keyframes cost at most half of the recording's time; within these bounds a seek stays
// below a frame.
constexpr std::uint64_t kBytesPerStep = 16;
constexpr std::uint64_t kClosestKeyframes = 22'000;
constexpr std::uint64_t kFarthestKeyframes = 100'000;

}  // namespace

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

}  // namespace tilestep::record
