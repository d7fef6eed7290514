// How the lanes of a warp diverge and reconverge.
//
// A warp's paths form a stack. At a branch that not all lanes take, the running path becomes the
// join at the branch's immediate post-dominator, and its parts are stacked above it. A part ends
// when it arrives at the join. Lanes that branch directly to the join wait there and are not
// stacked; parts with the same pc and join are merged. So the stack holds at most one path for each
// lane and one join for each level of nesting, whatever loops do.
//
// Any path that is no other path's join may move to the top: the order among them only decides
// which runs next.
#include "simt/exec/control.h"
#include "simt/exec/executors.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

// Puts lanes on a part of the split whose parts are on top of the stack.
void add_part(std::vector<Path>& paths, const Path& part) {
  for (auto p = paths.rbegin(); p != paths.rend(); ++p) {
    if (p->frame != part.frame || p->reconverge != part.reconverge) {
      break;
    }
    if (p->pc == part.pc) {
      p->mask |= part.mask;
      return;
    }
  }
  paths.push_back(part);
}

// Frees frames that are neither a path's frame nor a caller of one.
void free_frames(Warp& warp) {
  for (std::size_t f = warp.frames.size(); f-- > 1;) {
    const auto runs_in = [f](const Path& path) { return path.frame == f; };
    const auto called_by = [f](const Frame& frame) {
      return frame.function != kNoFunction && frame.depth != 0 && frame.caller == f;
    };
    if (std::ranges::none_of(warp.paths, runs_in) && std::ranges::none_of(warp.frames, called_by)) {
      warp.frames[f] = {};
      warp.frames[f].function = kNoFunction;
    }
  }
  while (warp.frames.back().function == kNoFunction) {
    warp.frames.pop_back();
  }
}

void take_to_top(Warp& warp, std::size_t index) {
  const auto path = warp.paths.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(path, path + 1, warp.paths.end());
}

// Moves another path that is not waiting to the top; the lowest one has waited longest.
[[nodiscard]] bool take_turn(Warp& warp) {
  for (std::size_t k = 0; k + 1 < warp.paths.size(); ++k) {
    if (warp.paths[k].wait == PathWait::None && is_leaf(warp.paths, k)) {
      take_to_top(warp, k);
      return true;
    }
  }
  return false;
}

// Lanes that have arrived at a join leave it before the others arrive.
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

// Whether both paths wait for the same kind of exchange.
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

// The lanes at the exchange whose named lanes have all arrived.
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

// Executes the exchange for all paths whose lanes have arrived. `together`: the participating
// lanes.
void perform_exchange(Context& c, const Path& first, std::uint32_t together) {
  std::array<std::uint64_t, kLanes> values{};
  std::vector<std::uint32_t> lanes;  // of the paths: moving one to the top moves the others
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

// Lanes that an exchange names will never arrive: it takes place without them, and is reported.
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

// Whether the lanes at a barrier have to arrive there together.
[[nodiscard]] bool waits_aligned(const Context& c) {
  return std::ranges::any_of(c.warp.paths, [&](const Path& path) {
    return path.wait == PathWait::Barrier &&
           (instruction_of(c, path)->source->flags & ptx::kUniform) != 0;
  });
}

[[nodiscard]] bool any_waits(const Warp& warp, PathWait wait) {
  return std::ranges::any_of(warp.paths, [wait](const Path& path) { return path.wait == wait; });
}

// Ends the wait of the warp's paths, none of which can move.
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

std::uint32_t lanes_above(const std::vector<Path>& paths, std::size_t index) {
  std::uint32_t lanes = 0;
  for (std::size_t k = index + 1; k < paths.size(); ++k) {
    lanes |= paths[k].mask;
  }
  return lanes;
}

bool is_leaf(const std::vector<Path>& paths, std::size_t index) {
  return (lanes_above(paths, index) & paths[index].mask) == 0;
}

std::uint32_t leaving_lanes(const Context& c) {
  std::uint32_t leaving = 0;
  std::uint32_t elsewhere = 0;  // on a path above
  const std::vector<Path>& paths = c.warp.paths;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    const Frame& frame = c.warp.frames[path->frame];
    const ptx::Instruction& next = *c.program.functions[frame.function].code[path->pc].source;
    const bool leaves =
        next.op == ptx::Opcode::Exit || (next.op == ptx::Opcode::Ret && frame.depth == 0);
    if (leaves && next.guard == ptx::kNoGuard) {
      leaving |= path->mask & ~elsewhere;
    }
    elsewhere |= path->mask;
  }
  return leaving;
}

const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count) {
  std::vector<Path>& paths = c.warp.paths;
  Path part = paths.back();
  c.warp.stored_apart &= ~part.mask;
  const std::uint32_t join = reconverge == ptx::kNoPc ? part.reconverge : reconverge;
  if (join == part.reconverge) {
    paths.pop_back();  // the join below waits for these parts too
  } else {
    paths.back().pc = join;
    part.reconverge = join;
  }
  for (std::size_t k = count; k-- > 0;) {
    part.pc = branches[k].pc;
    part.mask = branches[k].mask;
    if (part.mask != 0 && part.pc != join) {
      add_part(paths, part);
    }
  }
  return next_path(c);
}

void drop_empty_paths(Warp& warp) {
  std::erase_if(warp.paths, [](const Path& path) { return path.mask == 0; });
}

void settle_paths(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  while (paths.back().mask == 0 || paths.back().pc == paths.back().reconverge) {
    paths.pop_back();
  }
  if (warp.frames.size() > 1) {
    free_frames(warp);
  }
}

void merge_paths(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  for (std::size_t k = paths.size(); k-- > 1;) {
    for (std::size_t other = 0; other < k; ++other) {
      Path& into = paths[other];
      const Path& path = paths[k];
      const bool same = into.pc == path.pc && into.reconverge == path.reconverge &&
                        into.frame == path.frame && into.wait == PathWait::None &&
                        path.wait == PathWait::None && (into.mask & path.mask) == 0;
      if (same && is_leaf(paths, other) && is_leaf(paths, k)) {
        into.mask |= path.mask;
        paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
    }
  }
}

// Chooses the path of a warp that moves next: independent thread scheduling (CUDA C++ Programming
// Guide, "Independent Thread Scheduling").
//
// The path on top of the stack runs until it ends, waits, or only polls. Then, in this order:
//
//   1. another path that is no other path's join takes its turn;
//   2. a warp-wide exchange at which all lanes have arrived takes place;
//   3. the warp arrives at a barrier, if its lanes are there or only have to exit;
//   4. lanes that wait at a join for the others continue without them (but not past lanes that
//      have to meet the others at an .aligned barrier: that is reported).
//
// So lanes that wait for each other all get their turn, and without such waits lanes stay
// converged.

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
  const auto path = std::ranges::find_if(
      c.warp.paths, [&](const Path& p) { return p.mask == mask && p.wait != PathWait::None; });
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
  // The warp's paths may wait for another warp: it moves when each of them has had its turn.
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
