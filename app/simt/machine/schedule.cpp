#include "simt/machine/schedule.h"

#include "problem/values/random.h"
#include "simt/machine/program.h"
#include "simt/machine/schedule_impl.h"

#include <algorithm>
#include <utility>

namespace tilestep::simt {
namespace {

[[nodiscard]] bool is_ready(const MachineState& machine, WarpId id) {
  if (machine.statuses[id.block] != BlockStatus::Running) {
    return machine.statuses[id.block] == BlockStatus::NotStarted;
  }
  return machine.blocks[id.block]->warps[id.warp].status == WarpStatus::Ready;
}

[[nodiscard]] std::optional<std::uint32_t> first_ready(const MachineState& machine,
                                                       std::uint32_t block) {
  if (machine.statuses[block] != BlockStatus::Running) {
    return is_ready(machine, {block, 0}) ? std::optional{0U} : std::nullopt;
  }
  const std::vector<Warp>& warps = machine.blocks[block]->warps;
  const auto found = std::ranges::find_if(
      warps, [](const Warp& warp) { return warp.status == WarpStatus::Ready; });
  return found == warps.end() ? std::nullopt
                              : std::optional{static_cast<std::uint32_t>(found - warps.begin())};
}

}  // namespace

Moves moves_of(const MachineState& state, WarpId id) {
  const Block* const block = state.blocks[id.block].get();
  if (block != nullptr) {
    return {block->warps[id.warp].arrivals, block->warps[id.warp].yields};
  }
  return state.statuses[id.block] == BlockStatus::NotStarted ? Moves{} : Moves{Moves::kGone, 0};
}

WarpId Scheduler::Impl::pick(Machine& machine, Observer* observer) {
  switch (schedule.kind) {
    case ScheduleKind::Lockstep:
      return pick_in_round(machine, observer);
    case ScheduleKind::Random:
      return pick_at_random(machine, observer);
    case ScheduleKind::OnSm:
      return pick_on_sm(machine, observer);
    default:
      return pick_in_order(machine, observer);
  }
}

std::optional<std::uint32_t> Scheduler::Impl::choose_warp(const MachineState& machine) const {
  const std::uint32_t ahead = std::min(schedule.run_ahead_warp, warps - 1);
  if (schedule.kind == ScheduleKind::RunAhead && is_ready(machine, {block, ahead})) {
    return ahead;
  }
  return first_ready(machine, block);
}

// The next ready warp after the last one that moved, cyclically; not that one itself.
std::optional<WarpId> Scheduler::Impl::next_in_turn(const MachineState& state) const {
  for (std::uint64_t k = 1; k < all; ++k) {
    const WarpId other = id((linear(last) + k) % all);
    if (is_ready(state, other)) {
      return other;
    }
  }
  return std::nullopt;
}

WarpId Scheduler::Impl::pick_in_order(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  if (std::exchange(gives_way, false)) {
    if (const auto other = next_in_turn(state)) {
      block = other->block;
      choose = false;
      return *other;
    }
  }
  const BlockPart part = state.statuses.part();
  for (block = std::max(block, part.first);; block = part.first) {
    for (; block < part.last; ++block, choose = true) {
      if (!choose && last.block == block && is_ready(state, last)) {
        return last;
      }
      if (const auto warp = choose_warp(state)) {
        choose = false;
        return WarpId{block, *warp};
      }
      if (state.statuses[block] == BlockStatus::Running) {
        machine.stop_deadlocked(block, observer);
      }
    }
    // Returns to blocks that polling warps have left unfinished.
    if (state.unfinished == 0) {
      return kNobody;
    }
  }
}

void Scheduler::Impl::note(const Moves& before, const Moves& after) {
  choose = after.arrivals != before.arrivals || after.arrivals == Moves::kGone;
  gives_way = after.yields != before.yields;
}

void Scheduler::Impl::begin_round(Machine& machine, Observer* observer) {
  residents.admit(machine, observer);
  const MachineState& state = machine.impl().state;
  next = 0;
  for (const std::uint32_t resident : residents.blocks()) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      if (is_ready(state, {resident, warp})) {
        turns.push_back({resident, warp});
      }
    }
  }
  if (turns.empty()) {
    stop_deadlocked(machine, residents.blocks(), observer);
  }
}

WarpId Scheduler::Impl::pick_in_round(Machine& machine, Observer* observer) {
  if (turns.empty()) {
    begin_round(machine, observer);
  }
  return turns.empty() ? kNobody : turns[next];
}

