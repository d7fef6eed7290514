// Which of a warp's paths moves next: independent thread scheduling (CUDA C++ Programming Guide,
// "Independent Thread Scheduling").
//
// The path on top of the stack runs until it ends, waits, or only polls. Then, in this order:
//
//   1. another path that is nobody's join takes its turn;
//   2. a warp-wide exchange to which all lanes have come takes place;
//   3. the warp arrives at a barrier, if its lanes are there or have nothing left to do but leave;
//   4. lanes that wait at a join for the others go on without them (but not past lanes that have to
//      meet the others at an .aligned barrier: that is reported).
//
// So lanes that wait for each other all get their turn, and where nobody does, they walk together.
#include "simt/exec/control.h"
#include "simt/exec/paths.h"
#include "simt/exec/warp.h"

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

void take_to_top(Warp& warp, std::size_t index) {
  const auto path = warp.paths.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(path, path + 1, warp.paths.end());
}

// A path that can move, other than the one on top; the lowest one waits longest.
[[nodiscard]] bool take_turn(Warp& warp) {
  for (std::size_t k = 0; k + 1 < warp.paths.size(); ++k) {
    if (warp.paths[k].wait == PathWait::None && is_leaf(warp.paths, k)) {
      take_to_top(warp, k);
      return true;
    }
  }
  return false;
}

// Lanes that have arrived at a join leave it before the others come.
[[nodiscard]] bool split_join(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  for (std::size_t k = paths.size(); k-- > 0;) {
    const std::uint32_t arrived = paths[k].mask & ~lanes_above(paths, k);
    if (paths[k].wait == PathWait::None && arrived != 0 && arrived != paths[k].mask) {
      Path part = paths[k];
      part.mask = arrived;
      paths[k].mask &= ~arrived;
      paths.push_back(part);
      return true;
    }
  }
  return false;
}

[[nodiscard]] const Bound* instruction_of(const Context& c, const Path& path) {
  return &c.program.functions[c.warp.frames[path.frame].function].code[path.pc];
}

// Paths that wait for the same kind of exchange.
[[nodiscard]] bool same_exchange(const Context& c, const Path& a, const Path& b) {
  return a.wait == PathWait::Warp && b.wait == PathWait::Warp &&
         instruction_of(c, a)->source->op == instruction_of(c, b)->source->op;
}

[[nodiscard]] std::uint32_t lanes_at_exchange(const Context& c, const Path& path) {
  std::uint32_t lanes = 0;
  for (const Path& other : c.warp.paths) {
    lanes |= same_exchange(c, path, other) ? other.arrived : 0;
  }
  return lanes;
}

// Those of them for which all lanes that they name have come.
[[nodiscard]] std::uint32_t complete_lanes(const Context& c, const Path& path) {
  std::uint32_t lanes = lanes_at_exchange(c, path);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Path& other : c.warp.paths) {
      const bool lacks = (other.members & c.warp.live & ~lanes) != 0;
      if (same_exchange(c, path, other) && lacks && (other.arrived & lanes) != 0) {
        lanes &= ~other.arrived;
        changed = true;
      }
    }
  }
  return lanes;
}

// Executes the exchange for all paths whose lanes have come. `together`: the lanes that take part.
void perform_exchange(Context& c, const Path& first, std::uint32_t together) {
  std::array<std::uint64_t, kLanes> values{};
  std::vector<std::uint32_t> lanes;  // of the paths: taking one to the top moves the others
  for (const Path& path : c.warp.paths) {
    if (same_exchange(c, first, path) && (path.arrived & together) != 0) {
      lanes.push_back(path.mask);
    }
  }
  const auto enter = [&](std::uint32_t mask) {
    const Bound* const i = raise_path(c, mask);
    c.mask = c.warp.paths.back().arrived;
    return i;
  };
  for (const std::uint32_t mask : lanes) {
    const Bound* const i = enter(mask);
    bring_operand(c, i, values);
  }
  for (const std::uint32_t mask : lanes) {
    const Bound* const i = enter(mask);
    c.together = together;
    c.exchanged = values.data();
    exchange(c, i);
    c.exchanged = nullptr;
    Path& path = c.warp.paths.back();
    path.wait = PathWait::None;
    path.arrived = 0;
    path.members = 0;
    path.pc = i->pc + 1;
  }
  merge_paths(c.warp);
}

