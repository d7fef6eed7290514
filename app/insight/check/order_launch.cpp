#include "insight/check/order.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

// Whether everything that some lanes did is ordered before what one of `lanes` does now.
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

// Number of blocks that a word of global memory remembers as readers. Two are enough: a store then
// conflicts with one of another block.
constexpr std::size_t kReadingBlocks = 3;

bool same_instruction(const WordAccess& a, const WordAccess& b) {
  return a.block == b.block && a.warp == b.warp && a.stamp == b.stamp && a.line == b.line &&
         a.kind == b.kind && a.bytes == b.bytes;
}

}  // namespace

// Finds the lanes of an access that no chain of publications and observations reaches.
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
    if (publication.known.step == earlier_.step) {  // the observed value is this access
      left_ &= ~publication.known.lanes;
    }
  }

  const std::vector<Publications>& lists_;
  const WordAccess& earlier_;
  bool with_fences_;
  std::uint32_t left_;
  std::vector<std::size_t> followed_;  // by list: publications already followed
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
  // A later fence of the same lanes covers everything that this one covers.
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

CopyPart copy_part(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.is_issue) {
    return CopyPart::Issue;
  }
  if (!event.is_arrival || event.kind == simt::AccessKind::Load) {
    return CopyPart::None;
  }
  if (event.agent == simt::AccessAgent::TmaUnit) {
    return CopyPart::Arrival;
  }
  const ptx::Opcode op = info.instruction->op;
  const bool waits = op == ptx::Opcode::CpAsyncWait || op == ptx::Opcode::CpAsyncMbarrier;
  return waits ? CopyPart::Arrival : CopyPart::Exit;
}

bool store_the_same(const WordAccess& a, const WordAccess& b) {
  if (!a.value || !b.value) {
    return false;
  }
  std::uint32_t covered = 0;
  for (int byte = 0; byte < 4; ++byte) {
    covered |= (a.bytes & b.bytes & 1U << byte) != 0 ? 0xffU << byte * 8 : 0U;
  }
  return ((*a.value ^ *b.value) & covered) == 0;
}

const WordAccess* WordLog::find_race(const WordAccess& access, const BlockOrder& order,
                                     const LaunchOrder& launch, std::uint32_t& racing_lanes) const {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
  for (const WordAccess& earlier : accesses_) {
    if (!in_conflict(earlier, access) || (earlier.bytes & access.bytes) == 0) {
      continue;
    }
    racing_lanes =
        earlier.block != access.block
            ? earlier.lanes
            : order.unordered(earlier.stamp, earlier.warp, earlier.lanes, access.warp, lane);
    racing_lanes = racing_lanes == 0 ? 0 : racing_lanes & launch.unordered(earlier, access, order);
    if (racing_lanes != 0) {
      return &earlier;
    }
  }
  return nullptr;
}

const WordAccess* WordLog::copy_under_way(const WordAccess& access) const {
  const auto copy = std::ranges::find_if(
      copies_, [&](const WordAccess& c) { return (c.bytes & access.bytes) != 0; });
  return copy == copies_.end() ? nullptr : &*copy;
}

void WordLog::arrive(WordAccess arrival) {
  const auto copy = std::ranges::find_if(copies_, [&](const WordAccess& c) {
    return c.warp == arrival.warp && c.lanes == arrival.lanes && c.bytes == arrival.bytes;
  });
  if (copy != copies_.end()) {
    arrival.line = copy->line;
    arrival.step = copy->step;
    arrival.issued = copy->stamp;
    copies_.erase(copy);
  }
  add_store(arrival);
}

void WordLog::add_store(const WordAccess& store) {
  // Earlier accesses to the stored bytes are ordered before this store, or were reported against
  // it.
  std::erase_if(accesses_, [&](const WordAccess& a) { return (a.bytes & ~store.bytes) == 0; });
  accesses_.push_back(store);
}

void WordLog::add(const WordAccess& access) {
  if (access.copy == CopyPart::Arrival) {
    arrive(access);
    return;
  }
  if (access.copy == CopyPart::Issue) {
    copies_.push_back(access);
  }
  if (access.kind != simt::AccessKind::Load) {
    written_ |= access.bytes;
  }
  if (access.kind == simt::AccessKind::Store) {
    add_store(access);
    return;
  }
  for (WordAccess& known : accesses_) {
    if (same_instruction(known, access)) {
      known.lanes |= access.lanes;
      return;
    }
  }
  add_read(access);
}

void WordLog::add_read(const WordAccess& access) {
  // This read makes older reads of the same block redundant.
  std::erase_if(accesses_, [&](const WordAccess& a) {
    return a.kind == access.kind && a.block == access.block &&
           a.stamp.interval < access.stamp.interval && a.bytes == access.bytes;
  });
  std::vector<std::uint32_t> blocks{access.block};
  for (auto it = accesses_.rbegin(); it != accesses_.rend(); ++it) {
    if (it->kind == access.kind && std::ranges::find(blocks, it->block) == blocks.end()) {
      blocks.push_back(it->block);
    }
  }
  if (blocks.size() > kReadingBlocks) {
    blocks.resize(kReadingBlocks);
    std::erase_if(accesses_, [&](const WordAccess& a) {
      return a.kind == access.kind && std::ranges::find(blocks, a.block) == blocks.end();
    });
  }
  accesses_.push_back(access);
}

void WordLog::enter_interval(std::uint32_t interval) {
  if (interval != interval_) {
    interval_ = interval;
    accesses_.clear();
  }
}

}  // namespace tilestep::insight
