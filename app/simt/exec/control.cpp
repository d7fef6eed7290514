#include "simt/exec/control.h"

#include "problem/tr.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tilestep::simt {
namespace {

[[nodiscard]] const ptx::Function& running_function(const Context& c) {
  return c.program.module->functions[c.frame().function];
}

[[nodiscard]] const ptx::Operand& operand(const Context& c, const Bound* i, std::uint32_t k) {
  return running_function(c).operands[i->source->first_operand + k];
}

// Copies bytes between two interleaved areas, for some lanes.
void copy_area(std::byte* to, std::uint32_t to_offset, const std::byte* from,
               std::uint32_t from_offset, std::uint32_t bytes, std::uint32_t lanes) {
  std::array<std::byte, 16> piece{};
  for (std::uint32_t done = 0; done < bytes; done += 16) {
    const std::uint32_t size = std::min(bytes - done, std::uint32_t{16});
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      read_interleaved(from, from_offset + done, lane, piece.data(), size);
      write_interleaved(to, to_offset + done, lane, piece.data(), size);
    }
  }
}

// Copies whole words of all lanes at once; lanes that do not call get values nobody reads.
void copy_words(std::byte* to, std::uint32_t to_offset, const std::byte* from,
                std::uint32_t from_offset, std::uint32_t bytes, std::uint32_t lanes) {
  const bool whole = (to_offset | from_offset | bytes) % 4 == 0 && lanes == ~0U;
  if (!whole) {
    copy_area(to, to_offset, from, from_offset, bytes, lanes);
    return;
  }
  std::memcpy(to + std::size_t{to_offset} / 4 * kWordRow,
              from + std::size_t{from_offset} / 4 * kWordRow, std::size_t{bytes} / 4 * kWordRow);
}

// The function that the executing lanes call, and the lanes that call the same one as the first.
struct Callee {
  std::uint64_t function = 0;
  std::uint32_t lanes = 0;
};

[[nodiscard]] Callee callee_of(const Context& c, const Bound* i) {
  const ptx::Operand& target = operand(c, i, i->source->dest_count);
  if (target.kind == ptx::OperandKind::Function) {
    return {target.index, c.mask};
  }
  const auto* const addresses = row<const std::uint64_t>(c, i->in[0]);
  Callee callee{addresses[std::countr_zero(c.mask)], 0};
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    callee.lanes |= addresses[lane] == callee.function ? 1U << lane : 0U;
  }
  callee.function -= kCodeWindow;
  return callee;
}

// The lowest offset, at least `from`, that is free in all frames; `begin` and `bytes` describe one
// frame.
template <class Begin, class Bytes>
[[nodiscard]] std::uint32_t free_place(const Context& c, std::uint32_t from, std::uint32_t bytes,
                                       Begin begin, Bytes size) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const Frame& frame : c.warp.frames) {
      if (frame.function == kNoFunction) {
        continue;
      }
      const std::uint32_t end = begin(frame) + size(c.program.functions[frame.function].frame);
      if (from < end && begin(frame) < from + bytes) {
        from = end;
        moved = true;
      }
    }
  }
  return from;
}

// Adds a zeroed frame called by the running one; returns its index.
std::uint32_t push_frame(Context& c, std::uint32_t function, std::uint32_t call_pc) {
  const std::uint32_t caller = c.warp.paths.back().frame;
  const Frame below = c.warp.frames[caller];
  const FrameLayout& layout_below = c.program.functions[below.function].frame;
  const FrameLayout& layout = c.program.functions[function].frame;
  Frame frame;
  frame.function = function;
  frame.call_pc = call_pc;
  frame.caller = caller;
  frame.depth = below.depth + 1;
  frame.offset = free_place(
      c, below.offset + layout_below.bytes, layout.bytes, [](const Frame& f) { return f.offset; },
      [](const FrameLayout& f) { return f.bytes; });
  frame.local = free_place(
      c, below.local + layout_below.local_bytes, layout.local_bytes,
      [](const Frame& f) { return f.local; }, [](const FrameLayout& f) { return f.local_bytes; });
  grow_block(c.block, frame.offset + layout.bytes, frame.local + layout.local_bytes);
  std::memset(c.block.stack(c.id.warp) + frame.offset, 0, layout.bytes);
  std::memset(c.block.local(c.id.warp) + std::size_t{frame.local} * kLanes, 0,
              std::size_t{layout.local_bytes} * kLanes);
  std::vector<Frame>& frames = c.warp.frames;
  const auto place =
      std::ranges::find_if(frames, [](const Frame& f) { return f.function == kNoFunction; });
  const auto index = static_cast<std::uint32_t>(place - frames.begin());
  if (place == frames.end()) {
    frames.push_back(frame);
  } else {
    *place = frame;
  }
  return index;
}

