// How the lanes of a warp part and come together again.
//
// A warp's paths form a stack: at a branch that not all lanes take, the running path becomes the
// join at the branch's immediate post-dominator and its parts are stacked above it. A part ends
// where it arrives at the join. Lanes whose branch leads straight to the join wait there and are
// not stacked; parts with the same place and join are merged. So the stack holds at most one path
// for each lane and one join for each level of nesting, whatever loops do.
#include "simt/context.h"

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

// Puts lanes on a part of the split whose parts lie on top of the stack.
void add_part(std::vector<Path>& paths, const Path& part) {
  for (auto p = paths.rbegin(); p != paths.rend(); ++p) {
    if (p->depth != part.depth || p->reconverge != part.reconverge) {
      break;
    }
    if (p->pc == part.pc) {
      p->mask |= part.mask;
      return;
    }
  }
  paths.push_back(part);
}

}  // namespace

Context::Context(MachineState& state, Block& b, WarpId warp_id, Observer* watcher)
    : observer(watcher),
      windows(state.windows.data()),
      window_count(static_cast<std::uint32_t>(state.windows.size())),
      program(state.impl()),
      machine(state),
      block(b),
      warp(b.warps[warp_id.warp]),
      id(warp_id),
      event(state.event) {
  existing = warp.existing;
  shared_bytes = program.memory.shared_bytes();
}

const Bound* Context::enter() {
  const Path& path = warp.paths.back();
  const Frame& frame = warp.frames.back();
  const BoundFunction& function = program.functions[frame.function];
  std::byte* const storage = block.storage.data();
  const auto set = [&](Base which, const std::byte* at) {
    // Executors write through Base::Frame only.
    base[static_cast<std::size_t>(which)] = const_cast<std::byte*>(at);
  };
  set(Base::Frame, block.stack(id.warp) + frame.offset);
  set(Base::Constants, program.constants.data());
  set(Base::Warp, program.warp_rows.data() + std::size_t{id.warp} * kWarpRows);
  set(Base::Block, storage);
  set(Base::Scratch, reinterpret_cast<const std::byte*>(scratch.data()));
  shared = storage + block.shared_offset;
  local = block.local(id.warp);
  frame_local = frame.local;
  set(Base::Local, local + std::size_t{frame.local} * kLanes);
  local_bytes = std::uint64_t{frame.local} + function.frame.local_bytes;
  active = path.mask;
  mask = active;
  variant = (active == existing ? 0 : kPartial) | (observer == nullptr ? 0 : kObserved);
  code = function.code.data();
  stop = path.reconverge == ptx::kNoPc ? nullptr : code + path.reconverge;
  return code + path.pc;
}

StepInfo step_info(const Context& c, const Bound* i) {
  StepInfo info;
  info.id = c.id;
  info.function = c.warp.frames.back().function;
  info.pc = i->pc;
  info.instruction = i->source;
  info.active = c.active;
  info.mask = c.mask;
  return info;
}

void report_fault(Context& c, const Bound* i, const FaultEvent& fault) {
  if (c.observer != nullptr) {
    c.observer->on_fault(step_info(c, i), fault);
  }
}

const Bound* halt(Context& c) {
  c.halted = true;
  c.stop = c.code;
  return c.stop;
}

const Bound* stop_warp(Context& c, const Bound* i, FaultKind kind, std::string detail) {
  FaultEvent fault;
  fault.kind = kind;
  fault.mask = c.mask;
  fault.detail = std::move(detail);
  report_fault(c, i, fault);
  c.warp.paths.back().pc = i->pc;
  c.warp.status = WarpStatus::Stopped;
  c.block.has_fault = true;
  --c.block.live_warps;
  if (c.block.live_warps == 0) {
    c.machine.end_block(c.block.index, BlockStatus::Stopped);
  }
  return halt(c);
}

const Bound* not_simulated(Context& c, const Bound* i) {
  return stop_warp(c, i, FaultKind::NotSimulated,
                   std::string(ptx::instruction_text(*c.program.module, *i->source)));
}

const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count) {
  std::vector<Path>& paths = c.warp.paths;
  Path part = paths.back();
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

void settle_paths(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  while (paths.back().mask == 0 || paths.back().pc == paths.back().reconverge) {
    paths.pop_back();
  }
  warp.frames.resize(paths.back().depth + std::size_t{1});
}

const Bound* next_path(Context& c) {
  settle_paths(c.warp);
  return c.enter();
}

}  // namespace tilestep::simt
