#include "record/tables.h"

#include "ptx/model/module.h"

#include <algorithm>
#include <map>

namespace tilestep::record {
namespace {

std::uint8_t flags_of(const ptx::Instruction& instruction) {
  const ptx::Opcode op = instruction.op;
  if (op == ptx::Opcode::Call) {
    return kCallPc;
  }
  if (op == ptx::Opcode::Ret || op == ptx::Opcode::Exit) {
    return kReturnPc;
  }
  const bool multiplies =
      op == ptx::Opcode::Mul || op == ptx::Opcode::Mad || op == ptx::Opcode::Fma;
  return ptx::has(op, ptx::kMultipliesTiles) || (multiplies && ptx::is_float(instruction.type))
             ? std::uint8_t{kProductPc}
             : std::uint8_t{0};
}

bool writes(const ptx::Function& function, const ptx::Instruction& instruction,
            const ptx::Register& reg) {
  for (std::uint32_t i = 0; i < instruction.dest_count; ++i) {
    const ptx::Operand& operand = function.operands[instruction.first_operand + i];
    if (operand.kind == ptx::OperandKind::Register && operand.reg == reg) {
      return true;
    }
  }
  return false;
}

class Builder {
 public:
  Builder(const ptx::Module& module, const ptx::Function& function, FunctionTable& table)
      : module_(module), function_(function), table_(table), by_pc_(function.instructions.size()) {}

  void build() {
    lay_out_variables();
    collect_clears();
    collect_snapshots();
    collect_assignments();
    collect_locals();
    fill_pcs();
  }

 private:
  void lay_out_variables() {
    table_.slots.resize(function_.source_variables.size());
    table_.frame_words = static_cast<std::uint32_t>(2 * table_.slots.size());
    for (const ptx::AssignmentEvent& event : function_.events) {
      VariableSlot& slot = table_.slots[event.variable];
      if (event.pc == function_low_pc()) {
        // The register is not loaded yet: read it live until the first real assignment.
        slot.has_entry_register = true;
        slot.entry_register = event.reg;
      } else {
        slot.snapshot = 0;
        slot.wide = slot.wide || event.reg.cls == ptx::RegisterClass::B64 ||
                    event.reg.cls == ptx::RegisterClass::B128;
      }
    }
    for (VariableSlot& slot : table_.slots) {
      if (slot.snapshot != kNoSlot) {
        slot.snapshot = table_.frame_words;
        table_.frame_words += slot.wide ? 2 * simt::kWarpSize : simt::kWarpSize;
      }
    }
  }

  void collect_clears() {
    for (std::size_t s = 1; s < function_.scopes.size(); ++s) {
      const ptx::Scope& scope = function_.scopes[s];
      // A scope that starts with the function has a fresh frame.
      if (scope.low_pc == function_low_pc() || scope.low_pc >= by_pc_.size()) {
        continue;
      }
      for (const std::uint32_t variable : scope.variables) {
        by_pc_[scope.low_pc].push_back({Action::Kind::Clear, variable, {}});
      }
    }
  }

  void collect_snapshots() {
    for (const ptx::AssignmentEvent& event : function_.events) {
      if (event.pc != function_low_pc() && event.pc < by_pc_.size()) {
        by_pc_[event.pc].push_back({Action::Kind::Snapshot, event.variable, event.reg});
      }
    }
  }

  void collect_assignments() {
    for (std::uint32_t v = 0; v < function_.source_variables.size(); ++v) {
      const ptx::SourceVariable& variable = function_.source_variables[v];
      const bool single = variable.kind == ptx::LocationKind::Register ||
                          variable.kind == ptx::LocationKind::RegisterAddress;
      if (!single && !table_.slots[v].has_entry_register) {
        continue;
      }
      const ptx::Register reg = single ? variable.reg : table_.slots[v].entry_register;
      for (std::size_t pc = 0; pc < by_pc_.size(); ++pc) {
        if (writes(function_, function_.instructions[pc], reg)) {
          by_pc_[pc].push_back({Action::Kind::Assign, v, reg});
        }
      }
    }
  }

  void collect_locals() {
    for (std::uint32_t v = 0; v < function_.source_variables.size(); ++v) {
      const ptx::SourceVariable& variable = function_.source_variables[v];
      if (variable.kind != ptx::LocationKind::Memory ||
          module_.variables[variable.variable].space != ptx::Space::Local) {
        continue;
      }
      const std::uint32_t begin =
          module_.variables[variable.variable].local_offset + variable.offset;
      const std::uint32_t bytes =
          variable.type < module_.types.size() ? module_.types[variable.type].bytes : 0;
      table_.locals.push_back({v, begin, begin + bytes});
    }
  }

  void fill_pcs() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> sets;
    table_.pcs.resize(by_pc_.size());
    for (std::uint32_t pc = 0; pc < by_pc_.size(); ++pc) {
      PcInfo& info = table_.pcs[pc];
      info.line = ptx::statement_line(function_, pc);
      info.first_action = static_cast<std::uint32_t>(table_.actions.size());
      info.action_count = static_cast<std::uint16_t>(by_pc_[pc].size());
      info.flags = flags_of(function_.instructions[pc]);
      table_.actions.insert(table_.actions.end(), by_pc_[pc].begin(), by_pc_[pc].end());
      std::vector<std::uint32_t> visible = ptx::visible_variables(function_, pc);
      const auto [it, is_new] = sets.try_emplace(
          std::move(visible), static_cast<std::uint32_t>(table_.visible_sets.size()));
      if (is_new) {
        table_.visible_sets.push_back(it->first);
      }
      info.visible = it->second;
    }
  }

  [[nodiscard]] std::uint32_t function_low_pc() const {
    return function_.scopes.empty() ? 0 : function_.scopes.front().low_pc;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  FunctionTable& table_;
  std::vector<std::vector<Action>> by_pc_;
};

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
    // A range of a location list starts after the instruction that computes the value.
    for (const ptx::AssignmentEvent& event : function_.events) {
      if (function_.source_variables[event.variable].name == variable_ && event.pc > 0 &&
          event.pc <= function_.instructions.size() &&
          assigns(function_, event.pc - 1, event.reg)) {
        add(event.pc - 1);
      }
    }
    std::ranges::sort(lines_);
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

Tables::Tables(std::shared_ptr<const simt::Program> p) : program(std::move(p)) {
  const ptx::Module& module = program->module();
  functions.resize(module.functions.size());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    Builder(module, module.functions[f], functions[f]).build();
    if (&module.functions[f] == &program->entry()) {
      entry = static_cast<std::uint32_t>(f);
    }
  }
}

std::uint64_t Tables::input_windows() const {
  const std::vector<problem::Buffer>& buffers = program->launch().buffers;
  std::uint64_t windows = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(buffers.size(), 63); ++i) {
    windows |= buffers[i].role == problem::BufferRole::Input ? std::uint64_t{1} << i : 0;
  }
  return windows;
}

std::optional<std::uint32_t> Tables::buffer_at(std::uint64_t address) const {
  // Buffers have one window each, in the launch's order (simt/state/memory.h).
  const std::uint64_t index = (address - simt::kGlobalWindow) / simt::kWindowBytes;
  if (address < simt::kGlobalWindow || index >= program->launch().buffers.size()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(index);
}

std::vector<std::uint32_t> assigning_lines(const simt::Program& program,
                                           std::string_view variable) {
  return variable.empty() ? std::vector<std::uint32_t>()
                          : Collector(program.entry(), variable).collect();
}

}  // namespace tilestep::record
