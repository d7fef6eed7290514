// Loads, stores, copies, atomics, and their cost in memory.
#include "insight/count/counters.h"
#include "narration/narration_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace tilestep::narration {

using simt::AccessKind;

// Stores of the group that store 0 although their thread read nothing: beyond an edge.
std::uint64_t NarrationBuilder::zeros(const Group& group) const {
  std::uint64_t count = 0;
  for (const LaneTouch& t : all_) {
    if (t.kind != AccessKind::Store || !t.shared || t.allocation != group.allocation ||
        t.is_issue != group.is_issue || t.is_arrival != group.is_arrival) {
      continue;
    }
    const bool read = std::ranges::any_of(all_, [&](const LaneTouch& l) {
      return l.kind == AccessKind::Load && l.thread == t.thread && l.step < t.step && !l.shared;
    });
    const std::optional<Number> n = read ? std::nullopt : number(t);
    count += n && n->as_real() == 0.0 ? 1 : 0;
  }
  return count;
}

// The action of a single thread needs no count.
Sentence NarrationBuilder::alone(Kind kind, Say row, const Places& places, std::uint32_t threads) {
  Sentence s = say(kind, row, places);
  if (threads == 1) {
    s.long_form = s.short_form;
  }
  return s;
}

std::optional<Pieces> NarrationBuilder::computed_store() const {
  const std::optional<Change> c = change();
  if (!c || !c->after || !before_ || !c->assignment->value) {
    return std::nullopt;
  }
  Pieces text =
      equation(*c->assignment, c->target, *c->after, *before_, narrated_.roles.hue_of(line_));
  const std::string plain = plain_text(text);
  const bool computes =
      plain.find(" = ") != plain.rfind(" = ") || plain.find("≈") != std::string::npos;
  return computes ? std::optional(std::move(text)) : std::nullopt;
}

// A store whose line itself computes the stored value.
std::optional<Sentence> NarrationBuilder::store_by_equation(Kind kind, const Group* to) const {
  const std::optional<Pieces> equation = to == nullptr ? std::nullopt : computed_store();
  if (!equation) {
    return std::nullopt;
  }
  return alone(kind, "shared_computed",
               {{"threads", plain(counted(to->threads, Noun::Thread))},
                {"numbers", plain(counted(to->numbers, Noun::Number))},
                {"to", array(*to)},
                {"thread", who()},
                {"equation", *equation}},
               to->threads);
}

Sentence NarrationBuilder::store_shared(const LaneTouch& store) {
  const Group* to = group_of(store);
  const std::uint32_t count = to == nullptr ? 1 : to->threads;
  const LaneTouch* from = own(AccessKind::Load, false);
  const auto loaded = std::ranges::find_if(
      groups_, [](const Group& g) { return g.kind == AccessKind::Load && !g.shared; });
  const std::uint64_t empty = to == nullptr ? 0 : zeros(*to);
  if (const auto sentence = store_by_equation(Kind::SharedStore, to)) {
    return *sentence;
  }
  Places places{{"threads", plain(counted(count, Noun::Thread))},
                {"thread", who()},
                {"to", to == nullptr ? place(store) : array(*to)},
                {"target", place(store)},
                {"value", value(store)}};
  const bool is_tile = to != nullptr && hue(to->allocation) != Hue::None;
  if (to == nullptr || (loaded == groups_.end() && (!is_tile || empty < to->numbers))) {
    places.emplace_back("numbers", plain(counted(to == nullptr ? 1 : to->numbers, Noun::Number)));
    return alone(Kind::SharedStore, "shared_store", places, count);
  }
  if (loaded == groups_.end()) {
    return alone(Kind::SharedStore, "tile_zeros", places, count);
  }
  places.emplace_back("from", array(*loaded));
  places.emplace_back("numbers", plain(counted(loaded->numbers, Noun::Number)));
  places.emplace_back("zeros", plain(counted(empty, Noun::Zero)));
  const bool goes_outside =
      std::ranges::any_of(statement_.activity.faults, [&](const record::Activity::Fault& f) {
        return f.warp.block == narrated_.block && f.event.kind == simt::FaultKind::OutOfRange &&
               f.event.access == AccessKind::Load;
      });
  if (goes_outside) {
    return alone(Kind::SharedStore, "tile_outside", places, count);
  }
  if (from != nullptr) {
    places.emplace_back("source", place(*from));
    return alone(Kind::SharedStore, empty > 0 ? Say("tile_part") : Say("tile_copy"), places, count);
  }
  return alone(Kind::SharedStore, "tile_zero", places, count);
}

Sentence NarrationBuilder::store_global(const LaneTouch& store) {
  const Group* to = group_of(store);
  const std::uint32_t count = to == nullptr ? 1 : to->threads;
  const bool sums = hue(store.allocation) == Hue::Sum && narrated_.roles.is_product();
  if (const auto sentence = store_by_equation(Kind::Store, to)) {
    return *sentence;
  }
  const Places places{{"threads", plain(counted(to == nullptr ? 1 : to->threads, Noun::Thread))},
                      {"numbers", plain(counted(to == nullptr ? 1 : to->numbers, Noun::Number))},
                      {"to", to == nullptr ? place(store) : array(*to)},
                      {"thread", who()},
                      {"target", place(store)},
                      {"value", value(store)}};
  return alone(Kind::Store, sums ? Say("store_sums") : Say("store_values"), places, count);
}

