// Running to the end: the same steps as one by one, several of a warp at a time where nobody can
// tell.
#include "simt/machine/machine_impl.h"
#include "simt/machine/run.h"
#include "simt/machine/schedule_impl.h"
#include "simt/machine/statement.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilestep::simt {
namespace {

// Steps that a warp can make at once from a place, by a row of BoundFunction; they end where its
// path may meet others.
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

}  // namespace

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

std::uint64_t Scheduler::Impl::run_at_random(Machine& machine, Observer* observer, Pause& pause) {
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

// One round of lockstep. A warp may run ahead of its turns through instructions that only it can
// see; those that touch memory or other warps wait for theirs.
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
  // Nobody may run ahead where every step is watched, or counted by %clock.
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
      return scheduler.impl_->run_at_random(machine, observer, pause);
    default:
      return scheduler.impl_->run_in_order(machine, observer, pause);
  }
}

}  // namespace tilestep::simt
