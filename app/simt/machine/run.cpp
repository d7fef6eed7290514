#include "simt/machine/run.h"

#include "simt/exec/control.h"
#include "simt/exec/paths.h"

namespace tilestep::simt {
namespace {

// The step counter, for lanes that asked for it.
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

// At Context::stop: the warp cannot go on (nullptr), the clock is asked for, or the path has come
// to its join.
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

// As many steps as fit, several at a time where the code allows it; `left` says how many remain.
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

// kWatched: the observer wants to see every step. `places`: of Machine::run_to(), or none.
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
      // Field by field: copying what was just written into c.info would wait for its stores.
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

}  // namespace tilestep::simt
