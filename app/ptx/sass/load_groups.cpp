#include "ptx/sass/load_groups.h"

#include "ptx/model/definitions.h"
#include "ptx/sass/alignment.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilestep::ptx {
namespace {

bool is_jump(Opcode op) {
  return op == Opcode::Bra || op == Opcode::Ret || op == Opcode::Exit || op == Opcode::Trap;
}

bool is_shared_or_unknown(Space space) {
  return space == Space::Shared || space == Space::Generic;
}

// Whether shared memory may hold something else after it: it writes there, or others may have.
bool may_change_shared(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::St:
    case Opcode::Atom:
    case Opcode::Red:
      return is_shared_or_unknown(instruction.space);
    case Opcode::Unknown:
    case Opcode::CpAsync:
    case Opcode::CpAsyncCommit:
    case Opcode::CpAsyncWait:
    case Opcode::CpAsyncMbarrier:
    case Opcode::Call:
    case Opcode::Bar:
    case Opcode::BarWarp:
    case Opcode::Membar:
    case Opcode::Fence:
    case Opcode::Griddepcontrol:
    case Opcode::Mbarrier:
    case Opcode::Stmatrix:
    case Opcode::WmmaStore:
    case Opcode::Nanosleep:
      return true;
    default:
      return instruction.order == MemoryOrder::Volatile;
  }
}

bool is_mergeable(const Instruction& instruction, const Function& function) {
  if (instruction.op != Opcode::Ld || instruction.operand_count == 0) {
    return false;
  }
  const Operand& to = function.operands[instruction.first_operand];
  return instruction.space == Space::Shared && instruction.vector == 1 &&
         byte_size(instruction.type) == 4 && instruction.flags == 0 && !is_strong(instruction) &&
         instruction.guard == kNoGuard && to.kind == OperandKind::Register &&
         to.reg.cls == RegisterClass::B32;
}

// Follows the values of registers through a stretch of code that only its first instruction leads
// into.
class GroupFinder {
 public:
  GroupFinder(const Module& module, std::uint32_t function)
      : function_(module.functions[function]), alignments_(module, function) {}

  std::vector<LoadGroup> find() {
    const Definitions definitions(function_);
    for (std::uint32_t pc = 0; pc < function_.instructions.size(); ++pc) {
      const Instruction& instruction = function_.instructions[pc];
      if (definitions.is_branch_target(pc)) {
        start_stretch(pc);
      }
      if (is_mergeable(instruction, function_)) {
        add(pc, instruction);
      } else if (may_change_shared(instruction)) {
        groups_of_.clear();
      }
      follow(instruction);
      if (ends_stretch(instruction, pc)) {
        start_stretch(pc + 1);
      }
    }
    return std::move(groups_);
  }

 private:
  using Key = std::pair<RegisterClass, std::uint32_t>;
  // What a register holds: a base and an offset from it.
  struct Value {
    std::uint32_t base = 0;
    std::int64_t offset = 0;
  };

  void start_stretch(std::uint32_t pc) {
    stretch_start_ = pc;
    values_.clear();
    variables_.clear();
    groups_of_.clear();
  }

  std::uint32_t new_base(int exponent) {
    exponents_.push_back(exponent);
    return static_cast<std::uint32_t>(exponents_.size() - 1);
  }

  Value value_of(Register reg) {
    const Key key{reg.cls, reg.index};
    const auto found = values_.find(key);
    if (found != values_.end()) {
      return found->second;
    }
    // What is written in this stretch before here is in values_ already.
    const Alignments::Place place =
        alignments_.place(reg, [this](std::uint32_t pc) { return pc < stretch_start_; });
    return values_[key] = {new_base(place.exponent), place.offset};
  }

  Value value_of_variable(std::uint32_t variable) {
    const auto found = variables_.find(variable);
    if (found != variables_.end()) {
      return {found->second, 0};
    }
    return {variables_[variable] = new_base(alignments_.variable_exponent(variable)), 0};
  }

  void add(std::uint32_t pc, const Instruction& instruction) {
    const Operand& from = function_.operands[instruction.first_operand + 1];
    Value value;
    if (from.kind == OperandKind::Memory) {
      value = value_of(from.reg);
    } else if (from.kind == OperandKind::MemoryVariable) {
      value = value_of_variable(from.index);
    } else {
      return;
    }
    const auto [place, is_new] = groups_of_.emplace(value.base, groups_.size());
    if (is_new) {
      groups_.push_back({exponents_[value.base], {}});
    }
    groups_[place->second].loads.push_back({pc, value.offset + from.value});
  }

  // What the instruction's destination holds after it.
  void follow(const Instruction& instruction) {
    const std::uint32_t first = instruction.first_operand;
    const auto is_register = [&](std::uint32_t k) {
      return function_.operands[first + k].kind == OperandKind::Register;
    };
    const auto key_of = [&](std::uint32_t k) {
      const Register reg = function_.operands[first + k].reg;
      return Key{reg.cls, reg.index};
    };
    bool is_sum = (instruction.op == Opcode::Add || instruction.op == Opcode::Sub) &&
                  instruction.guard == kNoGuard && is_register(0) && is_register(1) &&
                  function_.operands[first + 2].kind == OperandKind::Immediate;
    bool is_copy = instruction.op == Opcode::Mov && instruction.guard == kNoGuard &&
                   instruction.operand_count == 2 && is_register(0);
    if (is_sum) {
      Value value = value_of(function_.operands[first + 1].reg);
      const std::int64_t by = function_.operands[first + 2].value;
      value.offset += instruction.op == Opcode::Add ? by : -by;
      values_[key_of(0)] = value;
    } else if (is_copy && is_register(1)) {
      values_[key_of(0)] = value_of(function_.operands[first + 1].reg);
    } else if (is_copy && function_.operands[first + 1].kind == OperandKind::Variable) {
      Value value = value_of_variable(function_.operands[first + 1].index);
      value.offset += function_.operands[first + 1].value;
      values_[key_of(0)] = value;
    } else {
      for (std::uint32_t k = 0; k < instruction.dest_count; ++k) {
        if (is_register(k)) {
          values_.erase(key_of(k));
        }
      }
    }
  }

  const Function& function_;
  Alignments alignments_;
  std::uint32_t stretch_start_ = 0;
  std::vector<int> exponents_;  // by base
  std::map<Key, Value> values_;
  std::map<std::uint32_t, std::uint32_t> variables_;  // variable → base
  std::map<std::uint32_t, std::size_t> groups_of_;    // base → the group that is open for it
  std::vector<LoadGroup> groups_;
};

}  // namespace

bool ends_stretch(const Instruction& instruction, std::uint32_t pc) {
  const bool is_back = instruction.op == Opcode::Bra && instruction.target <= pc;
  return is_back || instruction.op == Opcode::Call || instruction.op == Opcode::BrxIdx ||
         (is_jump(instruction.op) && instruction.guard == kNoGuard);
}

bool may_leave_stretch(const Instruction& instruction) {
  return is_jump(instruction.op) && instruction.guard != kNoGuard;
}

std::vector<LoadGroup> find_load_groups(const Module& module, std::uint32_t function) {
  return GroupFinder(module, function).find();
}

}  // namespace tilestep::ptx
