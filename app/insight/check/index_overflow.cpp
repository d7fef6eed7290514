#include "insight/check/index_overflow.h"

#include "insight/check/sentences.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <string>

namespace tilestep::insight {
namespace {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

bool is_32_bit(Type type) {
  return type == Type::S32 || type == Type::U32 || type == Type::B32;
}

bool is_64_bit(Type type) {
  return type == Type::S64 || type == Type::U64 || type == Type::B64;
}

bool is_exact_operation(const ptx::Instruction& i) {
  switch (i.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Neg:
      return (i.flags & (ptx::kSat | ptx::kCarryOut)) == 0;
    case Opcode::Shl:
      return true;
    case Opcode::Mul:
    case Opcode::Mad:
      return i.mode == ptx::Mode::Lo;
    default:
      return false;
  }
}

bool is_widening(const ptx::Instruction& i) {
  if (i.op == Opcode::Cvt) {
    return is_64_bit(i.type) && is_32_bit(i.source_type);
  }
  return (i.op == Opcode::Mul || i.op == Opcode::Mad) && i.mode == ptx::Mode::Wide &&
         is_32_bit(i.type);
}

bool is_copy(const ptx::Instruction& i) {
  return (i.op == Opcode::Mov && i.dest_count == 1 && i.operand_count == 2) || i.op == Opcode::Selp;
}

simt::AccessKind access_kind(Opcode op) {
  return op == Opcode::Ld   ? simt::AccessKind::Load
         : op == Opcode::St ? simt::AccessKind::Store
                            : simt::AccessKind::Atomic;
}

std::string operation_text(Opcode op, const std::array<std::int32_t, 3>& of) {
  switch (op) {
    case Opcode::Add:
      return fmt::format("{} + {}", of[0], of[1]);
    case Opcode::Sub:
      return fmt::format("{} - {}", of[0], of[1]);
    case Opcode::Mul:
      return fmt::format("{} × {}", of[0], of[1]);
    case Opcode::Mad:
      return fmt::format("{} × {} + {}", of[0], of[1], of[2]);
    case Opcode::Shl:
      return fmt::format("{} << {}", of[0], of[1]);
    default:
      return fmt::format("-({})", of[0]);
  }
}

}  // namespace

IndexOverflow::IndexOverflow(const simt::Machine& machine)
    : machine_(machine), lines_(machine.program()) {}

Party IndexOverflow::party(const simt::StepInfo& info, int lane, std::uint32_t line,
                           std::uint64_t step) const {
  return party_of(machine_.program(), info, static_cast<std::uint32_t>(lane), line, step);
}

IndexOverflow::Wrapped IndexOverflow::wrapped(const Step& step, const ptx::Operand& operand,
                                              int lane) const {
  const bool has_register =
      operand.kind == OperandKind::Register || operand.kind == OperandKind::Memory;
  if (!has_register || operand.reg.cls == ptx::RegisterClass::Pred) {
    return {};
  }
  const auto* const lanes = step.registers.find(step.info.frame, operand);
  return lanes == nullptr ? Wrapped{} : (*lanes)[static_cast<std::size_t>(lane)];
}

std::optional<IndexOverflow::Value> IndexOverflow::value(const Step& step, std::uint32_t source,
                                                         int lane) const {
  const ptx::Operand& operand = step.source(source);
  Value value;
  if (operand.kind == OperandKind::Immediate) {
    value.held = static_cast<std::uint32_t>(operand.value);
    value.is_negative_constant = static_cast<std::int32_t>(value.held) < 0;
    return value;
  }
  if (operand.kind != OperandKind::Register) {
    return std::nullopt;
  }
  value.held = static_cast<std::uint32_t>(
      machine_.register_lane(step.info.id, operand.reg, lane, step.info.frame));
  value.wrapped = wrapped(step, operand, lane);
  return value;
}

// The result of the operation without the limit of 32 bits. The compiler turns "i - 1" of unsigned
// numbers into an addition of a negative constant; that constant stays negative here.
IndexOverflow::Exact IndexOverflow::exact(Opcode op, const std::vector<Value>& operands) {
  std::array<Exact, 3> of;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const Value& v = operands[n];
    const auto as_signed = static_cast<std::int32_t>(v.held);
    of[n].as_signed = Wide{as_signed} + v.wrapped.as_signed;
    of[n].as_unsigned =
        v.is_negative_constant ? Wide{as_signed} : Wide{v.held} + v.wrapped.as_unsigned;
  }
  switch (op) {
    case Opcode::Add:
      return {of[0].as_signed + of[1].as_signed, of[0].as_unsigned + of[1].as_unsigned};
    case Opcode::Sub:
      return {of[0].as_signed - of[1].as_signed, of[0].as_unsigned - of[1].as_unsigned};
    case Opcode::Mul:
      return {of[0].as_signed * of[1].as_signed, of[0].as_unsigned * of[1].as_unsigned};
    case Opcode::Mad:
      return {of[0].as_signed * of[1].as_signed + of[2].as_signed,
              of[0].as_unsigned * of[1].as_unsigned + of[2].as_unsigned};
    case Opcode::Shl: {
      const int by = operands[1].held < 64 ? static_cast<int>(operands[1].held) : 64;
      return {of[0].as_signed << by, of[0].as_unsigned << by};
    }
    default:
      return {-of[0].as_signed, -of[0].as_unsigned};
  }
}

