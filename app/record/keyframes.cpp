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
  frames_.push_back(state.packed());
  sizes_.push_back(frames_.back().footprint());
  bytes_ += sizes_.back();
  const std::uint64_t distance =
      distance_ != 0 ? distance_
                     : std::clamp<std::uint64_t>(sizes_.back() / kBytesPerStep, kClosestKeyframes,
                                                 kFarthestKeyframes);
  next_ = state.step + scale_ * distance;
  while (bytes_ > budget_ && frames_.size() > 1) {
    thin_out();
  }
}

const StateData& Keyframes::before(std::uint64_t step) const {
  const auto after =
      std::upper_bound(frames_.begin(), frames_.end(), step,
                       [](std::uint64_t k, const StateData& frame) { return k < frame.step; });
  assert(after != frames_.begin());
  return *std::prev(after);
}

void Keyframes::thin_out() {
  std::vector<StateData> kept;
  std::vector<std::size_t> sizes;
  bytes_ = 0;
  for (std::size_t i = 0; i < frames_.size(); i += 2) {
    kept.push_back(std::move(frames_[i]));
    sizes.push_back(sizes_[i]);
    bytes_ += sizes_[i];
  }
  frames_ = std::move(kept);
  sizes_ = std::move(sizes);
  scale_ *= 2;
}

}  // namespace tilestep::record
