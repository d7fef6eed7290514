#include "insight/check/watchers.h"

#include "insight/names.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace tilestep::insight {
namespace {

// An atomic, a strong access or a fence, in memory that other blocks see.
bool may_order_blocks(const ptx::Instruction& i) {
  switch (i.op) {
    case ptx::Opcode::Atom:
    case ptx::Opcode::Red:
      return i.space != ptx::Space::Shared;
    case ptx::Opcode::Ld:
    case ptx::Opcode::St:
      return is_strong(i) && (i.space == ptx::Space::Global || i.space == ptx::Space::Generic);
    case ptx::Opcode::Membar:
    case ptx::Opcode::Fence:
      return i.scope != ptx::MemoryScope::Cta;
    default:
      return false;
  }
}

bool may_wait_for_each_other(const simt::Program& program) {
  return !program.only_memory_connects_blocks() ||
         std::ranges::any_of(program.module().functions, [](const ptx::Function& function) {
           return std::ranges::any_of(function.instructions, may_order_blocks);
         });
}

using simt::kLanes;

bool is_nan_half(std::uint64_t bits) {
  return (bits & 0x7fff) > 0x7c00;
}

bool is_nan_bfloat(std::uint64_t bits) {
  return (bits & 0x7fff) > 0x7f80;
}

std::string text_of(double value) {
  if (std::isinf(value)) {
    return value < 0 ? "−∞" : "∞";
  }
  return fmt::format("{:g}", value);
}

// Only whether a half is infinite, zero or another number: the sentence needs no more of an
// operand.
std::string half_text(std::uint64_t bits, std::uint64_t infinity) {
  const std::string sign = (bits & 0x8000) != 0 ? "−" : "";
  const std::uint64_t magnitude = bits & 0x7fff;
  return magnitude == infinity ? sign + "∞" : magnitude == 0 ? sign + "0" : sign + tr("a number");
}

std::string operand_text(std::uint64_t bits, ptx::Type type) {
  switch (type) {
    case ptx::Type::F64:
      return text_of(std::bit_cast<double>(bits));
    case ptx::Type::F32:
      return text_of(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ptx::Type::BF16:
      return half_text(bits, 0x7f80);
    case ptx::Type::F16:
      return half_text(bits, 0x7c00);
    default:
      return tr("a pair");
  }
}

}  // namespace

std::vector<std::uint32_t> watched_blocks(const simt::Program& program,
                                          const SuspectBlocks& suspects, std::uint64_t steps,
                                          bool evenly) {
  if (steps <= kAlwaysWatched || suspects.any() || may_wait_for_each_other(program)) {
    return {};
  }
  std::set<std::uint32_t> blocks = suspects.blocks();
  const std::uint64_t all = program.block_count();
  const std::uint64_t most = std::clamp<std::uint64_t>(kWatched * all / steps, 2, all);
  if ((evenly || blocks.empty()) && blocks.size() < most) {
    const std::uint64_t more = std::max<std::uint64_t>(most - blocks.size(), 2);
    for (std::uint64_t i = 0; i < more; ++i) {
      blocks.insert(static_cast<std::uint32_t>((all - 1) * i / (more - 1)));
    }
  }
  return {blocks.begin(), blocks.end()};
}

// The barrier's place in the text, with the calls and the inlining around it: the same for all
// copies that the compiler makes of it.
LeftLoops::Place LeftLoops::place_of(const simt::StepInfo& info) const {
  Place place;
  std::uint32_t pc = info.pc;
  std::uint32_t frame = info.frame;
  for (auto call = machine_.call(info.id, frame); call; call = machine_.call(info.id, frame)) {
    const ptx::Function& function = machine_.program().module().functions[call->function];
    const std::uint32_t own = function.instructions[pc].line;
    place.insert(place.end(), {call->function, own == 0 ? pc : 0});
    for (std::uint32_t at = own; at != 0; at = function.lines[at].inlined_at) {
      const ptx::Line& line = function.lines[at];
      place.insert(place.end(), {line.file, line.line, line.column});
    }
    if (frame == 0 || call->call_pc == ptx::kNoPc) {
      break;
    }
    pc = call->call_pc;
    frame = call->caller;
  }
  return place;
}

void LeftLoops::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (event.action != simt::BarrierAction::Arrive || !event.whole_block) {
    return;
  }
  std::uint32_t& came = came_[{info.id.block, info.id.warp, place_of(info)}];
  const bool is_left = event.absent != simt::kNoThread && (came & ~event.mask) != 0;
  came |= event.mask;
  if (!is_left) {
    return;
  }
  const std::uint32_t line = lines_.line_of(info, machine_);
  const auto [it, is_new] = findings_.try_emplace(line);
  Finding& finding = it->second;
  if (!is_new) {
    ++finding.occurrences;
    return;
  }
  const simt::Program& program = machine_.program();
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(event.mask));
  finding.kind = FindingKind::DivergentBarrier;
  finding.parties = {party_of(program, info, lane, line, step_)};
  const Party& party = finding.parties.front();
  finding.sentence = tr(
      "Some threads of a warp in {} leave the kernel after __syncthreads() at line {}, but others, "
      "including {}, reach it again: the threads do not all run the loop the same number of times. "
      "If the compiler duplicates the loop's body, a GPU may wait forever. Let all threads run the "
      "loop the same number of times, and guard only the work in it.",
      block_name(party.block, program.launch()), line, thread_name(party.thread, program.launch()));
}

