// Barriers, races, faults, prints.
#include "insight/names.h"
#include "narration/narration_builder.h"
#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::narration {

std::optional<Sentence> Teller::barrier() {
  const simt::WarpId own{scene_.block, own_warp()};
  std::uint32_t arrived = 0;  // of the subject's warp
  std::uint32_t synced = 0;
  for (const record::Activity::Barrier& b : told_.statement.barriers) {
    if (!(b.warp == own) || b.event.id >= simt::kFirstMbarrier) {
      continue;
    }
    const auto lanes = static_cast<std::uint32_t>(std::popcount(b.event.mask));
    arrived += b.event.action == simt::BarrierAction::Arrive ? lanes : 0;
    synced += b.event.action == simt::BarrierAction::WarpSync ? lanes : 0;
  }
  if (arrived == 0 && synced == 0) {
    return std::nullopt;
  }
  Places places{{"thread", who()}, {"line", plain(fmt::format("{}", line_))}};
  if (arrived == 0) {
    const bool is_one_warp = synced <= static_cast<std::uint32_t>(program().warp_size());
    if (!is_one_warp) {
      places.emplace_back("threads", plain(counted(synced, Noun::Thread)));
      return say(Kind::Barrier, "warps_barrier", places);
    }
    places.emplace_back("lanes", plain(counted(synced, Noun::Lane)));
    return say(Kind::Barrier, "warp_barrier", places);
  }
  std::uint32_t all = 0;
  std::uint32_t waiting = 0;
  for (std::uint32_t w = 0; w < program().warps_per_block(); ++w) {
    const simt::WarpView warp = told_.after.machine().warp({scene_.block, w});
    const auto live = static_cast<std::uint32_t>(std::popcount(warp.live));
    all += live;
    waiting += warp.status == simt::WarpStatus::AtBarrier ? live : 0;
  }
  const auto own_live =
      static_cast<std::uint32_t>(std::popcount(told_.after.machine().warp(own).live));
  if (arrived < own_live) {
    places.emplace_back("threads", strong(fmt::format("{}", arrived)));
    places.emplace_back("all", plain(counted(own_live, Noun::Thread)));
    return say(Kind::Barrier, "barrier_some", places);
  }
  const Meeting* meeting =
      scene_.run.meeting(told_.statement.first_step, told_.statement.last_step);
  const bool open = std::any_of(
      told_.statement.barriers.begin(), told_.statement.barriers.end(), [&](const auto& b) {
        return b.warp.block == scene_.block && b.event.action == simt::BarrierAction::Release;
      });
  if (meeting == nullptr && open) {
    places.emplace_back("all", strong(fmt::format("{}", all)));
    return say(Kind::Barrier, "barrier_all", places);
  }
  if (meeting == nullptr) {
    places.emplace_back("threads", plain(counted(waiting, Noun::Thread)));
    places.emplace_back("missing", plain(counted(all > waiting ? all - waiting : 0, Noun::Thread)));
    return say(Kind::Barrier, "barrier_waits", places);
  }
  if (all == 1) {
    return say(Kind::Barrier, "barrier_alone", places);
  }
  places.emplace_back("all", strong(fmt::format("{}", all)));
  return met(*meeting, std::move(places));
}

// Everybody is there: what that makes safe.
Sentence Teller::met(const Meeting& meeting, Places places) const {
  places.emplace_back("complete", scene_.roles.arrays(meeting.completes));
  places.emplace_back("free", scene_.roles.arrays(meeting.frees));
  const bool frees = !meeting.frees.empty();
  if (!meeting.completes.empty()) {
    return say(Kind::Barrier,
               frees                           ? Say("barrier_both")
               : meeting.completes.size() == 1 ? Say("barrier_complete_one")
                                               : Say("barrier_complete"),
               places);
  }
  const record::Phase* phase = scene_.recording.phase_at(scene_.block, told_.statement.first_step);
  const bool tile = phase != nullptr && phase->tile >= 0 &&
                    (phase->kind == record::PhaseKind::Multiply ||
                     phase->kind == record::PhaseKind::LoadAndMultiply);
  if (tile) {
    places.emplace_back("tile", plain(fmt::format("{}", phase->tile)));
  }
  if (frees) {
    return say(Kind::Barrier, tile ? Say("barrier_frees_tile") : Say("barrier_frees"), places);
  }
  return say(Kind::Barrier, tile ? Say("barrier_last_tile") : Say("barrier_plain"), places);
}

