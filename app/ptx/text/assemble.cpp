#include "ptx/text/assemble.h"

#include "ptx/text/body_reader.h"
#include "ptx/text/opcode_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace tilestep::ptx {
namespace {

template <class Enum>
std::string_view word_of(ModifierField field, Enum value, std::uint64_t groups = ~0ULL) {
  return modifier_word(field, static_cast<std::uint16_t>(value), groups);
}

std::string register_name(const Function& function, const Register& reg) {
  const auto found = std::ranges::find(function.registers, reg);
  if (found == function.registers.end()) {
    return "?";
  }
  return function.register_names[static_cast<std::size_t>(found - function.registers.begin())];
}

std::string offset_text(std::int64_t value) {
  return value == 0 ? std::string() : fmt::format("{:+}", value);
}

std::string operand_text(const Module& module, const Function& function, const Operand& operand) {
  const std::string offset = offset_text(operand.value);
  switch (operand.kind) {
    case OperandKind::None:
      return "_";
    case OperandKind::Register:
      return (operand.negated ? "!" : "") + register_name(function, operand.reg);
    case OperandKind::Immediate:
      return fmt::format("{}", operand.value);
    case OperandKind::Special:
      return fmt::format("{}{}", special_register_name(static_cast<SpecialRegister>(operand.index)),
                         operand.value == 0 ? "" : fmt::format("{}", operand.value));
    case OperandKind::Variable:
      return module.variables[operand.index].symbol + offset;
    case OperandKind::Param:
      return fmt::format("param@{}{}", operand.index, offset);
    case OperandKind::CallParam:
      return fmt::format("call@{}{}", operand.index, offset);
    case OperandKind::Function:
      return module.functions[operand.index].symbol;
    case OperandKind::Memory:
      return fmt::format("[{}{}]", register_name(function, operand.reg), offset);
    case OperandKind::MemoryVariable:
      return fmt::format("[{}{}]", module.variables[operand.index].symbol, offset);
    case OperandKind::MemoryAbsolute:
      return fmt::format("[{}]", operand.value);
  }
  return "?";
}

// `.lo`, `.l.clamp` …: a mode is a word after a dot, or part of the opcode's own name.
std::string mode_text(const Instruction& instruction, const OpcodeRow& row) {
  if (row.mode == instruction.mode) {
    return {};
  }
  if (instruction.op == Opcode::Shf) {
    const bool left = instruction.mode == Mode::Left || instruction.mode == Mode::LeftClamp;
    const bool clamp = instruction.mode == Mode::LeftClamp || instruction.mode == Mode::RightClamp;
    return fmt::format(".{}.{}", left ? "l" : "r", clamp ? "clamp" : "wrap");
  }
  return fmt::format(".{}", word_of(ModifierField::Mode, instruction.mode, row.groups));
}

std::string flags_text(const Instruction& instruction, const OpcodeRow& row) {
  std::string text;
  for (unsigned bit = 0; bit < 16; ++bit) {
    const auto flag = static_cast<std::uint16_t>(1U << bit);
    if (instruction.flags & ~row.flags & flag) {
      const std::string_view word = modifier_word(ModifierField::Flag, flag, row.groups);
      text += word.empty() ? std::string() : fmt::format(".{}", word);
    }
  }
  return text;
}

std::string matrix_text(Opcode op, const MatrixForm& matrix) {
  if (op == Opcode::WgmmaMma) {
    const int depth = matrix.shape == MatrixShape::M64NxK8    ? 8
                      : matrix.shape == MatrixShape::M64NxK16 ? 16
                                                              : 32;
    std::string text = fmt::format(".m64n{}k{}", matrix.columns, depth);
    for (const Type type : matrix.types) {
      text += type == Type::None ? std::string() : fmt::format(".{}", type_name(type));
    }
    return text;
  }
  const bool is_product = op == Opcode::MmaSync || op == Opcode::WmmaMma;
  const bool has_layout = is_product || op == Opcode::WmmaLoad || op == Opcode::WmmaStore;
  std::string text = fmt::format(".{}", word_of(ModifierField::Shape, matrix.shape));
  if (has_layout) {
    text += matrix.a_column_major ? ".col" : ".row";
  }
  if (is_product) {
    text += matrix.b_column_major ? ".col" : ".row";
  }
  if (matrix.count > 1) {
    text += fmt::format(".x{}", matrix.count);
  }
  for (const Type type : matrix.types) {
    text += type == Type::None ? std::string() : fmt::format(".{}", type_name(type));
  }
  return text;
}

std::string opcode_text(const Function& function, const Instruction& instruction) {
  const OpcodeRow* const row = opcode_row(instruction);
  if (row == nullptr) {
    return "?";
  }
  std::string text(row->name);
  text += mode_text(instruction, *row);
  const auto add = [&](std::string_view word) {
    text += word.empty() ? std::string() : fmt::format(".{}", word);
  };
  add(instruction.compare == Compare::None ? std::string_view()
                                           : word_of(ModifierField::Compare, instruction.compare));
  add(instruction.bool_op == BoolOp::None ? std::string_view()
                                          : word_of(ModifierField::BoolOp, instruction.bool_op));
  add(instruction.rounding == Rounding::None
          ? std::string_view()
          : word_of(ModifierField::Rounding, instruction.rounding));
  text += flags_text(instruction, *row);
  add(instruction.order == MemoryOrder::None ? std::string_view()
                                             : word_of(ModifierField::Order, instruction.order));
  add(instruction.scope == MemoryScope::None
          ? std::string_view()
          : word_of(ModifierField::Scope, instruction.scope, row->groups));
  add(space_name(instruction.space));
  if (instruction.vector > 1 && instruction.op != Opcode::Mov) {
    text += fmt::format(".v{}", instruction.vector);
  }
  if (row->groups & kMatrixWord) {
    return text + matrix_text(instruction.op, function.matrix_forms[instruction.target]);
  }
  add(type_name(instruction.type));
  add(type_name(instruction.source_type));
  return text;
}

}  // namespace

std::string_view type_name(Type type) {
  return type == Type::None ? std::string_view() : word_of(ModifierField::Type, type);
}

std::string_view space_name(Space space) {
  return space == Space::Generic || space == Space::Reg ? std::string_view()
                                                        : word_of(ModifierField::Space, space);
}

std::string assemble(const Module& module, const Function& function,
                     const Instruction& instruction) {
  std::string text;
  if (instruction.guard != kNoGuard) {
    text = fmt::format("@{}{} ", instruction.guard_negated ? "!" : "",
                       register_name(function, {RegisterClass::Pred, instruction.guard}));
  }
  if (instruction.op == Opcode::Unknown) {
    return text + "unknown";
  }
  text += opcode_text(function, instruction);
  for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
    text += i == 0 ? " " : ", ";
    text += operand_text(module, function, function.operands[instruction.first_operand + i]);
  }
  return text;
}

}  // namespace tilestep::ptx
