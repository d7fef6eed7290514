// bar and barrier (PTX ISA 9.0, 9.7.13.1).
//
// A warp counts with all its lanes. Lanes that arrive before the others of their warp wait for
// them. Lanes that have exited, or only have to exit, delay nobody. If lanes of an .aligned barrier
// cannot reconverge, the warp is reported and still counts. The same holds for a warp whose other
// lanes have gone past the barrier: they are behind it, or have stored something before exiting.
// Lanes that only exit (`if (i >= n) return;`) are reported as absent, nothing more.
#include "problem/tr.h"
#include "simt/exec/control.h"

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

[[nodiscard]] std::uint32_t first_lane_value(const Context& c, Slot slot) {
  return row<const std::uint32_t>(c, slot)[std::countr_zero(c.mask)];
}

void tell(Context& c, const Bound* i, const BarrierEvent& event) {
  if (c.observer != nullptr) {
    c.observer->on_barrier(step_info(c, i), event);
  }
}

void report_divergence(Context& c, const Bound* i) {
  FaultEvent fault;
  fault.kind = FaultKind::DivergentBarrier;
  fault.mask = c.mask;
  report_fault(c, i, fault);
}

[[nodiscard]] bool is_aligned(const Bound* i) {
  return (i->source->flags & ptx::kUniform) != 0;
}

[[nodiscard]] bool waits(const Bound* i) {
  return i->source->mode != ptx::Mode::BarArrive;
}

[[nodiscard]] bool covers_block(const Context& c, const Barrier& barrier) {
  return barrier.passers == 0 && (barrier.expected == 0 || barrier.expected == c.program.threads);
}

[[nodiscard]] std::uint32_t reduce(const Barrier& barrier, ptx::Mode mode) {
  switch (mode) {
    case ptx::Mode::BarRedPopc:
      return barrier.ones;
    case ptx::Mode::BarRedAnd:
      return barrier.ones == barrier.voters ? ~0U : 0U;
    default:
      return barrier.ones != 0 ? ~0U : 0U;
  }
}

// Writes the result of bar.red to every lane that waited.
void write_result(const Context& c, std::uint32_t number, const Frame& frame, std::uint32_t pc,
                  std::uint32_t lanes, const Barrier& barrier) {
  const Bound& i = c.program.functions[frame.function].code[pc];
  if (i.source->op != ptx::Opcode::Bar || i.source->dest_count == 0 || i.d == kNoSlot) {
    return;
  }
  auto* const to =
      reinterpret_cast<std::uint32_t*>(c.block.stack(number) + frame.offset + i.d.offset);
  const std::uint32_t result = reduce(barrier, i.source->mode);
  if (i.source->type == ptx::Type::Pred || i.source->mode != ptx::Mode::BarRedPopc) {
    *to = (*to & ~lanes) | (result & lanes);
    return;
  }
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    to[std::countr_zero(left)] = result;
  }
}

[[nodiscard]] bool waits_at(const Path& path, std::uint32_t id) {
  return path.wait == PathWait::Barrier && path.members == id;
}

// Lets a warp continue after the barrier that it waits at.
void release_warp(const Context& c, std::uint32_t number, const Barrier& done) {
  Warp& warp = c.block.warps[number];
  bool in_parts = false;
  for (Path& path : warp.paths) {
    if (waits_at(path, warp.barrier)) {
      in_parts = true;
      write_result(c, number, warp.frames[path.frame], path.pc, path.arrived, done);
      ++path.pc;
      path.wait = PathWait::None;
      path.arrived = 0;
      path.members = 0;
    }
  }
  if (in_parts) {
    merge_paths(warp);
    settle_paths(warp);
    raise_ready_path(warp);
  } else {
    write_result(c, number, warp.frames[warp.paths.back().frame], warp.barrier_pc,
                 warp.barrier_lanes, done);
  }
  warp.status = WarpStatus::Ready;
  warp.barrier = 0;
  warp.barrier_pc = 0;
  warp.barrier_lanes = 0;
}

// A thread of a warp that has left the kernel.
[[nodiscard]] std::uint32_t thread_that_left(const Context& c) {
  for (std::uint32_t number = 0; number < c.block.warps.size(); ++number) {
    if (c.block.warps[number].status == WarpStatus::Exited) {
      return number * static_cast<std::uint32_t>(c.program.warp_size);
    }
  }
  return kNoThread;
}

void release(Context& c, const Bound* i, std::uint32_t id) {
  const Barrier done = c.block.barriers[id];
  c.block.barriers[id] = {};
  for (std::uint32_t number = 0; number < c.block.warps.size(); ++number) {
    const Warp& warp = c.block.warps[number];
    if (warp.status == WarpStatus::AtBarrier && warp.barrier == id) {
      release_warp(c, number, done);
    }
  }
  const bool whole = covers_block(c, done);
  const bool some_left = whole && c.block.exited_warps != 0;
  tell(c, i, {BarrierAction::Release, id, 0, whole, some_left ? thread_that_left(c) : kNoThread});
}

[[nodiscard]] bool is_complete(const Context& c, std::uint32_t id) {
  const auto left = static_cast<std::uint32_t>(c.block.warps.size()) - c.block.exited_warps;
  const std::uint32_t everybody = left * static_cast<std::uint32_t>(c.program.warp_size);
  const Barrier& barrier = c.block.barriers[id];
  const std::uint32_t wanted = barrier.expected != 0 ? barrier.expected : everybody;
  return barrier.arrived != 0 && barrier.arrived >= wanted;
}