std::uint32_t IndexOverflow::held(Opcode op, const std::vector<Value>& operands) {
  const std::uint32_t a = operands[0].held;
  const std::uint32_t b = operands.size() > 1 ? operands[1].held : 0;
  switch (op) {
    case Opcode::Add:
      return a + b;
    case Opcode::Sub:
      return a - b;
    case Opcode::Mul:
      return a * b;
    case Opcode::Mad:
      return a * b + operands[2].held;
    case Opcode::Shl:
      return b < 32 ? a << b : 0;
    default:
      return 0U - a;
  }
}

IndexOverflow::Origin IndexOverflow::origin(const Step& step, const Exact& exact,
                                            std::uint32_t held,
                                            const std::vector<Value>& operands) const {
  Origin origin;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const Wrapped& earlier = operands[n].wrapped;
    if (!earlier.is_exact() && earlier.origin.op != Opcode::Unknown) {
      return earlier.origin;
    }
    origin.operands[n] = static_cast<std::int32_t>(operands[n].held);
  }
  origin.op = step.instruction.op;
  origin.line = lines_.line(step.info.id);
  origin.step = step_;
  origin.as_signed = static_cast<std::int64_t>(exact.as_signed);
  origin.as_unsigned = static_cast<std::int64_t>(exact.as_unsigned);
  origin.held = held;
  return origin;
}

void IndexOverflow::set(const Step& step, int lane, const Wrapped& wrapped) {
  for (std::uint32_t n = 0; n < step.instruction.dest_count; ++n) {
    const ptx::Operand& dest = step.operand(n);
    if (dest.kind != OperandKind::Register || dest.reg.cls == ptx::RegisterClass::Pred) {
      continue;
    }
    if (!wrapped.is_exact() || step.registers.find(step.info.frame, dest) != nullptr) {
      step.registers.at(step.info.frame, dest)[static_cast<std::size_t>(lane)] = wrapped;
    }
  }
}

void IndexOverflow::calculate(const Step& step) {
  const Opcode op = step.instruction.op;
  std::vector<Value> operands;
  for (std::uint32_t rest = step.info.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    operands.clear();
    bool on_purpose = false;
    for (std::uint32_t n = 0; n < step.sources(); ++n) {
      const std::optional<Value> operand = value(step, n, lane);
      on_purpose = on_purpose || !operand || operand->wrapped.on_purpose;
      operands.push_back(operand.value_or(Value{}));
    }
    Wrapped result;
    const std::uint32_t bits = held(op, operands);
    const Exact truth = exact(op, operands);
    const Wide off_signed = truth.as_signed - static_cast<std::int32_t>(bits);
    const Wide off_unsigned = truth.as_unsigned - Wide{bits};
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
    if (on_purpose || off_signed > kMost || off_signed < -kMost || off_unsigned > kMost ||
        off_unsigned < -kMost) {
      result.on_purpose = true;
    } else if (off_signed != 0 || off_unsigned != 0) {
      result.as_signed = static_cast<std::int64_t>(off_signed);
      result.as_unsigned = static_cast<std::int64_t>(off_unsigned);
      result.origin = origin(step, truth, bits, operands);
    }
    set(step, lane, result);
  }
}