void take_left_loops(std::vector<Finding>& findings, const LeftLoops& loops) {
  for (Finding& loop : loops.findings()) {
    std::erase_if(findings, [&loop](const Finding& finding) {
      return finding.kind == loop.kind && finding.parties.front().line == loop.parties.front().line;
    });
    findings.push_back(std::move(loop));
  }
}

WarpLines::WarpLines(const simt::Program& program)
    : current_(std::size_t{program.block_count()} * program.warps_per_block()),
      warps_per_block_(program.warps_per_block()) {
  for (const ptx::Function& function : program.module().functions) {
    std::vector<std::uint32_t> lines(function.instructions.size());
    for (std::uint32_t pc = 0; pc < lines.size(); ++pc) {
      lines[pc] = ptx::statement_line(function, pc);
    }
    of_pc_.push_back(std::move(lines));
  }
}

std::uint32_t WarpLines::line_of(const simt::StepInfo& info, const simt::Machine& machine) const {
  std::uint32_t found = of_pc_[info.function][info.pc];
  std::uint32_t frame = info.frame;
  while (found == 0 && frame != 0) {
    const auto call = machine.call(info.id, frame);
    const auto caller = call ? machine.call(info.id, call->caller) : std::nullopt;
    if (!caller) {
      break;
    }
    found = of_pc_[caller->function][call->call_pc];
    frame = call->caller;
  }
  return found != 0 ? found : line(info.id);
}

Party party_of(const simt::Program& program, const simt::StepInfo& info, std::uint32_t lane,
               std::uint32_t line, std::uint64_t step) {
  const std::uint32_t thread = program.thread_of(info.id, lane);
  return {program.block_index(info.id.block), program.thread_index(thread), line, step,
          std::nullopt};
}

std::string operation_text(const ptx::Instruction& instruction,
                           std::span<const std::uint64_t> operands) {
  std::vector<std::string> of;
  for (const std::uint64_t operand : operands) {
    of.push_back(operand_text(operand, instruction.type));
  }
  switch (instruction.op) {
    case ptx::Opcode::Add:
      return of[0] + " + " + of[1];
    case ptx::Opcode::Sub:
      return of[0] + " − " + of[1];
    case ptx::Opcode::Mul:
      return of[0] + " × " + of[1];
    case ptx::Opcode::Mad:
    case ptx::Opcode::Fma:
      return of[0] + " × " + of[1] + " + " + of[2];
    case ptx::Opcode::Div:
      return of[0] + " / " + of[1];
    case ptx::Opcode::Sqrt:
      return tr("the square root of {}", of[0]);
    case ptx::Opcode::Rsqrt:
      return tr("1 / the square root of {}", of[0]);
    case ptx::Opcode::Lg2:
      return tr("the logarithm of {}", of[0]);
    case ptx::Opcode::Sin:
    case ptx::Opcode::Cos:
      return tr("the sine or cosine of {}", of[0]);
    default:
      return tr("a function of {}", of[0]);
  }
}

