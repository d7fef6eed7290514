#include "record/assigning_lines.h"

#include "ptx/model/module.h"

#include <algorithm>

namespace tilestep::record {
namespace {

bool assigns(const ptx::Function& function, std::size_t pc, const ptx::Register& reg) {
  const ptx::Instruction& instruction = function.instructions[pc];
  for (std::uint32_t i = 0; i < instruction.dest_count; ++i) {
    const ptx::Operand& operand = function.operands[instruction.first_operand + i];
    if (operand.kind == ptx::OperandKind::Register && operand.reg == reg) {
      return true;
    }
  }
  return false;
}

class Collector {
 public:
  Collector(const ptx::Function& function, std::string_view variable)
      : function_(function), variable_(variable) {}

  std::vector<std::uint32_t> collect() {
    for (std::uint32_t v = 0; v < function_.source_variables.size(); ++v) {
      const ptx::SourceVariable& variable = function_.source_variables[v];
      if (variable.name == variable_ && (variable.kind == ptx::LocationKind::Register ||
                                         variable.kind == ptx::LocationKind::RegisterAddress)) {
        add_writers(variable.reg);
      }
    }
    // A range of a location list starts behind the instruction that brings the value.
    for (const ptx::AssignmentEvent& event : function_.events) {
      if (function_.source_variables[event.variable].name == variable_ && event.pc > 0 &&
          event.pc <= function_.instructions.size() &&
          assigns(function_, event.pc - 1, event.reg)) {
        add(event.pc - 1);
      }
    }
    std::sort(lines_.begin(), lines_.end());
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    return std::move(lines_);
  }

 private:
  void add(std::size_t pc) {
    lines_.push_back(ptx::statement_line(function_, static_cast<std::uint32_t>(pc)));
  }

  void add_writers(const ptx::Register& reg) {
    for (std::size_t pc = 0; pc < function_.instructions.size(); ++pc) {
      if (assigns(function_, pc, reg)) {
        add(pc);
      }
    }
  }

  const ptx::Function& function_;
  std::string_view variable_;
  std::vector<std::uint32_t> lines_;
};

}  // namespace

std::vector<std::uint32_t> assigning_lines(const simt::Program& program,
                                           std::string_view variable) {
  return variable.empty() ? std::vector<std::uint32_t>()
                          : Collector(program.entry(), variable).collect();
}

}  // namespace tilestep::record
