// Barriers, races, faults, prints.
#include "narration/narration_builder.h"
#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::narration {

std::optional<Sentence> NarrationBuilder::barrier() {
  const simt::WarpId own{narrated_.block, own_warp()};
  std::uint32_t arrived = 0;  // of the subject's warp
  std::uint32_t synced = 0;
  for (const record::Activity::Barrier& b : statement_.activity.barriers) {
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
    const bool is_one_warp = synced <= program().warp_size();
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
    const simt::WarpView warp = statement_.after.machine().warp({narrated_.block, w});
    const auto live = static_cast<std::uint32_t>(std::popcount(warp.live));
    all += live;
    waiting += warp.status == simt::WarpStatus::AtBarrier ? live : 0;
  }
  const auto own_live =
      static_cast<std::uint32_t>(std::popcount(statement_.after.machine().warp(own).live));
  if (arrived < own_live) {
    places.emplace_back("threads", strong(fmt::format("{}", arrived)));
    places.emplace_back("all", plain(counted(own_live, Noun::Thread)));
    return say(Kind::Barrier, "barrier_some", places);
  }
  const Meeting* meeting =
      narrated_.run.meeting(statement_.activity.first_step, statement_.activity.last_step);
  const bool open = std::ranges::any_of(statement_.activity.barriers, [&](const auto& b) {
    return b.warp.block == narrated_.block && b.event.action == simt::BarrierAction::Release;
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

// All threads have arrived: what that makes safe.
Sentence NarrationBuilder::met(const Meeting& meeting, Places places) const {
  places.emplace_back("complete", narrated_.roles.arrays(meeting.completes));
  places.emplace_back("free", narrated_.roles.arrays(meeting.frees));
  const bool frees = !meeting.frees.empty();
  if (!meeting.completes.empty()) {
    return say(Kind::Barrier,
               frees                           ? Say("barrier_both")
               : meeting.completes.size() == 1 ? Say("barrier_complete_one")
                                               : Say("barrier_complete"),
               places);
  }
  const record::Phase* phase =
      narrated_.recording.phase_at(narrated_.block, statement_.activity.first_step);
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

// A finding whose second party is in this statement and that concerns the block.
std::optional<Sentence> NarrationBuilder::found() {
  const auto is_narrated = [&](const insight::Party& party) {
    return insight::is_in(party, launch().grid, narrated_.block, statement_.activity.first_step,
                          statement_.activity.last_step);
  };
  for (const insight::Finding& f : statement_.findings) {
    if (f.parties.empty()) {
      continue;
    }
    const insight::Party& last = f.parties.back();
    if (f.takes_effect && is_narrated(f.parties.front())) {
      if (std::optional<Sentence> s = race(f)) {
        return s;
      }
    }
    if (!is_narrated(last)) {
      continue;
    }
    if (std::optional<Sentence> s = race(f)) {
      return s;
    }
    // A place outside an array gets a shorter sentence.
    std::optional<Sentence> s = f.kind == insight::FindingKind::OutOfRange ? fault() : std::nullopt;
    return s ? s
             : say(Kind::Finding, "finding",
                   {{"sentence", plain(f.sentence)},
                    {"line", plain(fmt::format("{}", last.line))}});
  }
  return fault();
}

// A read of an uninitialised element shows no value, whatever bits the machine has.
Places NarrationBuilder::unless_stored(const insight::Finding& f, const insight::Cell& cell,
                                       Places places) const {
  const record::State before = narrated_.recording.state_at(f.parties.front().step);
  const std::uint64_t word = (cell.address - simt::kSharedWindow) / 4;
  if (cell.shared && !before.shared_writer(narrated_.block, word).written) {
    for (auto& [name, pieces] : places) {
      pieces = name == "old" ? strong(plain_text(part("race_nothing", {})), Hue::Fault) : pieces;
    }
  }
  return places;
}

std::optional<Sentence> NarrationBuilder::race(const insight::Finding& f) {
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
    const auto n = number_at(narrated_.recording.state_at(step), narrated_.block, cell->address);
    return strong(n ? number_text(*n) : "?", Hue::Fault);
  };
  const Places places{{"first", name(first)},
                      {"second", name(then)},
                      {"element", strong(f.element, Hue::Fault)},
                      {"old", at(first.step)},
                      {"between", at(first.step + 1)},
                      {"new", at(std::min(then.step + 1, narrated_.recording.step_count()))},
                      {"first_line", plain(fmt::format("{}", first.line))},
                      {"second_line", plain(fmt::format("{}", then.line))}};
  const bool first_reads = *first.access == simt::AccessKind::Load;
  const bool then_reads = *then.access == simt::AccessKind::Load;
  if (f.takes_effect && then.step >= statement_.activity.last_step) {  // the other party is still
                                                                       // to follow
    return say(Kind::Race, first_reads ? Say("race_too_early") : Say("race_ahead"),
               first_reads ? unless_stored(f, *cell, places) : places);
  }
  if (f.takes_effect && first_reads) {
    return say(Kind::Race, "race_too_late", unless_stored(f, *cell, places));
  }
  if (first_reads) {
    return say(Kind::Race, "race_overwrites", places);
  }
  if (!then_reads) {
    return say(Kind::Race, f.same_value ? Say("race_stores_same") : Say("race_stores"), places);
  }
  // A value that was never stored before cannot be lost.
  const record::State before = narrated_.recording.state_at(first.step);
  const bool lost =
      cell->shared &&
      before.shared_writer(narrated_.block, (cell->address - simt::kSharedWindow) / 4).written;
  if (lost) {
    if (std::optional<Sentence> s = wrong_product(then, cell->address, places)) {
      return s;
    }
  }
  return say(Kind::Race, lost ? Say("race_lost") : Say("race_early"), places);
}

// The reader multiplies a wrong value: "6·(−1) instead of 6·9".
std::optional<Sentence> NarrationBuilder::wrong_product(const insight::Party& reader,
                                                        std::uint64_t address,
                                                        Places places) const {
  const problem::Dim3& size = launch().block;
  NarratedStatement other{statement_.before, statement_.after, statement_.activity, 0, {}};
  other.thread = reader.thread.x + size.x * (reader.thread.y + size.y * reader.thread.z);
  const NarrationBuilder builder(narrated_, other);
  const std::optional<Change> c = builder.subject_ == other.thread && builder.executed_count_ > 0
                                      ? builder.change()
                                      : std::nullopt;
  const std::optional<Pieces> product = c ? builder.factors(*c) : std::nullopt;
  const auto is_it = [&](const LaneTouch& t) {
    return t.address == address && t.kind == simt::AccessKind::Load;
  };
  const auto load = std::ranges::find_if(builder.own_, is_it);
  if (!product || load == builder.own_.end()) {
    return std::nullopt;
  }
  const std::string found = plain_text(builder.value(*load));
  const auto old = std::ranges::find_if(places, [](const auto& p) { return p.first == "old"; });
  Pieces should = *product;
  const Hue own_hue = hue(load->allocation);
  const auto wrong = std::ranges::find_if(
      should, [&](const Piece& p) { return p.text == found && p.hue == own_hue; });
  if (wrong == should.end()) {
    return std::nullopt;
  }
  wrong->text = plain_text(old->second);
  places.emplace_back("product", *product);
  places.emplace_back("should", std::move(should));
  return say(Kind::Race, "race_product", places);
}

std::optional<Sentence> NarrationBuilder::fault() {
  for (const record::Activity::Fault& f : statement_.activity.faults) {
    if (f.warp.block != narrated_.block) {
      continue;
    }
    const auto lane =
        static_cast<std::uint32_t>(f.event.mask == 0 ? 0 : std::countr_zero(f.event.mask));
    const std::uint32_t thread = program().thread_of(f.warp, lane);
    const auto known =
        std::ranges::find_if(statement_.findings, [&](const insight::Finding& finding) {
          return finding.kind == insight::finding_kind(f.event.kind) && !finding.parties.empty() &&
                 finding.parties.back().line == f.line;
        });
    Places places{
        {"thread", thread_name(thread)},
        // Code of a header has no line in the kernel.
        {"line", plain(fmt::format("{}", f.line != 0 ? f.line : line_))},
        {"place", strong(place_text(program(), f.event.address, f.event.bytes), Hue::Fault)}};
    const bool has_place = f.event.kind == simt::FaultKind::OutOfRange && f.event.address != 0 &&
                           !plain_text(places.back().second).empty();
    const bool reads = f.event.access == simt::AccessKind::Load;
    if (has_place) {
      return say(known != statement_.findings.end() ? Kind::Finding : Kind::Fault,
                 reads ? Say("fault_read") : Say("fault_store"), places);
    }
    if (known != statement_.findings.end()) {
      places.emplace_back("sentence", plain(known->sentence));
      return say(Kind::Finding, "finding", places);
    }
    return say(Kind::Fault, "fault", places);
  }
  return std::nullopt;
}

std::optional<Sentence> NarrationBuilder::print() {
  const auto lanes = program().warp_size();
  const record::Activity::Print* best = nullptr;
  for (const record::Activity::Print& p : statement_.activity.prints) {
    if (p.warp.block == narrated_.block) {
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
