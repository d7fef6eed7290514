#include "ptx/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tilestep::ptx::test {
namespace {

std::uint32_t words_of(RegisterClass cls) {
  return cls == RegisterClass::B64 ? 2 : cls == RegisterClass::B128 ? 4 : 1;
}

bool register_exists(const Function& function, const Register& reg) {
  if (reg.cls == RegisterClass::Pred) {
    return reg.index < function.predicate_count;
  }
  const std::uint32_t words = words_of(reg.cls);
  return reg.index % words == 0 && reg.index + words <= function.register_words;
}

bool operand_exists(const Module& module, const Function& function, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Register:
    case OperandKind::Memory:
      return register_exists(function, operand.reg);
    case OperandKind::Variable:
    case OperandKind::MemoryVariable:
      return operand.index < module.variables.size();
    case OperandKind::Function:
      return operand.index < module.functions.size();
    case OperandKind::Param:
      return operand.index <= function.param_bytes;
    case OperandKind::CallParam:
      return operand.index <= function.call_bytes;
    default:
      return true;
  }
}

// An access to a parameter stays inside its area.
bool access_is_inside(const Function& function, const Instruction& instruction,
                      const Operand& operand) {
  const bool accesses = instruction.op == Opcode::Ld || instruction.op == Opcode::St;
  const bool incoming = operand.kind == OperandKind::Param;
  if (!accesses || (!incoming && operand.kind != OperandKind::CallParam)) {
    return true;
  }
  const std::int64_t begin = operand.index + operand.value;
  const std::int64_t bytes = std::int64_t{byte_size(instruction.type)} * instruction.vector;
  return begin >= 0 && begin + bytes <= (incoming ? function.param_bytes : function.call_bytes);
}

bool targets_exist(const Function& function, const Instruction& instruction) {
  const auto exists = [&](std::uint32_t pc) { return pc < function.instructions.size(); };
  if (instruction.reconverge != kNoPc && !exists(instruction.reconverge)) {
    return false;
  }
  if (instruction.op == Opcode::Bra) {
    return exists(instruction.target);
  }
  if (instruction.op == Opcode::BrxIdx) {
    const auto& tables = function.branch_tables;
    return instruction.target < tables.size() &&
           std::all_of(tables[instruction.target].begin(), tables[instruction.target].end(),
                       exists);
  }
  return true;
}

std::string broken_instruction(const Module& module, const Function& function,
                               const Instruction& instruction) {
  if (instruction.guard != kNoGuard && instruction.guard >= function.predicate_count) {
    return "its guard";
  }
  if (instruction.line >= function.lines.size()) {
    return "its line";
  }
  if (instruction.text_offset >= module.text.size()) {
    return "its text";
  }
  if (instruction.first_operand + instruction.operand_count > function.operands.size() ||
      instruction.dest_count > instruction.operand_count) {
    return "its number of operands";
  }
  for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = function.operands[instruction.first_operand + i];
    if (!operand_exists(module, function, operand) ||
        !access_is_inside(function, instruction, operand)) {
      return fmt::format("its operand {}", i);
    }
  }
  return targets_exist(function, instruction) ? "" : "its target";
}

std::string broken_function(const Module& module, const Function& function) {
  if (!function.is_defined) {
    return {};
  }
  for (std::size_t pc = 0; pc < function.instructions.size(); ++pc) {
    std::string broken = broken_instruction(module, function, function.instructions[pc]);
    if (!broken.empty()) {
      return fmt::format("{}: instruction {}, '{}': {}", function.symbol, pc,
                         instruction_text(module, function.instructions[pc]), broken);
    }
  }
  for (const Line& line : function.lines) {
    if (line.inlined_at >= function.lines.size()) {
      return function.symbol + ": a line inlined nowhere";
    }
  }
  const Instruction* const last =
      function.instructions.empty() ? nullptr : &function.instructions.back();
  const bool ends =
      last != nullptr && last->guard == kNoGuard &&
      (last->op == Opcode::Ret || last->op == Opcode::Exit || last->op == Opcode::Trap ||
       last->op == Opcode::Bra || last->op == Opcode::BrxIdx);
  return ends ? "" : function.symbol + ": runs past its last instruction";
}

std::string broken_variable(const Module& module, const MemoryVariable& variable) {
  if (!variable.initial.empty() && variable.initial.size() != variable.bytes) {
    return variable.symbol + ": its initial bytes";
  }
  for (const MemoryVariable::Relocation& relocation : variable.relocations) {
    const std::size_t count =
        relocation.is_function ? module.functions.size() : module.variables.size();
    if (relocation.offset + relocation.bytes > variable.bytes || relocation.variable >= count ||
        relocation.shift > 56) {
      return variable.symbol + ": a relocation";
    }
  }
  return {};
}

}  // namespace

std::string broken_invariant(const Module& module) {
  for (const Function& function : module.functions) {
    if (std::string broken = broken_function(module, function); !broken.empty()) {
      return broken;
    }
  }
  for (const MemoryVariable& variable : module.variables) {
    if (std::string broken = broken_variable(module, variable); !broken.empty()) {
      return broken;
    }
  }
  return {};
}

}  // namespace tilestep::ptx::test