void pass_arguments(Context& c, const Bound* i, const Frame& frame) {
  const Frame& below = c.warp.frames[frame.caller];
  const ptx::Function& caller = c.program.module->functions[below.function];
  const ptx::Function& callee = c.program.module->functions[frame.function];
  std::byte* const stack = c.block.stack(c.id.warp);
  const std::byte* const from =
      stack + below.offset + c.program.functions[below.function].frame.call_area;
  std::byte* const to = stack + frame.offset + c.program.functions[frame.function].frame.params;
  const std::uint32_t first = i->source->first_operand + i->source->dest_count + 1U;
  for (std::uint32_t k = 0; k < callee.params.size(); ++k) {
    const ptx::Param& param = callee.params[k];
    copy_words(to, param.offset, from, caller.operands[first + k].index, param.bytes,
               c.mask == c.existing ? ~0U : c.mask);
  }
}

// Copies the lanes' returned values from the running frame to the caller's call area.
void pass_results(Context& c, std::uint32_t lanes) {
  const Frame& frame = c.frame();
  const Frame& below = c.warp.frames[frame.caller];
  const ptx::Function& caller = c.program.module->functions[below.function];
  const ptx::Function& callee = c.program.module->functions[frame.function];
  const ptx::Instruction& call_site = caller.instructions[frame.call_pc];
  std::byte* const stack = c.block.stack(c.id.warp);
  const std::byte* const from =
      stack + frame.offset + c.program.functions[frame.function].frame.params;
  std::byte* const to = stack + below.offset + c.program.functions[below.function].frame.call_area;
  for (std::uint32_t k = 0; k < call_site.dest_count && k < callee.returns.size(); ++k) {
    const ptx::Param& value = callee.returns[k];
    copy_words(to, caller.operands[call_site.first_operand + k].index, from, value.offset,
               value.bytes, lanes == c.existing ? ~0U : lanes);
  }
}

// Whether this is a trap outside the kernel's own text, in a program that reads %envreg to find out
// about a cooperative launch: without one, grid_group::sync() ends there.
[[nodiscard]] bool traps_without_cooperation(const Context& c, const Bound* i) {
  const std::vector<ptx::Function>& functions = c.program.module->functions;
  const ptx::Function& here = functions[c.frame().function];
  if (i->source->line != 0 && here.lines[i->source->line].file == 1) {
    return false;
  }
  return std::ranges::any_of(functions, [](const ptx::Function& function) {
    return std::ranges::any_of(function.operands, [](const ptx::Operand& operand) {
      return operand.kind == ptx::OperandKind::Special &&
             operand.index == static_cast<std::uint32_t>(ptx::SpecialRegister::Envreg);
    });
  });
}

const Bound* stop_at_wild_call(Context& c, const Bound* i, const Callee& callee) {
  FaultEvent fault;
  fault.kind = FaultKind::WildCall;
  fault.mask = callee.lanes;
  fault.address = callee.function + kCodeWindow;
  return stop_warp(c, i, fault);
}

}  // namespace

const Bound* nothing(Context&, const Bound* i) {
  return i + 1;
}

const Bound* settle_once(Context& c, const Bound* i) {
  const std::uint32_t variant = c.variant;
  const Bound* const end = i + i->steps[variant];
  const std::uint64_t bit = std::uint64_t{1} << i->once;
  if ((c.warp.settled.bits & bit) == 0) {
    for (const Bound* k = i; k != end; ++k) {
      k->run[variant](c, k);
    }
    c.warp.settled.bits |= bit;
  }
  return end;
}

