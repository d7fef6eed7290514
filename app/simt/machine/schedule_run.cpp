#include "simt/exec/control.h"
#include "simt/machine/program.h"
#include "simt/machine/schedule.h"
#include "simt/machine/schedule_impl.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tilestep::simt {
namespace {

// Writes the step counter to lanes that read the clock.
void write_clock(const Context& c, const Bound* i, std::uint64_t now) {
  const auto value = now >> i->value;
  const bool is_long = ptx::byte_size(i->source->type) == 8;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((c.clock_lanes >> lane & 1U) == 0) {
      continue;
    }
    if (is_long) {
      row<std::uint64_t>(c, i->d)[lane] = value;
    } else {
      row<std::uint32_t>(c, i->d)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}

// Called at Context::stop: the warp cannot continue (nullptr), an instruction reads the clock, or
// the path has arrived at its join.
const Bound* settle(Context& c, const Bound* next, std::uint64_t now) {
  if (c.halted) {
    return nullptr;
  }
  const Path& path = c.warp.paths.back();
  if (c.clock_lanes != 0) {
    write_clock(c, next - 1, now);
    c.clock_lanes = 0;
    c.stop = path.reconverge == ptx::kNoPc ? nullptr : c.code + path.reconverge;
    if (next != c.stop) {
      return next;
    }
  }
  c.warp.paths.back().pc = path.reconverge;
  const Bound* const after = next_path(c);
  return c.halted ? nullptr : after;
}

// Executes as many steps as fit, several at a time if the code allows it; `left` is the number that
// remains.
const Bound* run_swiftly(Context& c, const Bound* next, std::uint64_t& left, std::uint64_t end) {
  for (;;) {
    const std::uint32_t variant = c.variant;
    const std::uint64_t steps = next->steps[variant];
    if (left < steps) {
      break;
    }
    left -= steps;
    next = next->swift[variant](c, next);
    if (next == c.stop) [[unlikely]] {
      next = settle(c, next, end - left);
      if (next == nullptr) {
        break;
      }
    }
  }
  return next;
}

// kWatched: the observer wants to see every step. `places`: of Machine::run_to(), or null.
template <bool kWatched>
std::uint64_t loop(Context& c, std::uint64_t most, const std::vector<bool>* places = nullptr) {
  const std::uint64_t before = c.machine.steps;
  const Bound* next = c.enter();
  std::uint64_t left = most;
  if constexpr (!kWatched) {
    next = run_swiftly(c, next, left, before + most);
  }
  while (left != 0 && next != nullptr) {
    const Bound* const i = next;
    StepInfo info;
    if constexpr (kWatched) {
      // Field by field: a copy of the freshly written c.info would wait for its stores.
      const Path& path = c.warp.paths.back();
      info = {c.id,
              c.warp.frames[path.frame].function,
              path.frame,
              i->pc,
              i->source,
              c.active,
              guard_mask(c, i)};
      c.observer->before_step(info);
    }
    next = i->run[c.variant](c, i);
    --left;
    if (next == c.stop) [[unlikely]] {
      next = settle(c, next, before + (most - left));
    }
    if constexpr (kWatched) {
      c.observer->after_step(info);
    }
    if (next == nullptr) {
      break;
    }
    if (kWatched && places != nullptr && c.info.frame == 0 &&
        (*places)[static_cast<std::size_t>(next - c.code)]) {
      break;
    }
  }
  if (next != nullptr) {
    c.warp.paths.back().pc = static_cast<std::uint32_t>(next - c.code);
  }
  return most - left;
}

void start(MachineState& machine, WarpId id, Observer* observer) {
  if (machine.statuses[id.block] == BlockStatus::NotStarted) {
    machine.start_block(id.block);
    if (observer != nullptr) {
      observer->on_block_start(id.block);
    }
  }
}

void finish(MachineState& machine, WarpId id, std::uint64_t steps, Observer* observer) {
  machine.steps += steps;
  if (machine.statuses[id.block] != BlockStatus::Running) {
    if (observer != nullptr) {
      observer->on_block_end(id.block);
    }
    machine.release_block(id.block);
  }
}

// Number of steps that a warp can make at once from its position, from a row of BoundFunction. It
// ends before the path may meet others.
[[nodiscard]] std::uint64_t stretch(const MachineState& state, WarpId id, const At& at,
                                    const std::vector<std::uint16_t>& row) {
  const std::uint64_t steps = row[at.pc];
  const Block* const block = state.blocks[id.block].get();
  const std::uint32_t join =
      block == nullptr ? ptx::kNoPc : block->warps[id.warp].paths.back().reconverge;
  return join > at.pc ? std::min<std::uint64_t>(steps, join - at.pc) : steps;
}

// Whether the last of `made` steps in a row ended a statement.
[[nodiscard]] bool ended(const MachineState& state, WarpId id, At before, std::uint64_t made) {
  before.pc += static_cast<std::uint32_t>(made - 1);
  return ends_at(state.data(), before, place_of(state, id));
}

[[nodiscard]] bool is_deadlocked(const MachineState& state, std::uint32_t block) {
  if (state.statuses[block] != BlockStatus::Running) {
    return false;
  }
  const std::vector<Warp>& warps = state.blocks[block]->warps;
  return std::ranges::none_of(warps,
                              [](const Warp& warp) { return warp.status == WarpStatus::Ready; });
}

}  // namespace

std::uint64_t run_warp(MachineState& machine, WarpId id, std::uint64_t most, Observer* observer,
                       AtBarrier at_barrier) {
  if (most != 0) {
    start(machine, id, observer);
  }
  Context context(machine, machine.blocks.at(id.block).own(), id, observer);
  context.pauses_at_barrier = at_barrier == AtBarrier::Pause;
  const bool watched = observer != nullptr && observer->wants_steps();
  const std::uint64_t steps = watched ? loop<true>(context, most) : loop<false>(context, most);
  finish(machine, id, steps, observer);
  return steps;
}

std::uint64_t run_warp_to(MachineState& machine, WarpId id, const std::vector<bool>& places,
                          std::uint64_t most, Observer& observer) {
  start(machine, id, &observer);
  Context context(machine, machine.blocks.at(id.block).own(), id, &observer);
  const std::uint64_t steps = loop<true>(context, most, &places);
  finish(machine, id, steps, &observer);
  return steps;
}

// Runs to the end: the same steps as one by one, but several of a warp at a time if the result is
// the same.

std::uint64_t Scheduler::Impl::run_in_order(Machine& machine, Observer* observer, Pause& pause) {
  MachineState& state = machine.impl().state;
  std::uint64_t steps = 0;
  while (!pause.at(steps)) {
    const WarpId picked = pick(machine, observer);
    if (picked == kNobody) {
      break;
    }
    const Moves moves = moves_of(state, picked);
    steps += run_warp(state, picked, Pause::kSlice, observer, AtBarrier::Pause);
    last = picked;
    at_end = true;
    note(moves, moves_of(state, picked));
  }
  return steps;
}

std::uint64_t Scheduler::Impl::run_by_statements(Machine& machine, Observer* observer,
                                                 Pause& pause) {
  MachineState& state = machine.impl().state;
  std::uint64_t steps = 0;
  while (!pause.at(steps)) {
    const WarpId picked = pick(machine, observer);
    if (picked == kNobody) {
      break;
    }
    const At before = place_of(state, picked);
    const auto& row = state.data().functions[before.function].straight;
    const std::uint64_t made =
        run_warp(state, picked, stretch(state, picked, before, row), observer);
    steps += made;
    last = picked;
    account(ended(state, picked, before, made));
  }
  return steps;
}

// One round of lockstep. A warp may run ahead of its turn through instructions that only it can
// see; those that access memory or other warps wait for their turn.
std::uint64_t Scheduler::Impl::run_round(MachineState& state, Observer* observer) {
  struct Turn {
    WarpId warp;
    std::uint64_t next = 0;  // number of its next step in the round
  };
  std::vector<Turn> left;
  left.reserve(turns.size());
  for (const WarpId warp : turns) {
    left.push_back({warp, 0});
  }
  std::uint64_t steps = 0;
  std::pair<std::uint64_t, std::uint64_t> last_end;  // of the warp that moves last
  for (std::uint64_t turn = 0; !left.empty();) {
    std::uint64_t next_turn = std::numeric_limits<std::uint64_t>::max();
    std::size_t kept = 0;
    for (const Turn& waiting : left) {
      Turn now = waiting;
      if (now.next == turn) {
        const At before = place_of(state, now.warp);
        const auto& row = state.data().functions[before.function].straight_private;
        const std::uint64_t made =
            run_warp(state, now.warp, stretch(state, now.warp, before, row), observer);
        steps += made;
        now.next += made;
        if (ended(state, now.warp, before, made)) {
          const std::pair<std::uint64_t, std::uint64_t> end{now.next, linear(now.warp)};
          last = end > last_end ? now.warp : last;
          last_end = std::max(last_end, end);
          continue;
        }
      }
      next_turn = std::min(next_turn, now.next);
      left[kept++] = now;
    }
    left.resize(kept);
    turn = next_turn;
  }
  turns.clear();
  at_end = true;
  return steps;
}

std::uint64_t Scheduler::Impl::run_in_rounds(Machine& machine, Observer* observer, Pause& pause) {
  MachineState& state = machine.impl().state;
  std::uint64_t steps = 0;
  // No warp may run ahead if every step is observed, or counted by %clock.
  const bool in_turns =
      state.data().reads_clock || (observer != nullptr && observer->wants_steps());
  while (!pause.at(steps)) {
    const WarpId picked = pick(machine, observer);
    if (picked == kNobody) {
      break;
    }
    if (at_end && !in_turns) {
      steps += run_round(state, observer);
    } else {
      account(step(state, picked, observer));
      ++steps;
    }
  }
  return steps;
}

std::uint64_t run_to_end(Machine& machine, Scheduler& scheduler, Observer* observer,
                         bool (*should_stop)(void*), void* stop_context) {
  Pause pause(should_stop, stop_context);
  switch (scheduler.schedule().kind) {
    case ScheduleKind::Lockstep:
      return scheduler.impl_->run_in_rounds(machine, observer, pause);
    case ScheduleKind::Random:
    case ScheduleKind::OnSm:
      return scheduler.impl_->run_by_statements(machine, observer, pause);
    default:
      return scheduler.impl_->run_in_order(machine, observer, pause);
  }
}

bool is_busy(const MachineState& state, std::uint32_t block) {
  if (state.statuses[block] != BlockStatus::Running) {
    return state.statuses[block] == BlockStatus::NotStarted;
  }
  const std::vector<Warp>& warps = state.blocks[block]->warps;
  return std::ranges::any_of(warps, [](const Warp& warp) {
    return warp.status == WarpStatus::Ready && warp.vain_yields == 0;
  });
}

void stop_deadlocked(Machine& machine, std::span<const std::uint32_t> blocks, Observer* observer) {
  for (const std::uint32_t block : blocks) {
    if (is_deadlocked(machine.impl().state, block)) {
      machine.stop_deadlocked(block, observer);
    }
  }
}

std::uint32_t resident_blocks(const Program& program) {
  const std::uint64_t fitting = kResidentBytes / block_bytes(*program.data());
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(fitting, 1, std::uint64_t{kResidentBlocks}));
}

Residents::Residents(BlockPart part, std::uint32_t limit)
    : blocks_(std::min(part.count(), limit)),
      next_(part.first + static_cast<std::uint32_t>(blocks_.size())),
      end_(part.last),
      limit_(limit) {
  std::iota(blocks_.begin(), blocks_.end(), part.first);
}

void Residents::admit(Machine& machine, Observer* observer) {
  if (next_ == end_) {
    return;
  }
  stop_deadlocked(machine, blocks_, observer);
  const MachineState& state = machine.impl().state;
  std::erase_if(blocks_, [&](std::uint32_t block) {
    return state.statuses[block] == BlockStatus::Ended ||
           state.statuses[block] == BlockStatus::Stopped;
  });
  auto busy =
      std::ranges::count_if(blocks_, [&](std::uint32_t block) { return is_busy(state, block); });
  for (; busy < limit_ && next_ < end_; ++next_) {
    blocks_.push_back(next_);
    busy += is_busy(state, next_) ? 1 : 0;
  }
}

}  // namespace tilestep::simt
