// bar and barrier (PTX ISA 9.0, 9.7.13.1).
//
// A warp arrives as a whole and counts with all its lanes, as .aligned demands; lanes that have
// exited do not hold anybody up. A warp that arrives with a part of its live lanes is reported and
// counts all the same.
#include "simt/exec_control.h"

#include <bit>

namespace tilestep::simt {
namespace {

[[nodiscard]] std::uint32_t first_lane_value(const Context& c, Slot slot) {
  return row<const std::uint32_t>(c, slot)[std::countr_zero(c.mask)];
}

void tell(Context& c, const Bound* i, BarrierAction action, std::uint32_t id, std::uint32_t mask) {
  if (c.observer != nullptr) {
    c.observer->on_barrier(step_info(c, i), {action, id, mask});
  }
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

// bar.red gives its result to every warp that waited.
void write_result(Context& c, std::uint32_t number, const Barrier& barrier) {
  Warp& warp = c.block.warps[number];
  const Frame& frame = warp.frames.back();  // the one it waits in
  const Bound& i = c.program.functions[frame.function].code[warp.barrier_pc];
  if (i.source->op != ptx::Opcode::Bar || i.source->dest_count == 0 || i.d == kNoSlot) {
    return;
  }
  auto* const to =
      reinterpret_cast<std::uint32_t*>(c.block.stack(number) + frame.offset + i.d.offset);
  const std::uint32_t result = reduce(barrier, i.source->mode);
  const std::uint32_t lanes = warp.barrier_lanes;
  if (i.source->type == ptx::Type::Pred || i.source->mode != ptx::Mode::BarRedPopc) {
    *to = (*to & ~lanes) | (result & lanes);
    return;
  }
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    to[std::countr_zero(left)] = result;
  }
}

void release(Context& c, const Bound* i, std::uint32_t id) {
  const Barrier done = c.block.barriers[id];
  c.block.barriers[id] = {};
  for (std::uint32_t number = 0; number < c.block.warps.size(); ++number) {
    Warp& warp = c.block.warps[number];
    if (warp.status == WarpStatus::AtBarrier && warp.barrier == id) {
      write_result(c, number, done);
      warp.status = WarpStatus::Ready;
      warp.barrier = 0;
      warp.barrier_pc = 0;
      warp.barrier_lanes = 0;
    }
  }
  tell(c, i, BarrierAction::Release, id, 0);
}

[[nodiscard]] bool is_complete(const Context& c, std::uint32_t id) {
  const auto left = static_cast<std::uint32_t>(c.block.warps.size()) - c.block.exited_warps;
  const std::uint32_t everybody = left * static_cast<std::uint32_t>(c.program.warp_size);
  const Barrier& barrier = c.block.barriers[id];
  const std::uint32_t wanted = barrier.expected != 0 ? barrier.expected : everybody;
  return barrier.arrived != 0 && barrier.arrived >= wanted;
}

// Lanes that have nothing left to do but to leave the kernel. The step build has one `ret` for all
// returns; a lane that took an early one waits there for the rest of its warp.
[[nodiscard]] std::uint32_t leaving_lanes(const Context& c) {
  std::uint32_t leaving = 0;
  std::uint32_t elsewhere = c.active;  // running, or on a path above
  const std::vector<Path>& paths = c.warp.paths;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    const ptx::Instruction& next =
        *c.program.functions[c.warp.frames[path->depth].function].code[path->pc].source;
    const bool leaves =
        next.op == ptx::Opcode::Exit || (next.op == ptx::Opcode::Ret && path->depth == 0);
    if (leaves && next.guard == ptx::kNoGuard) {
      leaving |= path->mask & ~elsewhere;
    }
    elsewhere |= path->mask;
  }
  return leaving;
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
    return stop_warp(c, i, FaultKind::Trap, "a block has the barriers 0 to 15");
  }
  if (c.mask != c.warp.live && c.mask != (c.warp.live & ~leaving_lanes(c))) {
    FaultEvent fault;
    fault.kind = FaultKind::DivergentBarrier;
    fault.mask = c.mask;
    report_fault(c, i, fault);
  }
  tell(c, i, BarrierAction::Arrive, id, c.mask);
  Barrier& state = c.block.barriers[id];
  state.arrived += static_cast<std::uint32_t>(c.program.warp_size);
  if (!(i->in[1] == kNoSlot)) {
    state.expected = first_lane_value(c, i->in[1]);
  }
  if (!(i->in[2] == kNoSlot)) {
    const std::uint32_t votes = predicate(c, i->in[2]) ^ static_cast<std::uint32_t>(i->value);
    state.ones += static_cast<std::uint32_t>(std::popcount(votes & c.mask));
    state.voters += static_cast<std::uint32_t>(std::popcount(c.mask));
  }
  if (i->source->mode != ptx::Mode::BarArrive) {
    c.warp.status = WarpStatus::AtBarrier;
    c.warp.barrier_pc = i->pc;
    c.warp.barrier = id;
    c.warp.barrier_lanes = c.mask;
  }
  if (is_complete(c, id)) {
    release(c, i, id);
  }
  const bool waited = i->source->mode != ptx::Mode::BarArrive;
  if (c.warp.status == WarpStatus::Ready && !(c.pauses_at_barrier && waited)) {
    return i + 1;
  }
  c.warp.paths.back().pc = i->pc + 1;
  settle_paths(c.warp);
  return halt(c);
}

}  // namespace tilestep::simt
