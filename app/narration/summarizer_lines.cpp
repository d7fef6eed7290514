// What each line of a phase did, and what units did for it.
#include "narration/summarizer.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tilestep::narration {

using simt::AccessKind;

void Summarizer::add_mbarrier(const record::Access& access, const UnitStep& step) {
  const ptx::Mode mode = step.instruction->mode;
  for (std::uint32_t rest = access.event.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address =
        access.event.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    const std::uint32_t allocation = program().locate_array(address, 8).allocation;
    for (Mbarriers* m : {&mbarriers_[allocation], &by_line_[access.line].mbarriers[allocation]}) {
      const bool asks = ptx::asks_mbarrier(mode);
      const bool sets_up = mode == ptx::Mode::MbarInit;
      ++(asks ? m->checks : sets_up ? m->set_up : m->arrivals);
    }
  }
}

// "2 stores to As", "256 numbers of A by the TMA unit".
Pieces Summarizer::traffic_part(const Traffic& t) const {
  const Places of_unit{{"numbers", plain(counted(t.numbers, Noun::Number))},
                       {"array", name(t.allocation)}};
  if (t.agent == simt::AccessAgent::TensorCore) {
    return part("by_tensor_cores", of_unit);
  }
  if (t.agent == simt::AccessAgent::TmaUnit) {
    return part(t.kind == AccessKind::Load ? Say("by_tma_unit") : Say("by_tma_unit_to"), of_unit);
  }
  const Noun noun = t.kind == AccessKind::Load    ? Noun::Read
                    : t.kind == AccessKind::Store ? Noun::Store
                                                  : Noun::Update;
  return part(t.kind == AccessKind::Load    ? Say("reads_of")
              : t.kind == AccessKind::Store ? Say("stores_to")
                                            : Say("updates_of"),
              {{"count", plain(counted(t.numbers, noun))}, {"array", name(t.allocation)}});
}

std::vector<Pieces> Summarizer::mbarrier_parts(
    const std::map<std::uint32_t, Mbarriers>& mbarriers) const {
  const auto array_of = [&](std::uint32_t allocation) {
    return allocation == simt::kNoAllocation ? part("some_mbarrier", {}) : name(allocation);
  };
  std::vector<Pieces> set_up;
  for (const auto& [allocation, m] : mbarriers) {
    if (m.set_up > 0) {
      set_up.push_back(array_of(allocation));
    }
  }
  std::vector<Pieces> parts;
  if (!set_up.empty()) {
    parts.push_back(part("set_up", {{"arrays", listed(set_up)}}));
  }
  for (const auto& [allocation, m] : mbarriers) {
    const Pieces array = array_of(allocation);
    if (m.arrivals > 0) {
      parts.push_back(part(
          "arrivals_at", {{"count", plain(counted(m.arrivals, Noun::Arrival))}, {"array", array}}));
    }
    if (m.checks > 0) {
      parts.push_back(
          part("checks_of", {{"count", plain(counted(m.checks, Noun::Check))}, {"array", array}}));
    }
  }
  return parts;
}

std::vector<PhaseLine> Summarizer::lines() const {
  std::vector<PhaseLine> all;
  for (const auto& [line, of_line] : by_line_) {
    std::vector<Pieces> what;
    std::vector<Pieces> cost;
    std::uint64_t sectors = 0;
    std::uint64_t passes = 0;
    for (const Traffic& t : of_line.traffic) {
      if (t.agent != simt::AccessAgent::Thread) {
        what.push_back(traffic_part(t));
        continue;
      }
      const bool loads = t.kind == AccessKind::Load;
      const bool stores = t.kind == AccessKind::Store;
      const bool is_wide = t.numbers > t.accesses;  // 4 loads of 16 numbers
      what.push_back(part(is_wide ? stores ? Say("accesses_to_numbers") : Say("accesses_of_numbers")
                          : loads ? Say("loads_of")
                          : stores ? Say("stores_to")
                                   : Say("updates_of"),
                          {{"count", plain(counted(t.accesses, loads    ? Noun::Load
                                                               : stores ? Noun::Store
                                                                        : Noun::Update))},
                           {"numbers", plain(counted(t.numbers, Noun::Number))},
                           {"array", name(t.allocation)}}));
      sectors += t.sectors;
      passes += t.passes;
    }
    std::ranges::move(mbarrier_parts(of_line.mbarriers), std::back_inserter(what));
    if (of_line.products > 0) {
      what.push_back(strong(counted(of_line.products, Noun::Product), Hue::Sum));
    }
    if (sectors > 0) {
      cost.push_back(plain(counted(sectors, Noun::Sector)));
    } else if (passes > 0) {
      cost.push_back(plain(counted(passes, Noun::PassNoun)));
    }
    if (of_line.barriers > 0) {
      what.push_back(
          part("all_wait", {{"threads", plain(counted(of_line.waiting(), Noun::Thread))}}));
      cost.push_back(plain(counted(of_line.barriers, Noun::Barrier)));
    }
    if (!what.empty()) {
      all.push_back({line, listed(what), listed(cost)});
    }
  }
  return all;
}

}  // namespace tilestep::narration