bool is_nan(std::uint64_t bits, ptx::Type type) {
  switch (type) {
    case ptx::Type::F64:
      return std::isnan(std::bit_cast<double>(bits));
    case ptx::Type::F32:
      return std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ptx::Type::F16:
      return is_nan_half(bits);
    case ptx::Type::F16x2:
      return is_nan_half(bits) || is_nan_half(bits >> 16);
    case ptx::Type::BF16:
      return is_nan_bfloat(bits);
    case ptx::Type::BF16x2:
      return is_nan_bfloat(bits) || is_nan_bfloat(bits >> 16);
    default:
      return false;
  }
}

NanWatch::NanWatch(const simt::Machine& machine, OnBirth on_birth)
    : machine_(machine), on_birth_(std::move(on_birth)) {}

// Lanes of the step in which one of `count` operands from `first` on holds a NaN. Also stores the
// operands.
std::uint32_t NanWatch::lanes_with_nan(const simt::StepInfo& info, std::uint32_t first,
                                       std::uint32_t count) const {
  const ptx::Function& function = machine_.program().module().functions[info.function];
  std::uint32_t lanes = 0;
  for (std::uint32_t n = first; n < first + count; ++n) {
    const ptx::Operand& operand = function.operands[info.instruction->first_operand + n];
    if (operand.kind == ptx::OperandKind::Immediate) {
      // The compiler's constant for a variable that was never set.
      lanes |= is_nan(static_cast<std::uint64_t>(operand.value), info.instruction->type) ? info.mask
                                                                                         : 0U;
    }
    if (operand.kind != ptx::OperandKind::Register) {
      continue;
    }
    for (std::uint32_t rest = info.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t bits = machine_.register_lane(info.id, operand.reg, lane, info.frame);
      lanes |= is_nan(bits, info.instruction->type) ? 1U << lane : 0U;
    }
  }
  return lanes;
}

void NanWatch::before_step(const simt::StepInfo& info) {
  const ptx::Instruction& instruction = *info.instruction;
  watched_ =
      info.mask != 0 && is_float(instruction.type) && ptx::has(instruction.op, ptx::kIsFloatMath);
  if (!watched_) {
    return;
  }
  const std::uint32_t sources = instruction.operand_count - instruction.dest_count;
  clean_lanes_ = info.mask & ~lanes_with_nan(info, instruction.dest_count, sources);
  const ptx::Function& function = machine_.program().module().functions[info.function];
  operands_.assign(std::size_t{sources} * kLanes, 0);
  for (std::uint32_t n = 0; n < sources; ++n) {
    const ptx::Operand& operand =
        function.operands[instruction.first_operand + instruction.dest_count + n];
    for (std::uint32_t rest = clean_lanes_; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      operands_[std::size_t{n} * kLanes + static_cast<std::size_t>(lane)] =
          operand.kind == ptx::OperandKind::Register
              ? machine_.register_lane(info.id, operand.reg, lane, info.frame)
              : static_cast<std::uint64_t>(operand.value);
    }
  }
}

void NanWatch::after_step(const simt::StepInfo& info) {
  if (watched_ && clean_lanes_ != 0) {
    const std::uint32_t born = clean_lanes_ & lanes_with_nan(info, 0, info.instruction->dest_count);
    if (born != 0) {
      on_birth_(info, born, operands_);
    }
  }
}

}  // namespace tilestep::insight
