#include "simt/schedule.h"

#include "simt/run.h"
#include "simt/state.h"

#include <algorithm>
#include <optional>

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
  const auto found = std::find_if(warps.begin(), warps.end(), [](const Warp& warp) {
    return warp.status == WarpStatus::Ready;
  });
  return found == warps.end() ? std::nullopt
                              : std::optional{static_cast<std::uint32_t>(found - warps.begin())};
}

void stop_deadlocked_blocks(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  for (std::uint32_t block = 0; block < state.statuses.size(); ++block) {
    if (state.statuses[block] == BlockStatus::Running && !first_ready(state, block)) {
      machine.stop_deadlocked(block, observer);
    }
  }
}

// Where a warp is, as far as statements are concerned.
struct At {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] At place_of(const MachineState& machine, WarpId id) {
  const Block* const block = machine.blocks[id.block].get();
  if (block == nullptr) {
    const bool waits = machine.statuses[id.block] == BlockStatus::NotStarted;
    return {waits ? WarpStatus::Ready : WarpStatus::Exited, machine.impl().entry, 0, 0};
  }
  const Warp& warp = block->warps[id.warp];
  return {warp.status, warp.frames.back().function, warp.paths.back().pc,
          static_cast<std::uint32_t>(warp.frames.size() - 1)};
}

[[nodiscard]] std::uint32_t line_at(const BoundFunction& function, std::uint32_t pc) {
  return pc < function.lines.size() ? function.lines[pc] : 0;
}

[[nodiscard]] bool ends_at(const Program::Impl& program, const At& before, const At& after) {
  const ptx::Instruction& done = program.module->functions[before.function].instructions[before.pc];
  const bool waited = done.op == ptx::Opcode::Bar && done.mode != ptx::Mode::BarArrive;
  if (after.status != WarpStatus::Ready || waited) {
    return true;
  }
  const BoundFunction& from = program.functions[before.function];
  const BoundFunction& to = program.functions[after.function];
  const std::uint32_t line = line_at(to, after.pc);
  if (after.depth > before.depth) {
    return to.has_lines;
  }
  if (after.depth < before.depth) {
    const std::uint32_t call_line = after.pc == 0 ? 0 : line_at(to, after.pc - 1);
    return line != 0 && (from.has_lines || line != call_line);
  }
  const std::uint32_t line_before = line_at(from, before.pc);
  if (line != 0 && line != line_before) {
    return true;
  }
  return to.has_lines && done.op == ptx::Opcode::Bra && done.target <= before.pc &&
         done.target == after.pc;
}

[[nodiscard]] At place_of(const WarpView& view) {
  return {view.status, view.function, view.pc, view.call_depth};
}

}  // namespace

bool ends_statement(const Program& program, const WarpView& before, const WarpView& after) {
  return ends_at(program.impl(), place_of(before), place_of(after));
}

struct Scheduler::Impl {
  Schedule schedule;
  std::uint32_t warps = 1;
  std::uint64_t all = 1;  // warps of the grid
  WarpId last;
  bool at_end = true;  // the last step ended a statement

  // Sequential, RunAhead: the block at work. `last` goes on while it is Ready.
  std::uint32_t block = 0;
  bool choose = true;

  // Lockstep: who takes part in the round, in the order of turns; `later` are those that have had
  // theirs and are not through their statement.
  std::vector<std::uint64_t> turns;
  std::vector<std::uint64_t> later;
  std::size_t next = 0;

  std::uint64_t random = 0;

  friend bool operator==(const Impl&, const Impl&) = default;

  [[nodiscard]] WarpId id(std::uint64_t linear) const {
    return {static_cast<std::uint32_t>(linear / warps), static_cast<std::uint32_t>(linear % warps)};
  }

