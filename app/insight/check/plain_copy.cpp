#include "insight/check/plain_copy.h"

#include <algorithm>
#include <vector>

namespace tilestep::insight {

namespace {

using ptx::Operand;
using ptx::OperandKind;

class Uses {
 public:
  Uses(const ptx::Function& function, const Operand& from, CopyTo to)
      : function_(function), from_(from), to_(to) {}

  void follow(const Operand& result) {
    if (result.kind == OperandKind::Register &&
        std::find(values_.begin(), values_.end(), result.reg) == values_.end()) {
      values_.push_back(result.reg);
    }
  }

  // A value that goes nowhere is no copy: the text reads it, and nothing is done with it.
  [[nodiscard]] bool all_are_copies() {
    for (std::size_t next = 0; next < values_.size(); ++next) {
      const ptx::Register value = values_[next];
      for (const ptx::Instruction& i : function_.instructions) {
        if (uses(i, value) && !copies(i, value)) {
          return false;
        }
      }
    }
    return is_stored_;
  }

 private:
  [[nodiscard]] const Operand& operand(const ptx::Instruction& i, std::uint32_t n) const {
    return function_.operands[i.first_operand + n];
  }
  [[nodiscard]] bool uses(const ptx::Instruction& i, const ptx::Register& value) const {
    for (std::uint32_t n = i.dest_count; n < i.operand_count; ++n) {
      const Operand& o = operand(i, n);
      const bool has_register = o.kind == OperandKind::Register || o.kind == OperandKind::Memory;
      if (has_register && o.reg == value) {
        return true;
      }
    }
    return false;
  }
  // True: it goes on to the frame, or to a register that is followed now.
  [[nodiscard]] bool copies(const ptx::Instruction& i, const ptx::Register& value) {
    switch (i.op) {
      case ptx::Opcode::St: {
        const Operand& to = operand(i, i.dest_count);
        is_stored_ = true;
        return to.kind == OperandKind::Memory && to.reg != value &&
               (to == from_ ||
                (to_ == CopyTo::BackOrFrame &&
                 (to.reg == function_.stack_pointer || to.reg == function_.stack_pointer_local)));
      }
      case ptx::Opcode::And:
      case ptx::Opcode::Or:
      case ptx::Opcode::Bfi:
      case ptx::Opcode::Mov:
        follow(operand(i, 0));
        return true;
      default:
        return false;
    }
  }

  const ptx::Function& function_;
  const Operand& from_;  // the address that was loaded from
  bool is_stored_ = false;
  CopyTo to_;
  std::vector<ptx::Register> values_;
};

}  // namespace

bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to) {
  const ptx::Instruction& i = function.instructions[load];
  if (i.op != ptx::Opcode::Ld) {
    return false;
  }
  Uses uses(function, function.operands[i.first_operand + i.dest_count], to);
  for (std::uint32_t n = 0; n < i.dest_count; ++n) {
    uses.follow(function.operands[i.first_operand + n]);
  }
  return uses.all_are_copies();
}

bool PlainCopies::has(const simt::StepInfo& info) {
  const auto [found, is_new] = known_.try_emplace(info.instruction, false);
  if (is_new) {
    found->second = is_plain_copy(program_.module().functions[info.function], info.pc, to_);
  }
  return found->second;
}

}  // namespace tilestep::insight
