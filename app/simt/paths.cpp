// How the lanes of a warp part and come together again.
//
// A warp's paths form a stack: at a branch that not all lanes take, the running path becomes the
// join at the branch's immediate post-dominator and its parts are stacked above it. A part ends
// where it arrives at the join. Lanes whose branch leads straight to the join wait there and are
// not stacked; parts with the same place and join are merged. So the stack holds at most one path
// for each lane and one join for each level of nesting, whatever loops do.
//
// Any path that is nobody's join may be taken to the top: the order among them is only whose turn
// it is (path_choice.cpp).
#include "simt/context.h"

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

// Puts lanes on a part of the split whose parts lie on top of the stack.
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

// Calls that no path is in, nor a call that one is in.
void free_frames(Warp& warp) {
  for (std::size_t f = warp.frames.size(); f-- > 1;) {
    const auto runs_in = [f](const Path& path) { return path.frame == f; };
    const auto called_by = [f](const Frame& frame) {
      return frame.function != kNoFunction && frame.depth != 0 && frame.caller == f;
    };
    if (std::none_of(warp.paths.begin(), warp.paths.end(), runs_in) &&
        std::none_of(warp.frames.begin(), warp.frames.end(), called_by)) {
      warp.frames[f] = {};
      warp.frames[f].function = kNoFunction;
    }
  }
  while (warp.frames.back().function == kNoFunction) {
    warp.frames.pop_back();
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

}  // namespace tilestep::simt
