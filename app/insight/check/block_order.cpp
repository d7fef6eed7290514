#include "insight/check/block_order.h"

#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using simt::kLanes;

}  // namespace

BlockOrder::BlockOrder(std::uint32_t warps) : ticks_(warps, 0) {}

std::uint32_t BlockOrder::unordered(Stamp when, std::uint32_t warp, std::uint32_t lanes,
                                    std::uint32_t here, std::uint32_t lane) const {
  if (when.interval < interval_) {
    return 0;
  }
  if (warp != here) {
    const bool ordered = !warp_clocks_.empty() && warp_clocks_[here][warp] > when.tick;
    return ordered ? 0 : lanes;
  }
  std::uint32_t others = lanes & ~(1U << lane);
  if (lane_clocks_.empty() || lane_clocks_[here].empty()) {
    return others;
  }
  const std::uint32_t* known = lane_clocks_[here].data() + std::size_t{lane} * kLanes;
  for_each_lane(others, [&](std::uint32_t other) {
    if (known[other] > when.tick) {
      others &= ~(1U << other);
    }
  });
  return others;
}

Knowledge BlockOrder::knowledge(std::uint32_t warp, std::uint32_t lanes, std::uint64_t step) const {
  Knowledge known{now(warp), warp, lanes, step, {}, {}};
  if (!warp_clocks_.empty()) {
    known.warps = warp_clocks_[warp];
  }
  if (!lane_clocks_.empty() && !lane_clocks_[warp].empty()) {
    known.lane_ticks.resize(kLanes, 0);
    for_each_lane(lanes, [&](std::uint32_t lane) {
      for (std::uint32_t other = 0; other < kLanes; ++other) {
        known.lane_ticks[other] =
            std::max(known.lane_ticks[other], lane_clocks_[warp][lane * kLanes + other]);
      }
    });
  }
  return known;
}

std::uint32_t Knowledge::unordered(Stamp when, std::uint32_t of_warp, std::uint32_t of_lanes,
                                   std::uint64_t at_step) const {
  if (when.interval != stamp.interval) {
    return when.interval < stamp.interval ? 0 : of_lanes;
  }
  if (of_warp != warp) {
    return !warps.empty() && warps[of_warp] > when.tick ? 0 : of_lanes;
  }
  std::uint32_t others = at_step < step ? of_lanes & ~lanes : of_lanes;
  for_each_lane(others, [&](std::uint32_t lane) {
    if (!lane_ticks.empty() && lane_ticks[lane] > when.tick) {
      others &= ~(1U << lane);
    }
  });
  return others;
}

void BlockOrder::sync_block() {
  ++interval_;
  std::fill(ticks_.begin(), ticks_.end(), 0);
  warp_clocks_.clear();
  lane_clocks_.clear();
  waiting_.clear();
  phases_.clear();
}

void BlockOrder::sync_lanes(std::uint32_t warp, std::uint32_t lanes) {
  lane_clocks_.resize(ticks_.size());
  Clock& clocks = lane_clocks_[warp];
  clocks.resize(std::size_t{kLanes} * kLanes, 0);
  Clock joined(kLanes, 0);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (std::uint32_t other = 0; other < kLanes; ++other) {
      joined[other] = std::max(joined[other], clocks[lane * kLanes + other]);
    }
  });
  for_each_lane(lanes, [&](std::uint32_t lane) { joined[lane] = ticks_[warp] + 1; });
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::copy(joined.begin(), joined.end(), clocks.begin() + std::ptrdiff_t{lane} * kLanes);
  });
  ++ticks_[warp];
}

void BlockOrder::sync_whole_warp(std::uint32_t warp) {
  sync_lanes(warp, ~0U);
}

void BlockOrder::arrive(std::uint32_t warp, std::uint32_t id, bool waits) {
  warp_clocks_.resize(ticks_.size(), Clock(ticks_.size(), 0));
  Clock known = warp_clocks_[warp];
  known[warp] = ticks_[warp] + 1;
  waiting_[id].push_back({warp, waits, std::move(known)});
  // What the warp does after arriving is not covered by the barrier.
  if (waits) {
    sync_whole_warp(warp);
  } else {
    ++ticks_[warp];
  }
}

void BlockOrder::release(std::uint32_t id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) {
    return;
  }
  Clock joined(ticks_.size(), 0);
  for (const Arrival& arrival : found->second) {
    for (std::size_t w = 0; w < joined.size(); ++w) {
      joined[w] = std::max(joined[w], arrival.known[w]);
    }
  }
  for (const Arrival& arrival : found->second) {
    if (!arrival.waits) {
      continue;
    }
    Clock& clock = warp_clocks_[arrival.warp];
    for (std::size_t w = 0; w < joined.size(); ++w) {
      clock[w] = std::max(clock[w], joined[w]);
    }
  }
  waiting_.erase(found);
}

void BlockOrder::end_phase(std::uint32_t id) {
  Clock joined(ticks_.size(), 0);
  for (const Arrival& arrival : waiting_[id]) {
    for (std::size_t w = 0; w < joined.size(); ++w) {
      joined[w] = std::max(joined[w], arrival.known[w]);
    }
  }
  waiting_.erase(id);
  phases_[id] = std::move(joined);
}

void BlockOrder::acquire(std::uint32_t warp, std::uint32_t lanes, std::uint32_t id) {
  const auto phase = phases_.find(id);
  if (phase == phases_.end()) {
    return;  // a phase of before the last barrier of the block
  }
  warp_clocks_.resize(ticks_.size(), Clock(ticks_.size(), 0));
  Clock& clock = warp_clocks_[warp];
  for (std::size_t w = 0; w < clock.size(); ++w) {
    clock[w] = std::max(clock[w], phase->second[w]);
  }
  sync_lanes(warp, lanes);
}

}  // namespace tilestep::insight