  [[nodiscard]] std::optional<WarpId> pick(Machine& machine, Observer* observer);
  [[nodiscard]] std::optional<WarpId> pick_in_order(Machine& machine, Observer* observer);
  [[nodiscard]] std::optional<WarpId> pick_in_round(Machine& machine, Observer* observer);
  [[nodiscard]] std::optional<WarpId> pick_at_random(Machine& machine, Observer* observer);
  [[nodiscard]] std::optional<std::uint32_t> choose_warp(const MachineState& machine) const;
  void begin_round(const MachineState& machine);
  void account(bool ended);
  std::uint64_t draw();
};

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Scheduler::Impl::draw() {
  random += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = random;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::optional<WarpId> Scheduler::Impl::pick(Machine& machine, Observer* observer) {
  switch (schedule.kind) {
    case ScheduleKind::Lockstep:
      return pick_in_round(machine, observer);
    case ScheduleKind::Random:
      return pick_at_random(machine, observer);
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

std::optional<WarpId> Scheduler::Impl::pick_in_order(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  for (; block < state.statuses.size(); ++block, choose = true) {
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
  return std::nullopt;
}

void Scheduler::Impl::begin_round(const MachineState& machine) {
  turns.clear();
  next = 0;
  for (std::uint32_t b = 0; b < machine.statuses.size(); ++b) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      if (is_ready(machine, {b, warp})) {
        turns.push_back(std::uint64_t{b} * warps + warp);
      }
    }
  }
}

std::optional<WarpId> Scheduler::Impl::pick_in_round(Machine& machine, Observer* observer) {
  if (turns.empty()) {
    begin_round(machine.impl().state);
  }
  if (turns.empty()) {
    stop_deadlocked_blocks(machine, observer);
    return std::nullopt;
  }
  return id(turns[next]);
}

std::optional<WarpId> Scheduler::Impl::pick_at_random(Machine& machine, Observer* observer) {
  const MachineState& state = machine.impl().state;
  if (!at_end && is_ready(state, last)) {
    return last;
  }
  constexpr int kGuesses = 8;
  for (int guess = 0; guess < kGuesses; ++guess) {
    const WarpId warp = id(draw() % all);
    if (is_ready(state, warp)) {
      return warp;
    }
  }
  const std::uint64_t start = draw() % all;
  for (std::uint64_t k = 0; k < all; ++k) {
    const WarpId warp = id((start + k) % all);
    if (is_ready(state, warp)) {
      return warp;
    }
  }
  stop_deadlocked_blocks(machine, observer);
  return std::nullopt;
}

// After a step: `ended` its statement.
void Scheduler::Impl::account(bool ended) {
  at_end = ended;
  if (schedule.kind != ScheduleKind::Lockstep) {
    return;
  }
  if (!ended) {
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

Scheduler::Scheduler(const Program& program, Schedule schedule) : impl_(std::make_unique<Impl>()) {
  impl_->schedule = schedule;
  impl_->warps = program.warps_per_block();
  impl_->all = std::uint64_t{program.block_count()} * program.warps_per_block();
  impl_->random = schedule.seed;
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

bool Scheduler::step(Machine& machine, Observer* observer) {
  const auto picked = impl_->pick(machine, observer);
  if (!picked) {
    return false;
  }
  MachineState& state = machine.impl().state;
  const At before = place_of(state, *picked);
  const ptx::Instruction& instruction =
      state.impl().module->functions[before.function].instructions[before.pc];
  run_warp(state, *picked, 1, observer);
  impl_->last = *picked;
  impl_->choose = instruction.op == ptx::Opcode::Bar && instruction.mode != ptx::Mode::BarArrive;
  impl_->account(ends_at(state.impl(), before, place_of(state, *picked)));
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

std::uint64_t run_to_end(Machine& machine, Scheduler& scheduler, Observer* observer,
                         bool (*should_stop)(void*), void* stop_context) {
  constexpr std::uint64_t kSlice = 1U << 18;
  const auto stops = [&] { return should_stop != nullptr && should_stop(stop_context); };
  MachineState& state = machine.impl().state;
  Scheduler::Impl& order = *scheduler.impl_;
  std::uint64_t steps = 0;
  const bool whole_warps = order.schedule.kind == ScheduleKind::Sequential ||
                           order.schedule.kind == ScheduleKind::RunAhead;
  if (!whole_warps) {
    while (!(steps % kSlice == 0 && stops()) && scheduler.step(machine, observer)) {
      ++steps;
    }
    return steps;
  }
  std::uint64_t asked = 0;
  for (;;) {
    if (steps >= asked) {
      if (stops()) {
        return steps;
      }
      asked = steps + kSlice;
    }
    const auto picked = order.pick(machine, observer);
    if (!picked) {
      return steps;
    }
    const std::uint64_t made = run_warp(state, *picked, kSlice, observer, AtBarrier::Pause);
    steps += made;
    order.last = *picked;
    order.at_end = true;
    order.choose = made < kSlice;
  }
}

}  // namespace tilestep::simt