// A wrapped 32-bit number is widened to 64 bits: from here on the value is wrong.
void IndexOverflow::widen(const Step& step) {
  const ptx::Instruction& i = step.instruction;
  const Type from = i.op == Opcode::Cvt ? i.source_type : i.type;
  for (std::uint32_t rest = step.info.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Wrapped result;
    for (std::uint32_t n = 0; n < step.sources(); ++n) {
      const Wrapped operand = wrapped(step, step.source(n), lane);
      const bool is_64 = n == 2;  // the addend of mad.wide
      const std::int64_t off = from == Type::S32 ? operand.as_signed : operand.as_unsigned;
      if (result.is_exact() && !operand.on_purpose && (is_64 ? !operand.is_exact() : off != 0)) {
        result = operand;
        result.is_unsigned = is_64 ? operand.is_unsigned : from != Type::S32;
      }
    }
    set(step, lane, result);
  }
}

// 64-bit arithmetic and copies of any width propagate the marks of their operands.
void IndexOverflow::carry(const Step& step) {
  for (std::uint32_t rest = step.info.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Wrapped result;
    if (step.instruction.op == Opcode::Selp) {
      const auto at = static_cast<std::uint32_t>(lane);
      result = wrapped(step, step.source(chosen_source(machine_, step, at)), lane);
    } else {
      for (std::uint32_t n = 0; n < step.sources() && result.is_exact(); ++n) {
        result = wrapped(step, step.source(n), lane);
      }
    }
    const ptx::Operand& from = step.source(0);
    const bool minus = step.instruction.op == Opcode::Mov && from.kind == OperandKind::Immediate &&
                       from.value < 0 && is_32_bit(step.instruction.type);
    if (minus) {
      result.as_unsigned = -(std::int64_t{1} << 32);  // "-1" in an unsigned loop
    }
    set(step, lane, result);
  }
}

// The bits of a wrapped number are used: the wrapping is intended.
void IndexOverflow::spoil(const Step& step) {
  for (std::uint32_t rest = step.info.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Wrapped result;
    for (std::uint32_t n = 0; n < step.sources(); ++n) {
      result.on_purpose = result.on_purpose || !wrapped(step, step.source(n), lane).is_exact();
    }
    set(step, lane, result);
  }
}

void IndexOverflow::use_address(const Step& step) {
  for (std::uint32_t rest = step.info.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t n = 0; n < step.instruction.operand_count; ++n) {
      if (step.operand(n).kind != OperandKind::Memory) {
        continue;
      }
      const Wrapped address = wrapped(step, step.operand(n), lane);
      if (!address.is_exact() && !address.on_purpose && address.origin.op != Opcode::Unknown) {
        report(step, lane, address);
      }
    }
    set(step, lane, {});
  }
}

void IndexOverflow::report(const Step& step, int lane, const Wrapped& address) {
  const Origin& origin = address.origin;
  Party access = party(step.info, lane, lines_.line(step.info.id), step_);
  access.access = access_kind(step.instruction.op);
  const auto [it, is_new] = findings_.try_emplace({origin.line, access.line});
  Finding& finding = it->second;
  if (!is_new) {
    ++finding.occurrences;
    return;
  }
  finding.kind = FindingKind::IndexOverflow;
  finding.parties = {party(step.info, lane, origin.line, origin.step), access};
  WrappedNumber number;
  number.operation = operation_text(origin.op, origin.operands);
  number.is_unsigned = address.is_unsigned;
  number.exact = address.is_unsigned ? origin.as_unsigned : origin.as_signed;
  number.held = address.is_unsigned ? std::int64_t{origin.held}
                                    : std::int64_t{static_cast<std::int32_t>(origin.held)};
  finding.sentence = overflow_sentence(machine_.program(), finding, number);
}

void IndexOverflow::before_step(const simt::StepInfo& info) {
  lines_.enter(info);
  const ptx::Instruction& i = *info.instruction;
  SparseRegisters<Wrapped>& warp = warps_.of(info.id).first;
  const Step step{info, machine_.program().module().functions[info.function], i, warp};
  const bool carries =
      is_copy(i) || i.op == Opcode::Cvta || (is_exact_operation(i) && is_64_bit(i.type));
  if (is_exact_operation(i) && is_32_bit(i.type)) {
    calculate(step);
  } else if (carries) {
    carry(step);
  } else if (warp.empty()) {
    return;
  } else if (is_widening(i)) {
    widen(step);
  } else if (ptx::is_memory(i.op)) {
    use_address(step);
  } else if (i.dest_count > 0) {
    spoil(step);
  }
}

void IndexOverflow::on_block_end(std::uint32_t block) {
  warps_.forget_block(block);
}

std::vector<Finding> IndexOverflow::findings() const {
  return findings_of(findings_);
}

}  // namespace tilestep::insight
