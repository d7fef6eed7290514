#include "narration/narration_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>

namespace tilestep::narration {

NarrationBuilder::NarrationBuilder(const NarratedBlock& narrated,
                                   const NarratedStatement& statement)
    : narrated_(narrated), statement_(statement), executed_(program().threads_per_block(), false) {
  collect_executed();
  if (executed_count_ == 0) {
    return;
  }
  collect_touches();
  if (statement.before != nullptr) {
    before_.emplace(narrated.recording, narrated.source, *statement.before, narrated.block,
                    subject_);
  }
  after_.emplace(narrated.recording, narrated.source, statement.after, narrated.block, subject_);
}

// The subject is the focus thread if it takes part, otherwise the first thread that does. Counts
// only the threads at its line.
void NarrationBuilder::collect_executed() {
  const auto lanes = program().warp_size();
  std::vector<std::uint32_t> lines(executed_.size(), 0);
  const auto for_each_lane = [&](auto&& f) {
    for (const record::Activity::Executed& e : statement_.activity.executed) {
      for (std::uint32_t rest = e.warp.block == narrated_.block ? e.mask : 0; rest != 0;
           rest &= rest - 1) {
        f(e, e.warp.warp * lanes + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  };
  for_each_lane([&](const record::Activity::Executed& e, std::uint32_t thread) {
    lines[thread] = lines[thread] == 0 ? e.line : lines[thread];
    executed_[thread] = true;
  });
  const auto first = std::ranges::find(executed_, true);
  if (first == executed_.end()) {
    return;
  }
  subject_ = executed_[statement_.thread] ? statement_.thread
                                          : static_cast<std::uint32_t>(first - executed_.begin());
  line_ = lines[subject_];
  std::vector<bool> counted(program().warps_per_block(), false);
  for (std::uint32_t t = 0; t < executed_.size(); ++t) {
    executed_[t] = executed_[t] && lines[t] == line_;
    executed_count_ += executed_[t] ? 1 : 0;
  }
  for_each_lane([&](const record::Activity::Executed& e, std::uint32_t thread) {
    if (executed_[thread] && !counted[e.warp.warp]) {
      counted[e.warp.warp] = true;
      live_ += static_cast<std::uint32_t>(std::popcount(e.live));
    }
  });
}

void NarrationBuilder::collect_touches() {
  std::vector<std::set<std::uint32_t>> threads;
  std::vector<std::set<std::uint64_t>> words;
  for (const record::Access& access : statement_.activity.accesses) {
    const bool shared = access.event.space == ptx::Space::Shared;
    if (access.warp.block != narrated_.block ||
        (!shared && access.event.space != ptx::Space::Global) ||
        access.event.agent != simt::AccessAgent::Thread || is_of_mbarrier(access)) {
      continue;  // narration_builder_units.cpp handles these
    }
    for (std::uint32_t rest = access.event.mask; rest != 0; rest &= rest - 1) {
      add_lane(access, static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  for (const LaneTouch& t : all_) {
    const auto e = element_at(program(), t.address, t.bytes);
    if (!e) {
      continue;
    }
    const std::string name = array_text(program(), *e);
    const auto same = [&](const Group& g) {
      return g.array == name && g.kind == t.kind && g.is_issue == t.is_issue &&
             g.is_arrival == t.is_arrival;
    };
    auto found = std::ranges::find_if(groups_, same);
    if (found == groups_.end()) {
      Group g;
      g.allocation = t.allocation;
      g.kind = t.kind;
      g.shared = t.shared;
      g.is_issue = t.is_issue;
      g.is_arrival = t.is_arrival;
      g.array = name;
      groups_.push_back(std::move(g));
      threads.emplace_back();
      words.emplace_back();
      found = std::prev(groups_.end());
    }
    const auto index = static_cast<std::size_t>(found - groups_.begin());
    const std::uint32_t size =
        std::max(1U, element_bytes(program(), program().arrays()[t.allocation]));
    const std::uint32_t count = std::max(1U, t.bytes / size);
    found->numbers += count;
    found->box.add(e->row, e->col);
    found->box.add(e->row, e->col + count - 1);
    threads[index].insert(t.thread);
    for (std::uint32_t i = 0; i < count; ++i) {
      words[index].insert(t.address + std::uint64_t{i} * size);
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].threads = static_cast<std::uint32_t>(threads[i].size());
    groups_[i].distinct = words[i].size();
  }
}

void NarrationBuilder::add_lane(const record::Access& access, std::uint32_t lane) {
  const simt::MemoryEvent& event = access.event;
  LaneTouch t;
  t.address = event.addresses[lane];
  t.bytes = event.bytes;
  t.step = access.step;
  t.thread = program().thread_of(access.warp, lane);
  t.allocation = program().locate_array(t.address, t.bytes).allocation;
  t.kind = event.kind;
  t.shared = event.space == ptx::Space::Shared;
  t.is_issue = event.is_issue;
  t.is_arrival = event.is_arrival;
  if (t.allocation == simt::kNoAllocation || !executed_[t.thread]) {
    return;
  }
  all_.push_back(t);
  if (t.thread == subject_) {
    own_.push_back(t);
  }
}

Pieces NarrationBuilder::thread_name(std::uint32_t thread) const {
  return plain(insight::thread_name(program().thread_index(thread), launch()));
}

Hue NarrationBuilder::hue(std::uint32_t allocation) const {
  return allocation == simt::kNoAllocation
             ? Hue::None
             : narrated_.roles.hue(program().arrays()[allocation].name);
}

Pieces NarrationBuilder::array(const Group& group) const {
  return strong(group.array, hue(group.allocation));
}

Pieces NarrationBuilder::place(const LaneTouch& touch) const {
  return strong(place_text(program(), touch.address, touch.bytes), hue(touch.allocation));
}

// The value that the access read or stored. A load reads what an earlier store of the same
// statement left, otherwise the previous value.
std::optional<Number> NarrationBuilder::number(const LaneTouch& touch) const {
  const auto stored = [&](const LaneTouch& t) {
    return t.kind != simt::AccessKind::Load && t.address == touch.address && t.step < touch.step &&
           !t.is_issue;
  };
  const bool from_after = touch.kind != simt::AccessKind::Load || statement_.before == nullptr ||
                          std::ranges::any_of(all_, stored);
  return number_at(from_after ? statement_.after : *statement_.before, narrated_.block,
                   touch.address);
}

Pieces NarrationBuilder::value(const LaneTouch& touch) const {
  return each_number(touch, [&](const LaneTouch& one) { return number(one); });
}

Pieces NarrationBuilder::each_number(
    const LaneTouch& touch,
    const std::function<std::optional<Number>(const LaneTouch&)>& number_of) const {
  const std::uint32_t size =
      std::max(1U, element_bytes(program(), program().arrays()[touch.allocation]));
  std::string text;
  for (std::uint32_t at = 0; at < std::max(touch.bytes, size); at += size) {
    LaneTouch one = touch;
    one.address += at;
    one.bytes = size;
    const std::optional<Number> n = number_of(one);
    text += (text.empty() ? "" : ", ") + (n ? number_text(*n) : "?");
  }
  return strong(text, hue(touch.allocation));
}

const LaneTouch* NarrationBuilder::own(simt::AccessKind kind, std::optional<bool> shared,
                                       bool issue, bool arrival) const {
  for (const LaneTouch& t : own_) {
    if (t.kind == kind && (!shared || t.shared == *shared) && t.is_issue == issue &&
        t.is_arrival == arrival) {
      return &t;
    }
  }
  return nullptr;
}

std::vector<const LaneTouch*> NarrationBuilder::all_own(simt::AccessKind kind) const {
  std::vector<const LaneTouch*> found;
  for (const LaneTouch& t : own_) {
    if (t.kind == kind) {
      found.push_back(&t);
    }
  }
  return found;
}

const Group* NarrationBuilder::group_of(const LaneTouch& t) const {
  const auto e = element_at(program(), t.address, t.bytes);
  for (const Group& g : groups_) {
    if (e && g.array == array_text(program(), *e) && g.kind == t.kind && g.is_issue == t.is_issue &&
        g.is_arrival == t.is_arrival) {
      return &g;
    }
  }
  return nullptr;
}

int NarrationBuilder::statement_here(StatementKind kind) const {
  for (const int i : narrated_.source.at(line_)) {
    if (narrated_.source[i].kind == kind) {
      return i;
    }
  }
  return kNoStatement;
}

const SourceStatement* NarrationBuilder::here(StatementKind kind) const {
  const int i = statement_here(kind);
  return i == kNoStatement ? nullptr : &narrated_.source[i];
}

Sentence NarrationBuilder::sentence() {
  if (executed_count_ == 0) {
    return idle();
  }
  if (std::optional<Sentence> s = found()) {
    return std::move(*s);
  }
  if (!executed_[statement_.thread]) {
    if (std::optional<Sentence> s = masked()) {
      return std::move(*s);
    }
  }
  return ordinary();
}

// Barriers, calls, prints, copies and stores are narrated in preference to the line's own text.
std::optional<Sentence> NarrationBuilder::event() {
  using simt::AccessKind;
  if (std::optional<Sentence> s = barrier()) {
    return s;
  }
  if (std::optional<Sentence> s = calls()) {
    return s;
  }
  if (std::optional<Sentence> s = print()) {
    return s;
  }
  if (std::optional<Sentence> s = unit()) {
    return s;
  }
  if (const LaneTouch* t = own(AccessKind::Atomic)) {
    return atomic(*t);
  }
  if (const LaneTouch* t = own(AccessKind::Store, true, false, true)) {
    return copies_land(*t);
  }
  if (const LaneTouch* t = own(AccessKind::Store, true, true)) {
    return copies_start(*t);
  }
  if (const LaneTouch* t = own(AccessKind::Store, false)) {
    return store_global(*t);
  }
  if (const LaneTouch* t = own(AccessKind::Store, true)) {
    return store_shared(*t);
  }
  return std::nullopt;
}

Sentence NarrationBuilder::ordinary() {
  if (std::optional<Sentence> s = event()) {
    return std::move(*s);
  }
  const bool starts_here = line_ != 0 && !narrated_.source.at(line_).empty();
  const int first = starts_here ? narrated_.source.at(line_).front() : kNoStatement;
  const StatementKind kind =
      first == kNoStatement ? StatementKind::Block : narrated_.source[first].kind;
  const bool whole_line =
      starts_here && narrated_.source.at(line_).size() > 1;  // "if (x) y;", "for (…) s += a;"
  // Its instructions of a loop's line are spread over the loop's body, before and after others.
  const bool is_machine_code = program().module().is_machine_code;
  const std::optional<Change> changed = change();
  // Adding 0·0 does not change the sum; the reads of its factors show that it was added.
  const bool may_add =
      changed && (changed->is_new || !whole_line || own(simt::AccessKind::Load) != nullptr);
  std::optional<Sentence> adds = may_add ? product(*changed) : std::nullopt;
  if (!is_machine_code && (!whole_line || !changed || (!changed->is_new && !adds))) {
    switch (kind) {
      case StatementKind::For:
      case StatementKind::While:
        return loop(first);
      case StatementKind::If:
        return guard(first);
      case StatementKind::Function:
        return enter(first);
      case StatementKind::Return:
        return returns(narrated_.source[first]);
      default:
        break;
    }
  }
  if (changed) {
    return adds ? std::move(*adds) : assigned(*changed);
  }
  if (const LaneTouch* t = own(simt::AccessKind::Load)) {
    return load(*t);
  }
  const int function = narrated_.source.function_at(line_);
  if (function != kNoStatement && narrated_.source[function].end_line == line_) {
    return leave(function);
  }
  return goes_on();
}

// The block did not move.
Sentence NarrationBuilder::idle() const {
  const Pieces block =
      capital(plain(insight::block_name(program().block_index(narrated_.block), launch())));
  if (!narrated_.recording.part().holds(narrated_.block)) {
    return say(Kind::Waits, "block_not_recorded", {{"block", block}});
  }
  switch (statement_.after.machine().block_status(narrated_.block)) {
    case simt::BlockStatus::NotStarted:
      return say(Kind::Waits, "block_not_started", {{"block", block}});
    case simt::BlockStatus::Ended:
      return say(Kind::Waits, "block_ended", {{"block", block}});
    case simt::BlockStatus::Stopped:
      return say(Kind::Waits, "block_stopped", {{"block", block}});
    case simt::BlockStatus::Running:
      break;
  }
  return say(Kind::Waits, "block_waits", {{"block", block}});
}

// The statement ends inside another function.
std::optional<Sentence> NarrationBuilder::calls() const {
  if (statement_.before == nullptr) {
    return std::nullopt;
  }
  const simt::WarpId warp{narrated_.block, subject_ / program().warp_size()};
  const std::uint32_t next = statement_.after.line(narrated_.block, subject_);
  const int to = narrated_.source.function_at(next);
  const bool deeper = statement_.after.machine().warp(warp).call_depth >
                      statement_.before->machine().warp(warp).call_depth;
  if (!deeper || next == 0 || to == kNoStatement || to == narrated_.source.function_at(line_)) {
    return std::nullopt;
  }
  return say(Kind::Goes, "calls",
             {{"thread", who()}, {"function", strong(narrated_.source[to].name)}});
}

Sentence NarrationBuilder::goes_on() const {
  if (narrated_.run.waits_for_copies(line_)) {
    return say(Kind::CopyArrival,
               narrated_.run.has_copies_before(statement_.activity.first_step)
                   ? Say("copies_waited")
                   : Say("copies_none"),
               {{"thread", who()}});
  }
  const std::uint32_t next = statement_.after.line(narrated_.block, subject_);
  if (next == 0) {
    return say(Kind::Goes, "ends_at",
               {{"thread", who()}, {"line", plain(fmt::format("{}", line_))}});
  }
  return say(Kind::Goes, next == line_ ? Say("goes_on_there") : Say("goes_on"),
             {{"thread", who()},
              {"line", plain(fmt::format("{}", line_))},
              {"next", plain(fmt::format("{}", next))}});
}

std::vector<Sentence> NarrationBuilder::notes() {
  std::vector<Sentence> all;
  if (executed_count_ == 0) {
    return all;
  }
  if (!executed_[statement_.thread] || found()) {
    all.push_back(ordinary());
  }
  std::ranges::move(landed(), std::back_inserter(all));
  for (const simt::AccessKind kind :
       {simt::AccessKind::Load, simt::AccessKind::Store, simt::AccessKind::Atomic}) {
    if (std::optional<Sentence> s = cost(kind)) {
      all.push_back(std::move(*s));
    }
  }
  return all;
}

std::string NarrationBuilder::lanes_off() const {
  if (executed_count_ == 0 || executed_count_ >= live_) {
    return {};
  }
  return plain_text(
      part("eyebrow_lanes", {{"off", plain(fmt::format("{}", live_ - executed_count_))},
                             {"all", plain(counted(live_, Noun::Lane))}}));
}

}  // namespace tilestep::narration