WarpId Scheduler::Impl::pick_at_random(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  if (!at_end && is_ready(state, last)) {
    return last;
  }
  if (!is_busy(state, last.block)) {
    residents.admit(machine, observer);
  }
  const std::uint64_t count = residents.blocks().size() * std::uint64_t{warps};
  const auto resident = [&](std::uint64_t number) {
    return WarpId{residents.blocks()[number / warps], static_cast<std::uint32_t>(number % warps)};
  };
  constexpr int kGuesses = 8;
  for (int guess = 0; guess < kGuesses; ++guess) {
    const WarpId warp = resident(problem::next_random(random) % count);
    if (is_ready(state, warp)) {
      return warp;
    }
  }
  const std::uint64_t start = problem::next_random(random) % count;
  for (std::uint64_t k = 0; k < count; ++k) {
    const WarpId warp = resident((start + k) % count);
    if (is_ready(state, warp)) {
      return warp;
    }
  }
  stop_deadlocked(machine, residents.blocks(), observer);
  return kNobody;
}

// The clock of the next statement of a warp of the grid. A warp with more statements than the
// clocks know lets the others go first.
std::int64_t Scheduler::Impl::next_clock(std::uint64_t warp) const {
  constexpr std::int64_t kLater = 1 << 20;  // clocks
  const std::size_t done = statements_done[warp];
  if (schedule.clocks == nullptr) {
    return static_cast<std::int64_t>(done);
  }
  const std::vector<std::int64_t>& clocks = schedule.clocks->at(warp);
  return done < clocks.size() ? clocks[done]
                              : (clocks.empty() ? 0 : clocks.back()) +
                                    kLater * static_cast<std::int64_t>(done + 1 - clocks.size());
}

WarpId Scheduler::Impl::pick_on_sm(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  if (!at_end && is_ready(state, last)) {
    return last;
  }
  if (!is_busy(state, last.block)) {
    residents.admit(machine, observer);
  }
  WarpId first = kNobody;
  std::int64_t clock = 0;
  for (const std::uint32_t resident : residents.blocks()) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      const WarpId candidate{resident, warp};
      const std::int64_t begins = next_clock(linear(candidate));
      if ((first == kNobody || begins < clock) && is_ready(state, candidate)) {
        first = candidate;
        clock = begins;
      }
    }
  }
  if (first == kNobody) {
    stop_deadlocked(machine, residents.blocks(), observer);
  }
  return first;
}

// After a step. `has_ended`: it ended its statement.
void Scheduler::Impl::account(bool has_ended) {
  at_end = has_ended;
  if (schedule.kind == ScheduleKind::OnSm && has_ended) {
    ++statements_done[linear(last)];
  }
  if (schedule.kind != ScheduleKind::Lockstep) {
    return;
  }
  if (!has_ended) {
    later.push_back(turns[next]);
  }
  ++next;
  if (next == turns.size()) {
    turns.swap(later);
    later.clear();
    next = 0;
  }
  at_end = turns.empty();
}

Scheduler::Scheduler(const Program& program, const Schedule& schedule)
    : Scheduler(program, schedule, {0, program.block_count()}) {}
Scheduler::Scheduler(const Program& program, const Schedule& schedule, BlockPart part)
    : impl_(std::make_unique<Impl>()) {
  impl_->schedule = schedule;
  impl_->warps = program.warps_per_block();
  impl_->all = std::uint64_t{program.block_count()} * program.warps_per_block();
  impl_->last.block = part.first;
  impl_->residents = Residents(part, resident_blocks(program));
  impl_->random = schedule.seed;
  if (schedule.kind == ScheduleKind::OnSm) {
    impl_->statements_done.resize(impl_->all);
  }
}
Scheduler::Scheduler(const Scheduler& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Scheduler& Scheduler::operator=(const Scheduler& other) {
  if (this != &other) {
    *impl_ = *other.impl_;
  }
  return *this;
}
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;
Scheduler::~Scheduler() = default;

bool Scheduler::Impl::step(MachineState& state, WarpId picked, Observer* observer) {
  const At before = place_of(state, picked);
  const Moves moves = moves_of(state, picked);
  run_warp(state, picked, 1, observer);
  last = picked;
  note(moves, moves_of(state, picked));
  return ends_at(state.data(), before, place_of(state, picked));
}

bool Scheduler::step(Machine& machine, Observer* observer) {
  const WarpId picked = impl_->pick(machine, observer);
  if (picked == kNobody) {
    return false;
  }
  impl_->account(impl_->step(machine.impl().state, picked, observer));
  return true;
}

bool Scheduler::at_statement_end() const {
  return impl_->at_end;
}
const Schedule& Scheduler::schedule() const {
  return impl_->schedule;
}
WarpId Scheduler::last() const {
  return impl_->last;
}

bool operator==(const Scheduler& a, const Scheduler& b) {
  return a.impl_ == b.impl_ || *a.impl_ == *b.impl_;
}

}  // namespace tilestep::simt