// A finding whose second half is in this statement and concerns the block.
std::optional<Sentence> Teller::found() {
  const auto is_told = [&](const insight::Party& party) {
    return insight::is_in(party, launch().grid, scene_.block, told_.statement.first_step,
                          told_.statement.last_step);
  };
  for (const insight::Finding& f : told_.findings) {
    if (f.parties.empty()) {
      continue;
    }
    const insight::Party& last = f.parties.back();
    if (f.strikes && is_told(f.parties.front())) {
      if (std::optional<Sentence> s = race(f)) {
        return s;
      }
    }
    if (!is_told(last)) {
      continue;
    }
    if (std::optional<Sentence> s = race(f)) {
      return s;
    }
    // A place outside of an array is told shorter.
    std::optional<Sentence> s = f.kind == insight::FindingKind::OutOfRange ? fault() : std::nullopt;
    return s ? s
             : say(Kind::Finding, "finding",
                   {{"sentence", plain(f.sentence)},
                    {"line", plain(fmt::format("{}", last.line))}});
  }
  return fault();
}

// What is read where nobody has stored anything is nothing, whatever the machine's bits are.
Places Teller::unless_stored(const insight::Finding& f, const insight::Cell& cell,
                             Places places) const {
  const record::State before = scene_.recording.state_at(f.parties.front().step);
  const std::uint64_t word = (cell.address - simt::kSharedWindow) / 4;
  if (cell.shared && !before.shared_writer(scene_.block, word).written) {
    for (auto& [name, pieces] : places) {
      pieces = name == "old" ? strong(plain_text(part("race_nothing", {})), Hue::Fault) : pieces;
    }
  }
  return places;
}

std::optional<Sentence> Teller::race(const insight::Finding& f) {
  if ((f.kind != insight::FindingKind::SharedRace && f.kind != insight::FindingKind::GlobalRace) ||
      f.parties.size() != 2) {
    return std::nullopt;
  }
  const insight::Party& first = f.parties[0];
  const insight::Party& then = f.parties[1];
  const auto cell = insight::find_cell(program(), f.element);
  if (!cell || !first.access || !then.access) {
    return std::nullopt;
  }
  const auto name = [&](const insight::Party& p) {
    return plain(first.block == then.block ? insight::thread_name(p.thread, launch())
                                           : insight::thread_of_block(p.thread, p.block, launch()));
  };
  const auto at = [&](std::uint64_t step) {
    const auto n = number_at(scene_.recording.state_at(step), scene_.block, cell->address);
    return strong(n ? number_text(*n) : "?", Hue::Fault);
  };
  const Places places{{"first", name(first)},
                      {"second", name(then)},
                      {"element", strong(f.element, Hue::Fault)},
                      {"old", at(first.step)},
                      {"between", at(first.step + 1)},
                      {"new", at(std::min(then.step + 1, scene_.recording.step_count()))},
                      {"first_line", plain(fmt::format("{}", first.line))},
                      {"second_line", plain(fmt::format("{}", then.line))}};
  const bool first_reads = *first.access == simt::AccessKind::Load;
  const bool then_reads = *then.access == simt::AccessKind::Load;
  if (f.strikes && then.step >= told_.statement.last_step) {  // the other one is still to come
    return say(Kind::Race, first_reads ? Say("race_too_early") : Say("race_ahead"),
               first_reads ? unless_stored(f, *cell, places) : places);
  }
  if (f.strikes && first_reads) {
    return say(Kind::Race, "race_too_late", unless_stored(f, *cell, places));
  }
  if (first_reads) {
    return say(Kind::Race, "race_overwrites", places);
  }
  if (!then_reads) {
    return say(Kind::Race, f.same_value ? Say("race_stores_same") : Say("race_stores"), places);
  }
  // A value that was never stored before cannot be lost.
  const record::State before = scene_.recording.state_at(first.step);
  const bool lost =
      cell->shared &&
      before.shared_writer(scene_.block, (cell->address - simt::kSharedWindow) / 4).written;
  if (lost) {
    if (std::optional<Sentence> s = wrong_product(then, cell->address, places)) {
      return s;
    }
  }
  return say(Kind::Race, lost ? Say("race_lost") : Say("race_early"), places);
}

