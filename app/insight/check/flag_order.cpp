#include "insight/check/flag_order.h"

#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {

using simt::kLanes;

ThreadClock joined(const ThreadClock& a, const ThreadClock& b) {
  if (a == nullptr || b == nullptr || a == b) {
    return a == nullptr ? b : a;
  }
  auto both = std::make_shared<std::vector<std::uint32_t>>(*a);
  std::ranges::transform(*both, *b, both->begin(),
                         [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
  return both;
}

std::uint32_t FlagOrder::unordered(std::uint32_t tick, std::uint32_t warp, std::uint32_t lanes,
                                   std::uint32_t thread) const {
  if (thread >= clocks_.size() || clocks_[thread] == nullptr) {
    return lanes;
  }
  const std::vector<std::uint32_t>& known = *clocks_[thread];
  std::uint32_t left = lanes;
  simt::for_each_lane(lanes, [&](std::uint32_t lane) {
    left &= known[warp * kLanes + lane] > tick ? ~(1U << lane) : ~0U;
  });
  return left;
}

ThreadClock FlagOrder::seen(std::uint32_t warp, std::uint32_t lanes) const {
  ThreadClock all;
  if (!clocks_.empty()) {
    simt::for_each_lane(
        lanes, [&](std::uint32_t lane) { all = joined(all, clocks_[warp * kLanes + lane]); });
  }
  return all;
}

void FlagOrder::show(std::uint32_t warp, std::uint32_t lanes, const ThreadClock& clock) {
  if (clock == nullptr) {
    return;
  }
  clocks_.resize(clock->size());
  ThreadClock last;  // lanes that knew the same share one clock afterwards too
  ThreadClock last_joined;
  simt::for_each_lane(lanes, [&](std::uint32_t lane) {
    ThreadClock& known = clocks_[warp * kLanes + lane];
    if (last_joined == nullptr || known != last) {
      last = known;
      last_joined = joined(known, clock);
    }
    known = last_joined;
  });
}

ThreadClock FlagOrder::fenced(std::uint32_t thread) const {
  const auto found = fences_.find(thread);
  return found == fences_.end() ? nullptr : found->second;
}

void FlagOrder::release(std::uint64_t word, const ThreadClock& clock, bool replaces) {
  ThreadClock& released = words_[word];
  released = replaces ? clock : joined(released, clock);
}

void FlagOrder::observe(std::uint32_t warp, std::uint32_t lane, std::uint64_t word) {
  if (const auto found = words_.find(word); found != words_.end()) {
    show(warp, 1U << lane, found->second);
  }
}

void FlagOrder::clear() {
  clocks_.clear();
  fences_.clear();
  words_.clear();
}

}  // namespace tilestep::insight
