#include "insight/check/nan_watch.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

namespace tilestep::insight {
namespace {

using simt::kLanes;

bool is_arithmetic(ptx::Opcode op) {
  switch (op) {
    case ptx::Opcode::Add:
    case ptx::Opcode::Sub:
    case ptx::Opcode::Mul:
    case ptx::Opcode::Mad:
    case ptx::Opcode::Fma:
    case ptx::Opcode::Div:
    case ptx::Opcode::Rcp:
    case ptx::Opcode::Sqrt:
    case ptx::Opcode::Rsqrt:
    case ptx::Opcode::Sin:
    case ptx::Opcode::Cos:
    case ptx::Opcode::Lg2:
    case ptx::Opcode::Ex2:
    case ptx::Opcode::Tanh:
      return true;
    default:
      return false;
  }
}

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

// Halfs are told by kind only: what matters of an operand is whether it is infinite or zero.
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

// Lanes of the step in which one of `count` operands from `first` on holds a NaN; keeps them.
std::uint32_t NanWatch::lanes_with_nan(const simt::StepInfo& info, std::uint32_t first,
                                       std::uint32_t count) const {
  const ptx::Function& function = machine_.program().module().functions[info.function];
  std::uint32_t lanes = 0;
  for (std::uint32_t n = first; n < first + count; ++n) {
    const ptx::Operand& operand = function.operands[info.instruction->first_operand + n];
    if (operand.kind == ptx::OperandKind::Immediate) {
      // The compiler's, for a variable that was never set.
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
  watched_ = info.mask != 0 && is_float(instruction.type) && is_arithmetic(instruction.op);
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
