#include "insight/check/order.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using simt::kLanes;

// Raises each tick of `clock` to that of `other` if that is later.
void raise(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& other) {
  for (std::size_t w = 0; w < clock.size(); ++w) {
    clock[w] = std::max(clock[w], other[w]);
  }
}

}  // namespace

BlockOrder::BlockOrder(std::uint32_t warps) : ticks_(warps, 0) {}

std::uint32_t BlockOrder::unordered(Stamp when, std::uint32_t warp, std::uint32_t lanes,
                                    std::uint32_t here, std::uint32_t lane) const {
  const std::uint32_t left = unordered_by_barriers(when, warp, lanes, here, lane);
  return left == 0 ? 0 : flags_.unordered(when.tick, warp, left, here * kLanes + lane);
}

std::uint32_t BlockOrder::unordered_by_barriers(Stamp when, std::uint32_t warp, std::uint32_t lanes,
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
  Knowledge known{now(warp), warp, lanes, step, {}, {}, flags_.seen(warp, lanes)};
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
  std::uint32_t others = of_lanes;
  if (seen != nullptr) {
    for_each_lane(of_lanes, [&](std::uint32_t lane) {
      others &= (*seen)[of_warp * kLanes + lane] > when.tick ? ~(1U << lane) : ~0U;
    });
  }
  if (of_warp != warp) {
    return !warps.empty() && warps[of_warp] > when.tick ? 0 : others;
  }
  others &= at_step < step ? ~lanes : ~0U;
  for_each_lane(others, [&](std::uint32_t lane) {
    if (!lane_ticks.empty() && lane_ticks[lane] > when.tick) {
      others &= ~(1U << lane);
    }
  });
  return others;
}

void BlockOrder::sync_block() {
  ++interval_;
  std::ranges::fill(ticks_, 0);
  warp_clocks_.clear();
  lane_clocks_.clear();
  waiting_.clear();
  phases_.clear();
  flags_.clear();
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
    std::copy(joined.begin(), joined.end(),
              clocks.begin() + static_cast<std::ptrdiff_t>(lane) * kLanes);
  });
  ++ticks_[warp];
  flags_.meet(warp, lanes);
}

void BlockOrder::sync_whole_warp(std::uint32_t warp) {
  sync_lanes(warp, ~0U);
}

BlockOrder::Phase BlockOrder::brought_together(const std::vector<Arrival>& arrivals) const {
  Phase together{Clock(ticks_.size(), 0), nullptr};
  for (const Arrival& arrival : arrivals) {
    raise(together.known, arrival.known);
    together.seen = joined(together.seen, arrival.seen);
  }
  return together;
}

void BlockOrder::arrive(std::uint32_t warp, std::uint32_t id, bool waits) {
  warp_clocks_.resize(ticks_.size(), Clock(ticks_.size(), 0));
  Clock known = warp_clocks_[warp];
  known[warp] = ticks_[warp] + 1;
  waiting_[id].push_back({warp, waits, std::move(known), flags_.seen(warp, ~0U)});
  // The barrier does not cover what the warp does after arriving.
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
  const Phase together = brought_together(found->second);
  for (const Arrival& arrival : found->second) {
    if (arrival.waits) {
      raise(warp_clocks_[arrival.warp], together.known);
      flags_.show(arrival.warp, ~0U, together.seen);
    }
  }
  waiting_.erase(found);
}

void BlockOrder::end_phase(std::uint32_t id) {
  phases_[id] = brought_together(waiting_[id]);
  waiting_.erase(id);
}

void BlockOrder::acquire(std::uint32_t warp, std::uint32_t lanes, std::uint32_t id) {
  const auto phase = phases_.find(id);
  if (phase == phases_.end()) {
    return;  // the phase ended before the block's last barrier
  }
  warp_clocks_.resize(ticks_.size(), Clock(ticks_.size(), 0));
  raise(warp_clocks_[warp], phase->second.known);
  flags_.show(warp, lanes, phase->second.seen);
  sync_lanes(warp, lanes);
}

