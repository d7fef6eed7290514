#include "simt/exec/control.h"
#include "simt/machine/program.h"
#include "simt/machine/schedule.h"

#include <algorithm>
#include <limits>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

[[nodiscard]] std::uint32_t line_at(const BoundFunction& function, std::uint32_t pc) {
  return pc < function.lines.size() ? function.lines[pc] : 0;
}

[[nodiscard]] At place_of(const WarpView& view) {
  return {view.status, view.function, view.pc, view.call_depth};
}

// Whether control can go from one pc to another without leaving the latter's line.
[[nodiscard]] bool stays_on_line(const ptx::Function& function, const BoundFunction& bound,
                                 std::uint32_t from, std::uint32_t to) {
  std::vector<bool> seen(function.instructions.size());
  std::vector<std::uint32_t> pending;
  const auto visit = [&](std::uint32_t pc) {
    const bool same_line =
        pc < seen.size() && (bound.lines[pc] == 0 || bound.lines[pc] == bound.lines[to]);
    if (same_line && !seen[pc]) {
      seen[pc] = true;
      pending.push_back(pc);
    }
  };
  visit(from);
  while (!pending.empty() && !seen[to]) {
    const std::uint32_t pc = pending.back();
    pending.pop_back();
    const ptx::Instruction& i = function.instructions[pc];
    if (i.op == O::Bra) {
      visit(i.target);
    } else if (i.op == O::BrxIdx) {
      for (const std::uint32_t target : function.branch_tables[i.target]) {
        visit(target);
      }
    }
    const bool goes_on = i.guard != ptx::kNoGuard || !ptx::has(i.op, ptx::kEndsPath);
    if (goes_on) {
      visit(pc + 1);
    }
  }
  return seen[to];
}

[[nodiscard]] bool performs(const Bound& bound, Executor executor) {
  return bound.run[0] == executor ||
         (bound.detail != nullptr && bound.detail->inner[0] == executor);
}

// Whether afterwards the path may be at another pc than the next one, another path may run, or the
// warp may not be ready.
[[nodiscard]] bool may_leave(const Bound& bound) {
  constexpr O kWaiting[] = {O::Trap, O::Bar, O::BarWarp, O::Atom, O::Mbarrier};
  const O op = bound.source->op;
  const bool polls = bound.detail != nullptr && bound.detail->polled[0] != nullptr;
  return polls || performs(bound, not_simulated) || ptx::has(op, ptx::kJumps) ||
         (ptx::has(op, ptx::kReadsLanes) && op != O::Activemask) ||
         std::ranges::find(kWaiting, op) != std::end(kWaiting);
}

// Whether it changes only the warp's own registers, and reports nothing.
[[nodiscard]] bool is_private(const Bound& bound) {
  const O op = bound.source->op;
  return !performs(bound, read_clock) && (ptx::has(op, ptx::kComputes) || op == O::Bra);
}

[[nodiscard]] std::uint16_t one_more(std::uint16_t steps) {
  return steps == std::numeric_limits<std::uint16_t>::max() ? steps
                                                            : static_cast<std::uint16_t>(steps + 1);
}

void find_straight_stretches(BoundFunction& bound) {
  const std::size_t size = bound.lines.size();
  bound.straight.assign(size, 1);
  bound.straight_private.assign(size, 1);
  for (std::size_t pc = size; pc-- > 1;) {
    const std::uint32_t line = bound.lines[pc];
    if (may_leave(bound.code[pc - 1]) || (line != 0 && line != bound.lines[pc - 1])) {
      continue;
    }
    bound.straight[pc - 1] = one_more(bound.straight[pc]);
    if (is_private(bound.code[pc])) {
      bound.straight_private[pc - 1] = one_more(bound.straight_private[pc]);
    }
  }
}

}  // namespace

At place_of(const MachineState& machine, WarpId id) {
  const Block* const block = machine.blocks[id.block].get();
  if (block == nullptr) {
    const bool waits = machine.statuses[id.block] == BlockStatus::NotStarted;
    return {waits ? WarpStatus::Ready : WarpStatus::Exited, machine.data().entry, 0, 0};
  }
  const Warp& warp = block->warps[id.warp];
  const Path& path = warp.paths.back();
  const Frame& frame = warp.frames[path.frame];
  return {warp.status, frame.function, path.pc, frame.depth};
}

bool ends_at(const ProgramData& program, const At& before, const At& after) {
  const ptx::Instruction& done = program.module->functions[before.function].instructions[before.pc];
  const bool waited = done.op == ptx::Opcode::Bar && done.mode != ptx::Mode::BarArrive;
  if (after.status != WarpStatus::Ready || waited) {
    return true;
  }
  const BoundFunction& from = program.functions[before.function];
  const BoundFunction& to = program.functions[after.function];
  const std::uint32_t line = line_at(to, after.pc);
  if (after.depth > before.depth) {
    return to.has_lines;
  }
  if (after.depth < before.depth) {
    const std::uint32_t call_line = after.pc == 0 ? 0 : line_at(to, after.pc - 1);
    return line != 0 && (from.has_lines || line != call_line);
  }
  const std::uint32_t line_before = line_at(from, before.pc);
  if (line != 0 && line != line_before) {
    return true;
  }
  return from.ends_round[before.pc] && done.target == after.pc;
}

bool ends_statement(const Program& program, const WarpView& before, const WarpView& after) {
  return ends_at(*program.data(), place_of(before), place_of(after));
}

void find_statements(ProgramData& program) {
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    const ptx::Function& function = program.module->functions[f];
    BoundFunction& bound = program.functions[f];
    bound.lines.resize(function.instructions.size());
    for (std::uint32_t pc = 0; pc < bound.lines.size(); ++pc) {
      bound.lines[pc] = function.is_builtin ? 0 : ptx::statement_line(function, pc);
      bound.has_lines = bound.has_lines || bound.lines[pc] != 0;
    }
    bound.ends_round.resize(bound.lines.size());
    for (std::uint32_t pc = 0; pc < bound.lines.size() && bound.has_lines; ++pc) {
      const ptx::Instruction& i = function.instructions[pc];
      bound.ends_round[pc] =
          i.op == O::Bra && i.target <= pc && stays_on_line(function, bound, i.target, pc);
    }
    find_straight_stretches(bound);
    program.reads_clock =
        program.reads_clock ||
        std::ranges::any_of(bound.code, [](const Bound& i) { return performs(i, read_clock); });
  }
}

}  // namespace tilestep::simt
