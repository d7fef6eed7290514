#include "ptx/text/dump.h"

#include "ptx/text/body_reader.h"
#include "ptx/text/opcode_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace tilestep::ptx {
namespace {

using Out = std::back_insert_iterator<std::string>;

template <class Enum>
std::string_view word_of(ModifierField field, Enum value, std::uint64_t groups = ~0ULL) {
  return modifier_word(field, static_cast<std::uint16_t>(value), groups);
}

std::string register_name(const Function& function, const Register& reg) {
  const auto found = std::find(function.registers.begin(), function.registers.end(), reg);
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

std::string target_text(const Function& function, const Instruction& instruction) {
  std::string text;
  if (instruction.op == Opcode::Bra) {
    text = fmt::format(" -> {}", instruction.target);
  } else if (instruction.op == Opcode::BrxIdx) {
    text = fmt::format(" -> {}", fmt::join(function.branch_tables[instruction.target], ", "));
  }
  if (instruction.reconverge != kNoPc) {
    text += fmt::format(" meet {}", instruction.reconverge);
  }
  return text;
}

std::string bytes_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kShown = 64;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kShown))) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return bytes.size() > kShown ? text + "..." : text;
}

void dump_variable(const Module& module, std::size_t index, Out out) {
  const MemoryVariable& variable = module.variables[index];
  fmt::format_to(out, "variable {} .{} {} \"{}\" bytes {} align {}", index,
                 space_name(variable.space), variable.symbol, variable.name, variable.bytes,
                 variable.align);
  if (variable.is_extern) {
    fmt::format_to(out, " extern");
  }
  if (variable.function != 0xffffffffU) {
    fmt::format_to(out, " in function {}", variable.function);
  }
  if (variable.space == Space::Local) {
    fmt::format_to(out, " at {}", variable.local_offset);
  }
  if (!variable.initial.empty()) {
    fmt::format_to(out, " = {}", bytes_text(variable.initial));
  }
  fmt::format_to(out, "\n");
  for (const MemoryVariable::Relocation& relocation : variable.relocations) {
    const std::string& symbol = relocation.is_function
                                    ? module.functions[relocation.variable].symbol
                                    : module.variables[relocation.variable].symbol;
    fmt::format_to(out, "  +{}: {}{}{}", relocation.offset, relocation.generic ? "generic " : "",
                   symbol, offset_text(relocation.addend));
    if (relocation.bytes != 8) {
      fmt::format_to(out, " bytes {} of >> {}", relocation.bytes, relocation.shift);
    }
    fmt::format_to(out, "\n");
  }
}

std::string_view class_name(RegisterClass cls) {
  switch (cls) {
    case RegisterClass::Pred:
      return "pred";
    case RegisterClass::B16:
      return "b16";
    case RegisterClass::B32:
      return "b32";
    case RegisterClass::B64:
      return "b64";
    case RegisterClass::B128:
      return "b128";
  }
  return "?";
}

// One line for each declaration: registers of one class in a row, named alike.
void dump_registers(const Function& function, Out out) {
  const auto stem = [&](std::size_t i) {
    const std::string& name = function.register_names[i];
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
  };
  for (std::size_t first = 0; first < function.registers.size();) {
    std::size_t last = first;
    while (last + 1 < function.registers.size() && stem(last + 1) == stem(first) &&
           function.registers[last + 1].cls == function.registers[first].cls) {
      ++last;
    }
    fmt::format_to(out, "  registers {}", function.register_names[first]);
    if (last > first) {
      fmt::format_to(out, " .. {}", function.register_names[last]);
    }
    fmt::format_to(out, " .{} at {}\n", class_name(function.registers[first].cls),
                   function.registers[first].index);
    first = last + 1;
  }
}

void dump_params(std::string_view title, const std::vector<Param>& params, Out out) {
  for (const Param& param : params) {
    fmt::format_to(out, "  {} {} .{} bytes {} align {} at {}\n", title, param.symbol,
                   type_name(param.type), param.bytes, param.align, param.offset);
  }
}

void dump_lines(const Function& function, Out out) {
  for (std::size_t i = 1; i < function.lines.size(); ++i) {
    const Line& line = function.lines[i];
    if (line.inlined_at != 0) {
      fmt::format_to(out, "  line {} {}:{}:{} \"{}\" inlined at {}\n", i, line.file, line.line,
                     line.column, line.function, line.inlined_at);
    }
  }
}

void dump_instructions(const Module& module, const Function& function, Out out) {
  for (std::size_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    const Line& line = function.lines[instruction.line];
    std::string text = assemble(module, function, instruction);
    if (instruction.op == Opcode::Unknown) {
      text += fmt::format(" \"{}\"", instruction_text(module, instruction));
    }
    fmt::format_to(out, "  {:4} {:2}:{:<3} {}{}\n", pc, line.file, line.line, text,
                   target_text(function, instruction));
  }
}

void dump_function(const Module& module, std::size_t index, Out out) {
  const Function& function = module.functions[index];
  fmt::format_to(out, "\nfunction {} {}{}{} {} \"{}\"\n", index,
                 function.is_entry ? "entry" : "func", function.is_defined ? "" : " declared",
                 function.is_builtin ? " builtin" : "", function.symbol, function.name);
  dump_params("param", function.params, out);
  dump_params("return", function.returns, out);
  if (!function.is_defined) {
    return;
  }
  fmt::format_to(out, "  text lines {} to {}\n", function.first_text_line, function.last_text_line);
  fmt::format_to(out, "  bytes: params {}, calls {}, local {}; words {}, predicates {}\n",
                 function.param_bytes, function.call_bytes, function.local_bytes,
                 function.register_words, function.predicate_count);
  if (function.max_ntid[0] != 0) {
    fmt::format_to(out, "  block at most {} x {} x {}\n", function.max_ntid[0],
                   function.max_ntid[1], function.max_ntid[2]);
  }
  dump_registers(function, out);
  dump_lines(function, out);
  dump_instructions(module, function, out);
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

std::string dump(const Module& module) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "version {} target {}{}\n", module.version, module.target,
                 module.is_debug ? " debug" : "");
  for (std::size_t i = 0; i < module.files.size(); ++i) {
    if (!module.files[i].empty()) {
      fmt::format_to(out, "file {} \"{}\"\n", i, module.files[i]);
    }
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    dump_variable(module, i, out);
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    dump_function(module, i, out);
  }
  return text;
}

}  // namespace tilestep::ptx