ThreadClock BlockOrder::thread_clock(std::uint32_t warp, std::uint32_t lane) const {
  auto clock = std::make_shared<std::vector<std::uint32_t>>(ticks_.size() * kLanes, 0);
  const auto at = [&](std::uint32_t w) {
    return clock->begin() + static_cast<std::ptrdiff_t>(w) * kLanes;
  };
  if (!warp_clocks_.empty()) {
    for (std::uint32_t w = 0; w < ticks_.size(); ++w) {
      std::fill_n(at(w), kLanes, w == warp ? 0 : warp_clocks_[warp][w]);
    }
  }
  if (!lane_clocks_.empty() && !lane_clocks_[warp].empty()) {
    std::copy_n(lane_clocks_[warp].begin() + static_cast<std::ptrdiff_t>(lane) * kLanes, kLanes,
                at(warp));
  }
  *(at(warp) + lane) = ticks_[warp] + 1;
  return joined(clock, flags_.seen(warp, 1U << lane));
}

void BlockOrder::before_step(const simt::StepInfo& info) {
  if (info.mask == 0 || !is_fence(*info.instruction)) {
    return;
  }
  const std::uint32_t warp = info.id.warp;
  for_each_lane(info.mask, [&](std::uint32_t lane) {
    flags_.fence(warp * kLanes + lane, thread_clock(warp, lane));
  });
  ++ticks_[warp];
}

bool BlockOrder::access(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (!is_flag_access(*info.instruction)) {
    return false;
  }
  const std::uint32_t warp = info.id.warp;
  const bool releases = releases_in_block(*info.instruction);
  for_each_lane(event.mask, [&](std::uint32_t lane) {
    const std::uint64_t word = event.addresses[lane] / 4;
    if (event.kind != simt::AccessKind::Store) {
      flags_.observe(warp, lane, word);
    }
    if (event.kind != simt::AccessKind::Load) {
      flags_.release(word,
                     releases ? thread_clock(warp, lane) : flags_.fenced(warp * kLanes + lane),
                     event.kind == simt::AccessKind::Store);
    }
  });
  if (event.kind != simt::AccessKind::Load) {
    ++ticks_[warp];  // later accesses of the warp are not released
  }
  return true;
}

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
  ThreadClock last;  // lanes that shared one clock still share one afterwards
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

using simt::AccessAgent;
using simt::AccessKind;
using simt::kLanes;

bool sets_units_to_work(const ptx::Module& module) {
  return std::ranges::any_of(module.functions, [](const ptx::Function& function) {
    return std::ranges::any_of(function.instructions, [](const ptx::Instruction& i) {
      return i.op == ptx::Opcode::BulkCopy || i.op == ptx::Opcode::BulkTensorCopy ||
             i.op == ptx::Opcode::WgmmaMma;
    });
  });
}

void ProxyOrder::before_step(const simt::StepInfo& info, std::uint64_t step) {
  if (info.instruction->op == ptx::Opcode::FenceProxy) {
    simt::for_each_lane(info.mask,
                        [&](std::uint32_t lane) { fences_[info.id.warp * kLanes + lane] = step; });
  }
}

std::uint64_t ProxyOrder::last_fence(std::uint32_t warp, std::uint32_t lanes) const {
  std::uint64_t last = 0;
  simt::for_each_lane(lanes, [&](std::uint32_t lane) {
    const auto found = fences_.find(warp * kLanes + lane);
    last = found == fences_.end() ? last : std::max(last, found->second);
  });
  return last;
}

const WordAccess* ProxyOrder::access(const WordAccess& access, std::uint64_t word) {
  if (access.kind != AccessKind::Load) {
    if (access.agent == AccessAgent::Thread) {
      stores_[word] = access;
    } else {
      stores_.erase(word);
    }
    return nullptr;
  }
  const auto store = stores_.find(word);
  if (access.agent == AccessAgent::Thread || store == stores_.end()) {
    return nullptr;
  }
  // A warp's lanes start a read together: any of them may have executed the fence.
  const std::uint64_t fence =
      std::max(last_fence(store->second.warp, store->second.lanes), last_fence(access.warp, ~0U));
  return fence > store->second.step ? nullptr : &store->second;
}

}  // namespace tilestep::insight
