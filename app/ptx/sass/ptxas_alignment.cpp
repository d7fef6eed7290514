#include "problem/problem.h"
#include "ptx/sass/ptxas.h"

#include <algorithm>
#include <bit>

namespace tilestep::ptx {
namespace {

constexpr int kMost = 32;         // of 0, and of registers that no instruction writes
constexpr int kExternShared = 4;  // arrays with a size from the launch begin at multiples of 16

int exponent_of(std::uint64_t value) {
  return std::min(kMost, std::countr_zero(value));
}

bool is_integer_word(RegisterClass cls) {
  return cls == RegisterClass::B32 || cls == RegisterClass::B64;
}

}  // namespace

Alignments::Alignments(const Module& module, std::uint32_t function)
    : function_(module.functions[function]),
      definitions_(function_),
      registers_(function_.register_words, kMost),
      variables_(module.variables.size(), 0) {
  place_shared(module, function);
  // Decreases from the maximum to a fixed point: a counter that starts at 0 and grows by 4 stays a
  // multiple of 4.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : function_.instructions) {
      for (std::uint32_t k = 0; k < instruction.dest_count; ++k) {
        const Operand& to = function_.operands[instruction.first_operand + k];
        if (to.kind != OperandKind::Register || !is_integer_word(to.reg.cls)) {
          continue;
        }
        int& known = registers_[to.reg.index];
        const int now = k == 0 ? std::min(known, written(instruction)) : 0;
        changed = changed || now != known;
        known = now;
      }
    }
  }
}

int Alignments::exponent(Register reg) const {
  return is_integer_word(reg.cls) ? registers_[reg.index] : 0;
}

Alignments::AlignedOffset Alignments::place(
    Register reg, const std::function<bool(std::uint32_t)>& is_fixed) const {
  AlignedOffset place{exponent(reg), 0};
  std::int64_t offset = 0;
  constexpr int kLongest = 16;  // nested sums; this also ends cycles
  for (int k = 0; k < kLongest; ++k) {
    const auto pc = definitions_.only_write(reg);
    if (!pc || !is_fixed(*pc)) {
      break;
    }
    const Instruction& instruction = function_.instructions[*pc];
    const auto operand = [&](std::uint32_t i) -> const Operand& {
      return function_.operands[instruction.first_operand + i];
    };
    const bool is_sum = instruction.op == Opcode::Add && instruction.operand_count == 3 &&
                        operand(1).kind == OperandKind::Register &&
                        operand(2).kind == OperandKind::Immediate;
    const bool is_copy = instruction.op == Opcode::Mov && instruction.operand_count == 2 &&
                         operand(1).kind == OperandKind::Register;
    if (!is_sum && !is_copy) {
      break;
    }
    offset += is_sum ? operand(2).value : 0;
    reg = operand(1).reg;
    if (exponent(reg) > place.exponent) {
      place = {exponent(reg), offset};
    }
  }
  return place;
}

int Alignments::variable_exponent(std::uint32_t variable) const {
  return variables_[variable];
}

void Alignments::place_shared(const Module& module, std::uint32_t function) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const MemoryVariable& variable = module.variables[i];
    const bool is_elsewhere = variable.function != function && variable.function != kNoPc;
    if (variable.space != Space::Shared || is_elsewhere) {
      continue;
    }
    if (variable.is_extern || variable.bytes == 0) {
      variables_[i] = kExternShared;
      continue;
    }
    const std::uint64_t start = align_up(end, variable.align);
    variables_[i] = exponent_of(start);
    end = start + variable.bytes;
  }
}

int Alignments::of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::Register:
      return exponent(operand.reg);
    case OperandKind::Immediate:
      return exponent_of(static_cast<std::uint64_t>(operand.value));
    case OperandKind::Variable:
      return std::min(variables_[operand.index],
                      exponent_of(static_cast<std::uint64_t>(operand.value)));
    default:
      return 0;
  }
}

int Alignments::written(const Instruction& instruction) const {
  const auto source = [&](std::uint32_t k) {
    return k < instruction.operand_count ? of(function_.operands[instruction.first_operand + k])
                                         : 0;
  };
  const auto product = [&] { return std::min(kMost, source(1) + source(2)); };
  if (is_float(instruction.type) || is_float(instruction.source_type)) {
    return 0;
  }
  const bool is_low = instruction.mode == Mode::Lo || instruction.mode == Mode::Wide;
  switch (instruction.op) {
    case Opcode::Mov:
      return instruction.vector == 1 ? source(1) : 0;
    case Opcode::Cvta:
    case Opcode::Cvt:
      return source(1);
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Selp:
    case Opcode::Or:
    case Opcode::Xor:
      return std::min(source(1), source(2));
    case Opcode::And:
      return std::max(source(1), source(2));
    case Opcode::Mul:
      return is_low ? product() : 0;
    case Opcode::Mad:
      return is_low ? std::min(product(), source(3)) : 0;
    case Opcode::Shl: {
      const Operand& by = function_.operands[instruction.first_operand + 2];
      const bool is_known = by.kind == OperandKind::Immediate && by.value >= 0;
      return is_known ? static_cast<int>(std::min<std::int64_t>(kMost, source(1) + by.value))
                      : source(1);
    }
    default:
      return 0;
  }
}

}  // namespace tilestep::ptx