// The reader multiplies what it should not have found: "6·(−1) instead of 6·9".
std::optional<Sentence> Teller::wrong_product(const insight::Party& reader, std::uint64_t address,
                                              Places places) const {
  const problem::Dim3& size = launch().block;
  Told told{told_.before, told_.after, told_.statement, 0, {}};
  told.thread = reader.thread.x + size.x * (reader.thread.y + size.y * reader.thread.z);
  const Teller teller(scene_, told);
  const std::optional<Change> c =
      teller.subject_ == told.thread && teller.executed_count_ > 0 ? teller.change() : std::nullopt;
  const std::optional<Pieces> product = c ? teller.factors(*c) : std::nullopt;
  const auto is_it = [&](const LaneTouch& t) {
    return t.address == address && t.kind == simt::AccessKind::Load;
  };
  const auto load = std::find_if(teller.own_.begin(), teller.own_.end(), is_it);
  if (!product || load == teller.own_.end()) {
    return std::nullopt;
  }
  const std::string found = plain_text(teller.value(*load));
  const auto old =
      std::find_if(places.begin(), places.end(), [](const auto& p) { return p.first == "old"; });
  Pieces should = *product;
  const Hue own_hue = hue(load->allocation);
  const auto wrong = std::find_if(should.begin(), should.end(), [&](const Piece& p) {
    return p.text == found && p.hue == own_hue;
  });
  if (wrong == should.end()) {
    return std::nullopt;
  }
  wrong->text = plain_text(old->second);
  places.emplace_back("product", *product);
  places.emplace_back("should", std::move(should));
  return say(Kind::Race, "race_product", places);
}

std::optional<Sentence> Teller::fault() {
  for (const record::Activity::Fault& f : told_.statement.faults) {
    if (f.warp.block != scene_.block) {
      continue;
    }
    const auto lane =
        static_cast<std::uint32_t>(f.event.mask == 0 ? 0 : std::countr_zero(f.event.mask));
    const std::uint32_t thread =
        f.warp.warp * static_cast<std::uint32_t>(program().warp_size()) + lane;
    const auto known = std::find_if(
        told_.findings.begin(), told_.findings.end(), [&](const insight::Finding& finding) {
          return finding.kind == insight::finding_kind(f.event.kind) && !finding.parties.empty() &&
                 finding.parties.back().line == f.line;
        });
    Places places{
        {"thread", thread_name(thread)},
        // Code of a header has no line of the kernel's.
        {"line", plain(fmt::format("{}", f.line != 0 ? f.line : line_))},
        {"place", strong(place_text(program(), f.event.address, f.event.bytes), Hue::Fault)}};
    const bool has_place = f.event.kind == simt::FaultKind::OutOfRange && f.event.address != 0 &&
                           !plain_text(places.back().second).empty();
    const bool reads = f.event.access == simt::AccessKind::Load;
    if (has_place) {
      return say(known != told_.findings.end() ? Kind::Finding : Kind::Fault,
                 reads ? Say("fault_read") : Say("fault_store"), places);
    }
    if (known != told_.findings.end()) {
      places.emplace_back("sentence", plain(known->sentence));
      return say(Kind::Finding, "finding", places);
    }
    return say(Kind::Fault, "fault", places);
  }
  return std::nullopt;
}

std::optional<Sentence> Teller::print() {
  const auto lanes = static_cast<std::uint32_t>(program().warp_size());
  const record::Activity::Print* best = nullptr;
  for (const record::Activity::Print& p : told_.statement.prints) {
    if (p.warp.block == scene_.block) {
      best = best == nullptr || p.warp.warp * lanes + p.lane == subject_ ? &p : best;
    }
  }
  if (best == nullptr) {
    return std::nullopt;
  }
  return say(Kind::Print, "prints",
             {{"thread", thread_name(best->warp.warp * lanes + best->lane)},
              {"text", strong(std::string(trimmed(best->text)))}});
}

}  // namespace tilestep::narration