const Bound* branch_always(Context&, const Bound* i) {
  return i + i->jump;
}

const Bound* branch_if(Context& c, const Bound* i) {
  const std::uint32_t taken =
      (predicate(c, i->in[0]) ^ static_cast<std::uint32_t>(i->value)) & c.active;
  if (taken == 0) {
    return i + 1;
  }
  const Bound* const target = i + i->jump;
  if (taken == c.active) {
    return target;
  }
  const std::array<Branch, 2> parts{Branch{i->pc + 1, c.active & ~taken},
                                    Branch{target->pc, taken}};
  return diverge(c, i->source->reconverge, parts.data(), parts.size());
}

// An index beyond the list is undefined in PTX; this takes the last target.
const Bound* branch_indexed(Context& c, const Bound* i) {
  const auto* const index = row<const std::uint32_t>(c, i->in[0]);
  const std::vector<std::uint32_t>& targets = i->detail->targets;
  std::array<Branch, kLanes + 1> parts{};
  std::size_t count = 0;
  if (c.mask != c.active) {
    parts[count++] = {i->pc + 1, c.active & ~c.mask};
  }
  const std::size_t first = count;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t pc = targets[std::min<std::size_t>(index[lane], targets.size() - 1)];
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(parts.begin() + static_cast<std::ptrdiff_t>(first), end,
                                   [pc](const Branch& part) { return part.pc == pc; });
    if (same == end) {
      parts[count++] = {pc, 1U << lane};
    } else {
      same->mask |= 1U << lane;
    }
  }
  if (count == 1) {
    return c.code + parts[0].pc;
  }
  return diverge(c, i->source->reconverge, parts.data(), count);
}

std::uint32_t guard_mask(const Context& c, const Bound* i) {
  if (i->source->guard == ptx::kNoGuard) {
    return c.active;
  }
  const bool is_branch = i->source->op == ptx::Opcode::Bra;
  const Slot guard = is_branch ? i->in[0] : i->detail->guard;
  return (predicate(c, guard) ^ (i->source->guard_negated ? ~0U : 0U)) & c.active;
}

const Bound* guarded(Context& c, const Bound* i) {
  const Detail& detail = *i->detail;
  c.mask = (predicate(c, detail.guard) ^ detail.guard_invert) & c.active;
  const std::uint32_t variant = (c.variant & kObserved) | (c.mask == c.existing ? 0 : kPartial);
  const Bound* const next = c.mask == 0 ? i + 1 : detail.inner[variant](c, i);
  c.mask = c.active;
  return next;
}

const Bound* with_wide_address(Context& c, const Bound* i) {
  const auto* const narrow = row<const std::uint32_t>(c, i->detail->narrow);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    c.scratch[lane] = narrow[lane];
  }
  const std::uint32_t variant = (c.variant & kObserved) | (c.mask == c.existing ? 0 : kPartial);
  return i->detail->widened[variant](c, i);
}

