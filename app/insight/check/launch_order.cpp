#include "insight/check/launch_order.h"

#include "insight/check/access_log.h"
#include "insight/check/memory_order.h"
#include "simt/state/lane_mask.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

// Whether what some lanes did is ordered before what one of `lanes` does now.
bool precedes(const BlockOrder& order, Stamp stamp, std::uint32_t warp, std::uint32_t of_lanes,
              std::uint32_t here, std::uint32_t lanes) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (order.unordered(stamp, warp, of_lanes, here, lane) != of_lanes) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Which lanes of an access no chain of publications and observations reaches.
class LaunchOrder::Search {
 public:
  Search(const std::vector<Publications>& lists, const WordAccess& earlier, bool with_fences)
      : lists_(lists),
        earlier_(earlier),
        with_fences_(with_fences),
        left_(earlier.lanes),
        followed_(lists.size(), 0) {}

  void follow(const Observation& observation) {
    std::size_t& known = followed_[observation.publications];
    if (left_ == 0 || known >= observation.count) {
      return;
    }
    known = observation.count;
    const Publications& publications = lists_[observation.publications];
    const auto [first, last] = publications.of_block.equal_range(earlier_.block);
    for (auto it = first; it != last; ++it) {
      if (it->second < observation.count) {
        cross_off(publications.all[it->second]);
      }
    }
    for (const std::size_t index : publications.with_seen) {
      if (index < observation.count) {
        for (const Observation& seen : publications.all[index].seen) {
          if (seen.is_fenced || !with_fences_) {
            follow(seen);
          }
        }
      }
    }
  }
  [[nodiscard]] std::uint32_t left() const { return left_; }

 private:
  void cross_off(const Publication& publication) {
    const auto remove = [&](const Knowledge& known) {
      left_ &= known.unordered(earlier_.stamp, earlier_.warp, left_, earlier_.step);
    };
    for (const auto& fence : publication.fences) {
      remove(*fence);
    }
    if (!with_fences_) {
      remove(publication.known);
    }
    if (publication.known.step == earlier_.step) {  // what has been seen is this access
      left_ &= ~publication.known.lanes;
    }
  }

  const std::vector<Publications>& lists_;
  const WordAccess& earlier_;
  bool with_fences_;
  std::uint32_t left_;
  std::vector<std::size_t> followed_;  // by list: how much of it
};

void LaunchOrder::before_step(const simt::StepInfo& info, std::uint64_t step,
                              const BlockOrder& order) {
  if (info.mask != 0 && releases(*info.instruction)) {
    fence({info.id.block, info.id.warp, info.mask, step, order});
  }
}

bool LaunchOrder::access(const simt::StepInfo& info, const simt::MemoryEvent& event,
                         std::uint64_t step, const BlockOrder& order) {
  if (!is_strong_access(*info.instruction)) {
    return false;
  }
  for (std::uint32_t left = event.mask; left != 0;) {
    const std::uint64_t word = event.addresses[std::countr_zero(left)] / 4;
    Actor actor{info.id.block, info.id.warp, 0, step, order};
    simt::for_each_lane(left, [&](std::uint32_t lane) {
      actor.lanes |= event.addresses[lane] / 4 == word ? 1U << lane : 0U;
    });
    left &= ~actor.lanes;
    if (event.kind != simt::AccessKind::Store) {
      observe(actor, word);
    }
    if (event.kind != simt::AccessKind::Load) {
      publish(actor, word, event.kind == simt::AccessKind::Store);
    }
  }
  return true;
}

void LaunchOrder::fence(const Actor& actor) {
  Block& block = blocks_[actor.block];
  const std::uint32_t interval = actor.order.interval();
  if (!block.current.empty() && block.current.front()->stamp.interval < interval) {
    block.earlier = std::move(block.current);
    block.current.clear();
  }
  // A later fence of the same lanes covers whatever this one does.
  std::erase_if(block.current, [&](const auto& known) {
    return known->warp == actor.warp && known->lanes == actor.lanes &&
           precedes(actor.order, known->stamp, actor.warp, known->lanes, actor.warp, actor.lanes);
  });
  block.current.push_back(std::make_shared<const Knowledge>(
      actor.order.knowledge(actor.warp, actor.lanes, actor.step)));
}

void LaunchOrder::publish(const Actor& actor, std::uint64_t word, bool replaces) {
  const auto [place, is_new] = words_.try_emplace(word, lists_.size());
  if (is_new || replaces) {
    place->second = lists_.size();
    lists_.emplace_back();
  }
  Publications& publications = lists_[place->second];
  const Block& block = blocks_[actor.block];
  Publication publication;
  publication.known = actor.order.knowledge(actor.warp, actor.lanes, actor.step);
  publication.fences = block.earlier;
  for (const auto& fence : block.current) {
    if (precedes(actor.order, fence->stamp, fence->warp, fence->lanes, actor.warp, actor.lanes)) {
      publication.fences.push_back(fence);
    }
  }
  for (const Observation& observation : block.observations) {
    if (observation.publications != place->second &&
        precedes(actor.order, observation.stamp, observation.warp, observation.lanes, actor.warp,
                 actor.lanes)) {
      publication.seen.push_back(observation);
      publication.seen.back().is_fenced =
          std::ranges::any_of(publication.fences, [&](const auto& fence) {
            return fence->unordered(observation.stamp, observation.warp, observation.lanes,
                                    observation.step) != observation.lanes;
          });
    }
  }
  const std::size_t index = publications.all.size();
  publications.of_block.emplace(actor.block, index);
  if (!publication.seen.empty()) {
    publications.with_seen.push_back(index);
  }
  publications.all.push_back(std::move(publication));
}

void LaunchOrder::observe(const Actor& actor, std::uint64_t word) {
  const auto found = words_.find(word);
  if (found == words_.end()) {
    return;
  }
  const std::size_t count = lists_[found->second].all.size();
  std::vector<Observation>& observations = blocks_[actor.block].observations;
  const bool is_known = std::ranges::any_of(observations, [&](const Observation& o) {
    return o.publications == found->second && o.count == count && o.warp == actor.warp &&
           (actor.lanes & ~o.lanes) == 0;
  });
  if (!is_known) {
    observations.push_back(
        {actor.order.now(actor.warp), actor.warp, actor.lanes, actor.step, found->second, count});
  }
}

std::uint32_t LaunchOrder::unordered(const WordAccess& earlier, const WordAccess& now,
                                     const BlockOrder& order, bool with_fences) const {
  Search search(lists_, earlier, with_fences);
  const auto here = blocks_.find(now.block);
  if (here == blocks_.end()) {
    return earlier.lanes;
  }
  for (const Observation& observation : here->second.observations) {
    if (precedes(order, observation.stamp, observation.warp, observation.lanes, now.warp,
                 now.lanes)) {
      search.follow(observation);
    }
  }
  return search.left();
}

}  // namespace tilestep::insight