Sentence NarrationBuilder::load(const LaneTouch& load) {
  const Group* from = group_of(load);
  return alone(Kind::Load, load.shared ? Say("load_shared") : Say("load_global"),
               {{"threads", plain(counted(from == nullptr ? 1 : from->threads, Noun::Thread))},
                {"numbers", plain(counted(from == nullptr ? 1 : from->numbers, Noun::Number))},
                {"from", from == nullptr ? place(load) : array(*from)},
                {"thread", who()},
                {"source", place(load)},
                {"value", value(load)}},
               from == nullptr ? 1 : from->threads);
}

Sentence NarrationBuilder::copies_start(const LaneTouch& copy) {
  const Group* to = group_of(copy);
  const LaneTouch* from = own(AccessKind::Load, false);
  Places places{{"copies", plain(counted(to == nullptr ? 1 : to->threads, Noun::Copy))},
                {"to", to == nullptr ? place(copy) : array(*to)},
                {"thread", who()},
                {"target", place(copy)}};
  if (from == nullptr) {
    return say(Kind::CopyStart, "copies_start_zero", places);
  }
  places.emplace_back("source", place(*from));
  places.emplace_back("value", value(*from));
  return say(Kind::CopyStart, "copies_start", places);
}

Sentence NarrationBuilder::copies_land(const LaneTouch& copy) {
  std::vector<Pieces> arrays;
  std::uint64_t numbers = 0;
  for (const Group& g : groups_) {
    if (g.is_arrival) {
      arrays.push_back(array(g));
      numbers += g.numbers;
    }
  }
  return say(Kind::CopyArrival, "copies_land",
             {{"numbers", plain(counted(numbers, Noun::Number))},
              {"to", listed(arrays)},
              {"thread", who()},
              {"target", place(copy)},
              {"value", value(copy)}});
}

Sentence NarrationBuilder::atomic(const LaneTouch& update) {
  std::uint64_t same = 0;
  for (const LaneTouch& t : all_) {
    same += t.kind == AccessKind::Atomic && t.address == update.address ? 1 : 0;
  }
  const auto in = [&](const record::State* state) {
    return each_number(update, [&](const LaneTouch& one) {
      return state == nullptr ? std::nullopt : number_at(*state, narrated_.block, one.address);
    });
  };
  const Places places{{"thread", who()},
                      {"threads", plain(counted(same, Noun::Thread))},
                      {"target", place(update)},
                      {"before", in(statement_.before)},
                      {"after", in(&statement_.after)}};
  // Updates of all blocks are between `before` and `after`.
  const auto reaches = [&](const record::Access& a) {
    for (std::uint32_t rest = a.event.mask; rest != 0; rest &= rest - 1) {
      if (a.event.addresses[static_cast<std::uint32_t>(std::countr_zero(rest))] == update.address) {
        return true;
      }
    }
    return false;
  };
  const bool by_others =
      !update.shared && std::ranges::any_of(statement_.activity.accesses, [&](const auto& a) {
        return a.warp.block != narrated_.block && a.event.kind == AccessKind::Atomic && reaches(a);
      });
  return say(Kind::Atomic,
             by_others  ? Say("atomic_blocks")
             : same > 1 ? Say("atomic_many")
                        : Say("atomic_one"),
             places);
}

// The most expensive access of a kind by the subject's warp: bank conflicts, wasted sectors.
std::optional<Sentence> NarrationBuilder::cost(AccessKind kind) {
  const auto warp = subject_ / program().warp_size();
  const record::Access* worst = nullptr;
  insight::AccessPattern pattern;
  std::uint64_t waste = 0;
  for (const record::Access& a : statement_.activity.accesses) {
    const bool shared = a.event.space == ptx::Space::Shared;
    if (a.warp.block != narrated_.block || a.warp.warp != warp || a.event.kind != kind ||
        a.event.is_arrival || a.event.agent != simt::AccessAgent::Thread ||
        (!shared && a.event.space != ptx::Space::Global)) {
      continue;
    }
    const insight::AccessPattern p = insight::make_pattern(a.event);
    const std::uint64_t more = insight::waste_of(p, a.event);
    if (more > waste) {
      waste = more;
      worst = &a;
      pattern = p;
    }
  }
  if (worst == nullptr) {
    return std::nullopt;
  }
  const std::uint64_t first = insight::first_address(worst->event);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(worst->event.mask));
  const auto e = element_at(program(), first, worst->event.bytes);
  const Pieces name = e ? strong(array_text(program(), *e), hue(e->allocation)) : plain("?");
  if (pattern.shared) {
    std::uint64_t words = 0;
    std::set<std::int64_t> banks;
    for (const insight::ByteRun& run : pattern.runs) {
      words += (run.bytes + 3) / 4;
      for (std::uint32_t at = 0; at < run.bytes; at += 4) {
        banks.insert((static_cast<std::int64_t>(first) + run.first + at) / 4 % 32);
      }
    }
    return say(Kind::Conflict,
               kind == AccessKind::Load ? Say("conflict_load") : Say("conflict_store"),
               {{"array", name},
                {"words", plain(counted(words, Noun::Word))},
                {"banks", plain(fmt::format("{}", banks.size()))},
                {"degree", plain(fmt::format("{}", pattern.degree))},
                {"passes", strong(counted(pattern.wavefronts, Noun::PassNoun), Hue::Fault)}});
  }
  return say(Kind::Uncoalesced,
             kind == AccessKind::Load ? Say("sectors_load") : Say("sectors_store"),
             {{"array", name},
              {"lanes", plain(counted(lanes, Noun::Lane))},
              {"sectors", strong(counted(pattern.sectors[first % 32], Noun::Sector), Hue::Fault)},
              {"ideal", plain(fmt::format("{}", pattern.ideal_sectors))}});
}

}  // namespace tilestep::narration