[[nodiscard]] bool complete_exchange(Context& c) {
  for (std::size_t k = c.warp.paths.size(); k-- > 0;) {
    const Path path = c.warp.paths[k];
    const std::uint32_t lanes = path.wait == PathWait::Warp ? complete_lanes(c, path) : 0;
    if (lanes != 0) {
      perform_exchange(c, path, lanes);
      return true;
    }
  }
  return false;
}

// Lanes that an exchange names will never come: it takes place without them, and is reported.
void abandon_exchange(Context& c) {
  const Path path =
      *std::find_if(c.warp.paths.rbegin(), c.warp.paths.rend(),
                    [](const Path& waiting) { return waiting.wait == PathWait::Warp; });
  const Bound* const i = raise_path(c, path.mask);
  FaultEvent fault;
  fault.kind = FaultKind::DivergentBarrier;
  fault.mask = path.arrived;
  fault.detail = std::string(ptx::instruction_text(*c.program.module, *i->source));
  report_fault(c, i, fault);
  perform_exchange(c, path, lanes_at_exchange(c, path));
}

// Whether the lanes at a barrier have to come there together.
[[nodiscard]] bool waits_aligned(const Context& c) {
  return std::any_of(c.warp.paths.begin(), c.warp.paths.end(), [&](const Path& path) {
    return path.wait == PathWait::Barrier &&
           (instruction_of(c, path)->source->flags & ptx::kUniform) != 0;
  });
}

[[nodiscard]] bool any_waits(const Warp& warp, PathWait wait) {
  return std::any_of(warp.paths.begin(), warp.paths.end(),
                     [wait](const Path& path) { return path.wait == wait; });
}

// Brings about what the warp's paths wait for; none of them can move.
void end_waiting(Context& c) {
  const bool at_barrier = any_waits(c.warp, PathWait::Barrier);
  const bool at_exchange = any_waits(c.warp, PathWait::Warp);
  if (complete_exchange(c) || (at_barrier && arrive_at_barrier(c, false))) {
    return;
  }
  const bool may_split = at_exchange || !waits_aligned(c);
  if (may_split && split_join(c.warp)) {
    return;
  }
  if (at_exchange) {
    abandon_exchange(c);
  } else {
    (void)arrive_at_barrier(c, true);
  }
}

}  // namespace

const Bound* next_path(Context& c) {
  settle_paths(c.warp);
  while (c.warp.paths.back().wait != PathWait::None && !take_turn(c.warp)) {
    const std::uint32_t arrivals = c.warp.arrivals;
    end_waiting(c);
    if (c.warp.status != WarpStatus::Ready ||
        (c.pauses_at_barrier && c.warp.arrivals != arrivals)) {
      return halt(c);
    }
    settle_paths(c.warp);
  }
  return c.enter();
}

const Bound* raise_path(Context& c, std::uint32_t mask) {
  const auto path = std::find_if(c.warp.paths.begin(), c.warp.paths.end(), [&](const Path& p) {
    return p.mask == mask && p.wait != PathWait::None;
  });
  take_to_top(c.warp, static_cast<std::size_t>(path - c.warp.paths.begin()));
  return c.enter();
}

void raise_ready_path(Warp& warp) {
  if (warp.paths.back().wait != PathWait::None) {
    (void)take_turn(warp);
  }
}

const Bound* give_way(Context& c, const Bound* i) {
  Warp& warp = c.warp;
  warp.polls = 0;
  warp.paths.back().pc = i->pc + 1;
  settle_paths(warp);
  // What the warp's paths wait for may be another warp's to bring: that one moves when each of them
  // has had its turn.
  const bool another_moves = split_join(warp) || take_turn(warp);
  if (another_moves && ++warp.turns < warp.paths.size()) {
    return c.enter();
  }
  warp.turns = 0;
  ++warp.yields;
  const Bound* const next = next_path(c);
  return c.pauses_at_barrier && !c.halted ? halt(c) : next;
}

}  // namespace tilestep::simt
