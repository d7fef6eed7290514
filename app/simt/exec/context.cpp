#include "simt/exec/context.h"

#include <utility>

namespace tilestep::simt {

Context::Context(MachineState& state, Block& b, WarpId warp_id, Observer* watcher)
    : observer(watcher),
      windows(state.windows.data()),
      window_count(static_cast<std::uint32_t>(state.windows.size())),
      program(state.data()),
      machine(state),
      block(b),
      warp(b.warps[warp_id.warp]),
      id(warp_id),
      event(state.event) {
  existing = warp.existing;
  info.id = warp_id;
  shared_bytes = program.memory.shared_room();
}

const Bound* Context::enter() {
  const Path& path = warp.paths.back();
  const Frame& frame = warp.frames[path.frame];
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
  together = active;
  variant = (active == existing ? 0 : kPartial) | (observer == nullptr ? 0 : kObserved);
  info.function = frame.function;
  info.frame = path.frame;
  info.active = active;
  code = function.code.data();
  stop = path.reconverge == ptx::kNoPc ? nullptr : code + path.reconverge;
  return code + path.pc;
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
  return stop_warp(c, i, fault);
}

const Bound* stop_warp(Context& c, const Bound* i, const FaultEvent& fault) {
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

}  // namespace tilestep::simt