// Lanes with another target than the first one's return to the instruction for their own call.
const Bound* call(Context& c, const Bound* i) {
  const Callee callee = callee_of(c, i);
  const auto& functions = c.program.module->functions;
  if (callee.function < functions.size() && !functions[callee.function].is_defined) {
    const Bound* const next = call_library(c, i, functions[callee.function]);
    return next != nullptr
               ? next
               : stop_warp(c, i, FaultKind::UndefinedCall, functions[callee.function].name);
  }
  if (callee.function >= functions.size() ||
      functions[callee.function].params.size() + i->source->dest_count + 1U !=
          i->source->operand_count) {
    return stop_at_wild_call(c, i, callee);
  }
  if (callee.lanes != c.mask) {
    const std::array<Branch, 3> parts{Branch{i->pc, callee.lanes},
                                      Branch{i->pc, c.mask & ~callee.lanes},
                                      Branch{i->pc + 1, c.active & ~c.mask}};
    std::vector<Path>& paths = c.warp.paths;
    Path part = paths.back();
    paths.back().pc = i->pc + 1;
    part.reconverge = i->pc + 1;
    for (const std::size_t k : {1U, 0U}) {
      part.pc = parts[k].pc;
      part.mask = parts[k].mask;
      paths.push_back(part);
    }
    return next_path(c);
  }
  if (c.frame().depth >= kMaxCallDepth) {
    return stop_warp(
        c, i, FaultKind::StackOverflow,
        tr("{} exceeds a call depth of {}", functions[callee.function].name, kMaxCallDepth));
  }
  const std::uint32_t lanes = c.mask;
  const std::uint32_t frame = push_frame(c, static_cast<std::uint32_t>(callee.function), i->pc);
  pass_arguments(c, i, c.warp.frames[frame]);
  if (const std::uint32_t bytes = c.program.functions[callee.function].frame.local_bytes;
      bytes != 0 && c.observer != nullptr) {
    c.observer->on_local_frame(step_info(c, i), kLocalWindow + c.warp.frames[frame].local, bytes);
  }
  c.warp.paths.back().pc = i->pc + 1;
  Path path;
  path.mask = lanes;
  path.frame = frame;
  c.warp.paths.push_back(path);
  return c.enter();
}

const Bound* return_from(Context& c, const Bound* i) {
  if (c.frame().depth == 0) {
    return exit_lanes(c, i, c.mask);
  }
  const std::uint32_t lanes = c.mask;
  pass_results(c, lanes);
  std::vector<Path>& paths = c.warp.paths;
  const std::uint32_t frame = paths.back().frame;
  paths.back().pc = i->pc + 1;
  for (Path& path : paths) {
    path.mask &= path.frame == frame ? ~lanes : ~0U;
  }
  drop_empty_paths(c.warp);
  return next_path(c);
}

const Bound* exit_thread(Context& c, const Bound* i) {
  return exit_lanes(c, i, c.mask);
}

const Bound* exit_lanes(Context& c, const Bound* i, std::uint32_t lanes) {
  Warp& warp = c.warp;
  if (!warp.copies.empty()) {
    finish_copies(c, i);  // no thread waited for them, but they still arrive
  }
  if (!c.block.bulk_copies.empty()) {
    finish_bulk_copies(c, lanes);
  }
  warp.stored_apart &= c.active == warp.live ? ~lanes : ~0U;
  warp.live &= ~lanes;
  warp.paths.back().pc = i->pc + 1;
  if (warp.live != 0) {
    for (Path& path : warp.paths) {
      path.mask &= ~lanes;
    }
    drop_empty_paths(warp);
    return next_path(c);
  }
  warp.paths.back().pc = i->pc;
  warp.status = WarpStatus::Exited;
  --c.block.live_warps;
  ++c.block.exited_warps;
  if (c.block.live_warps != 0) {
    release_complete_barriers(c, i);
  } else {
    const BlockStatus status = c.block.has_fault ? BlockStatus::Stopped : BlockStatus::Ended;
    c.machine.end_block(c.block.index, status);
  }
  return halt(c);
}

const Bound* trap(Context& c, const Bound* i) {
  if (traps_without_cooperation(c, i)) {
    return stop_warp(c, i, FaultKind::GridBarrier, "");
  }
  return stop_warp(c, i, FaultKind::Trap,
                   std::string(ptx::instruction_text(*c.program.module, *i->source)));
}

const Bound* read_clock(Context& c, const Bound* i) {
  c.clock_lanes = c.mask;
  c.stop = i + 1;
  return c.stop;
}

template <class Word>
const Bound* local_address(Context& c, const Bound* i) {
  auto* const d = row<Word>(c, i->d);
  const auto address = static_cast<Word>(c.frame_local + static_cast<std::uint64_t>(i->value));
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    d[lane] = (c.mask >> lane & 1U) != 0 ? address : d[lane];
  }
  return i + 1;
}
template const Bound* local_address<std::uint32_t>(Context& c, const Bound* i);
template const Bound* local_address<std::uint64_t>(Context& c, const Bound* i);

}  // namespace tilestep::simt