// The pc at which a warp continues after a barrier.
[[nodiscard]] std::uint32_t place_behind(const Bound* i) {
  const Bound* next = i + 1;
  for (int hops = 0; hops < 8; ++hops) {
    const bool jumps = next->source->op == ptx::Opcode::Bra && next->source->guard == ptx::kNoGuard;
    if (!jumps) {
      break;
    }
    next += next->jump;
  }
  return next->pc;
}

// Whether lanes outside `lanes` have gone past the barrier.
[[nodiscard]] bool is_passed_over(const Context& c, const Bound* i, std::uint32_t lanes) {
  if ((c.warp.stored_apart & c.warp.existing & ~lanes) != 0) {
    return true;
  }
  const std::vector<Path>& paths = c.warp.paths;
  const std::uint32_t behind = place_behind(i);
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const std::uint32_t here = paths[k].mask & ~lanes_above(paths, k) & ~lanes;
    if (here != 0 && paths[k].pc == behind && paths[k].frame == c.warp.paths.back().frame) {
      return true;
    }
  }
  return false;
}

// Adds the running lanes' votes and thread count. The warp itself is counted at its last arrival.
void bring(const Context& c, const Bound* i, Barrier& barrier) {
  if (!(i->in[1] == kNoSlot)) {
    barrier.expected = first_lane_value(c, i->in[1]);
  }
  if (!(i->in[2] == kNoSlot)) {
    const std::uint32_t votes = predicate(c, i->in[2]) ^ static_cast<std::uint32_t>(i->value);
    barrier.ones += static_cast<std::uint32_t>(std::popcount(votes & c.mask));
    barrier.voters += static_cast<std::uint32_t>(std::popcount(c.mask));
  }
  barrier.passers += waits(i) ? 0 : 1;
}

// The warp arrives at a barrier with these lanes; completes it if no other warp is missing.
// `reported`: its divergence has been reported.
void arrive(Context& c, const Bound* i, std::uint32_t id, std::uint32_t lanes, bool reported) {
  Barrier& state = c.block.barriers[id];
  const std::uint32_t absent = c.warp.existing & ~lanes;
  const auto first_absent = c.id.warp * static_cast<std::uint32_t>(c.program.warp_size) +
                            static_cast<std::uint32_t>(std::countr_zero(absent));
  // With a count some warps may pass (bar.arrive). Then it is not a barrier of the whole block,
  // which is known only at the release.
  c.warp.stored_apart &= ~lanes;  // here they meet the others
  const bool whole = state.expected == 0;
  const bool some_left = whole && absent != 0 && !reported;
  tell(c, i, {BarrierAction::Arrive, id, lanes, whole, some_left ? first_absent : kNoThread});
  state.arrived += static_cast<std::uint32_t>(c.program.warp_size);
  if (waits(i)) {
    c.warp.status = WarpStatus::AtBarrier;
    c.warp.barrier_pc = i->pc;
    c.warp.barrier = id;
    c.warp.barrier_lanes = lanes;
    c.warp.polls = 0;
    ++c.warp.arrivals;
  }
  if (is_complete(c, id)) {
    release(c, i, id);
  }
}

}  // namespace

void release_complete_barriers(Context& c, const Bound* i) {
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    if (is_complete(c, id)) {
      release(c, i, id);
    }
  }
}

const Bound* barrier(Context& c, const Bound* i) {
  const std::uint32_t id = first_lane_value(c, i->in[0]);
  if (id >= kBarriers) {
    return stop_warp(c, i, FaultKind::Trap, tr("a barrier number must be from 0 to 15"));
  }
  if (c.mask != c.warp.live) {
    if (waits(i)) {
      Path& path = c.warp.paths.back();
      path.pc = i->pc;
      path.wait = PathWait::Barrier;
      path.arrived = c.mask;
      path.members = id;
      return next_path(c);
    }
  }
  const bool reported = c.mask != c.warp.live || (is_aligned(i) && is_passed_over(c, i, c.mask));
  if (reported) {
    report_divergence(c, i);
  }
  bring(c, i, c.block.barriers[id]);
  // Whether or not this step releases it, the warp's pc is after the barrier.
  c.warp.paths.back().pc = i->pc + 1;
  arrive(c, i, id, c.mask, reported);
  if (c.warp.status == WarpStatus::Ready && !(c.pauses_at_barrier && waits(i))) {
    return i + 1;
  }
  settle_paths(c.warp);
  return halt(c);
}

bool arrive_at_barrier(Context& c, bool in_part) {
  Warp& warp = c.warp;
  const auto top = std::find_if(warp.paths.rbegin(), warp.paths.rend(),
                                [](const Path& path) { return path.wait == PathWait::Barrier; });
  const std::uint32_t id = top->members;
  std::uint32_t lanes = 0;
  std::vector<std::uint32_t> parts;  // masks: raising a path moves the others
  bool one_place = true;
  for (const Path& path : warp.paths) {
    if (waits_at(path, id)) {
      lanes |= path.arrived;
      parts.push_back(path.mask);
      one_place = one_place && path.pc == top->pc && path.frame == top->frame;
    }
  }
  const bool everybody = (warp.live & ~lanes & ~leaving_lanes(c)) == 0;
  const auto enter = [&](std::uint32_t mask) {
    const Bound* const i = raise_path(c, mask);
    c.mask = warp.paths.back().arrived;
    return i;
  };
  const bool aligned = is_aligned(enter(top->mask));
  if (!everybody && !in_part) {
    return false;
  }
  const Bound* i = nullptr;
  bool reported = false;
  for (const std::uint32_t mask : parts) {
    i = enter(mask);
    reported = !everybody || (aligned && (!one_place || is_passed_over(c, i, lanes)));
    if (reported) {
      report_divergence(c, i);
    }
    bring(c, i, c.block.barriers[id]);
  }
  arrive(c, i, id, lanes, reported);
  return true;
}

}  // namespace tilestep::simt
