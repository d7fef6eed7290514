#include "ptx/sass/ptxas.h"
#include "ptx/text/assemble.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace tilestep::ptx {
namespace {

constexpr std::int64_t kWord = 4;
constexpr int kWidestExponent = 4;

// The largest multiple of `width` up to `offset`.
std::int64_t piece_start(std::int64_t offset, std::int64_t width) {
  return offset - ((offset % width) + width) % width;
}

// The reads and writes of registers.
class Uses {
 public:
  explicit Uses(const Function& function) : function_(function) {
    const Definitions definitions(function);
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    stretch_ends_.resize(size);
    for (std::uint32_t pc = size; pc-- > 0;) {
      const bool is_last = pc + 1 == size || definitions.is_branch_target(pc + 1) ||
                           ends_stretch(function.instructions[pc], pc);
      stretch_ends_[pc] = is_last ? pc + 1 : stretch_ends_[pc + 1];
    }
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      const Instruction& instruction = function.instructions[pc];
      if (may_leave_stretch(instruction)) {
        exits_.push_back(pc);
      }
      for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
        const Operand& operand = function.operands[instruction.first_operand + k];
        if (operand.kind == OperandKind::Register || operand.kind == OperandKind::Memory) {
          auto& places = k < instruction.dest_count ? writes_ : reads_;
          places[{operand.reg.cls, operand.reg.index}].push_back(pc);
        }
      }
    }
  }

  // Whether the load at `pc` may move to `to`, earlier in its stretch: no instruction between the
  // two reads or writes its register, and no path that leaves between them reads it.
  [[nodiscard]] bool may_load_at(std::uint32_t to, std::uint32_t pc) const {
    const Register reg = function_.operands[function_.instructions[pc].first_operand].reg;
    const Pcs reads = places(reads_, reg);
    const Pcs writes = places(writes_, reg);
    if (any_in(reads, to, pc) || any_in(writes, to, pc)) {
      return false;
    }
    if (!any_in(exits_, to, pc)) {
      return true;
    }
    return writes.size() == 1 && std::ranges::all_of(reads, [&](std::uint32_t read) {
             return read > pc && read < stretch_ends_[pc];
           });
  }

 private:
  using Key = std::pair<RegisterClass, std::uint32_t>;
  using Places = std::map<Key, std::vector<std::uint32_t>>;
  using Pcs = std::span<const std::uint32_t>;  // sorted

  [[nodiscard]] static Pcs places(const Places& of, Register reg) {
    const auto found = of.find({reg.cls, reg.index});
    return found == of.end() ? Pcs() : Pcs(found->second);
  }

  // Whether one is in [first, last).
  [[nodiscard]] static bool any_in(Pcs pcs, std::uint32_t first, std::uint32_t last) {
    const auto found = std::lower_bound(pcs.begin(), pcs.end(), first);
    return found != pcs.end() && *found < last;
  }

  const Function& function_;
  std::vector<std::uint32_t> stretch_ends_;  // by pc: the pc after its stretch
  std::vector<std::uint32_t> exits_;
  Places reads_;
  Places writes_;
};

// A piece of memory that one wide load reads, and the loads that it replaces.
struct Piece {
  std::int64_t start = 0;  // from the group's base
  std::int64_t width = 0;
  std::vector<LoadAt> loads;  // in text order
};

class Merger {
 public:
  Merger(Module& module, std::uint32_t function)
      : module_(module),
        index_(function),
        function_(module.functions[function]),
        is_removed_(function_.instructions.size(), false) {}

  void run() {
    const Uses uses(function_);
    for (const LoadGroup& group : find_load_groups(module_, index_)) {
      std::vector<LoadAt> left = group.loads;
      for (const int exponent : {kWidestExponent, 3}) {
        if (group.exponent >= exponent) {
          left = merge_pieces(left, std::int64_t{1} << exponent, uses);
        }
      }
    }
    remove_the_others();
    hold_alignments();
  }

 private:
  // Merges loads into pieces of `width` bytes, and returns the remaining loads.
  std::vector<LoadAt> merge_pieces(const std::vector<LoadAt>& loads, std::int64_t width,
                                   const Uses& uses) {
    std::map<std::int64_t, Piece> pieces;
    std::vector<LoadAt> left;
    for (const LoadAt& load : loads) {
      Piece& piece = pieces[piece_start(load.offset, width)];
      const bool is_twice = std::ranges::any_of(
          piece.loads, [&](const LoadAt& other) { return other.offset == load.offset; });
      const bool fits = load.offset % kWord == 0 && !is_twice &&
                        (piece.loads.empty() || uses.may_load_at(piece.loads[0].pc, load.pc));
      (fits ? piece.loads : left).push_back(load);
    }
    for (auto& [start, piece] : pieces) {
      piece.start = start;
      piece.width = width;
      // Half of 16 bytes is an 8-byte piece, or not adjacent.
      if (static_cast<std::int64_t>(piece.loads.size()) * kWord * 2 > width) {
        load_at_once(piece);
      } else {
        left.insert(left.end(), piece.loads.begin(), piece.loads.end());
      }
    }
    std::ranges::sort(left, [](const LoadAt& a, const LoadAt& b) { return a.pc < b.pc; });
    return left;
  }

  void load_at_once(const Piece& piece) {
    const LoadAt& first = piece.loads.front();
    Instruction& wide = function_.instructions[first.pc];
    const auto words = static_cast<std::size_t>(piece.width / kWord);
    std::vector<Operand> operands(words + 1);  // unneeded words are discarded
    for (const LoadAt& load : piece.loads) {
      operands[static_cast<std::size_t>((load.offset - piece.start) / kWord)] =
          function_.operands[function_.instructions[load.pc].first_operand];
      is_removed_[load.pc] = load.pc != first.pc;
    }
    operands[words] = function_.operands[wide.first_operand + 1];
    operands[words].value += piece.start - first.offset;
    wide.vector = static_cast<std::uint8_t>(words);
    wide.dest_count = static_cast<std::uint8_t>(words);
    wide.operand_count = static_cast<std::uint8_t>(words + 1);
    wide.first_operand = static_cast<std::uint32_t>(function_.operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    wide.text_offset = static_cast<std::uint32_t>(module_.text.size());
    module_.text += text_of(wide);
    if (piece.loads.size() < words) {
      module_.spare_shared_bytes = static_cast<std::uint32_t>(piece.width - kWord);
    }
  }

  // "ld.shared.v2.f32 {%f1, %f2}, [%rd3];\n": like other instructions in the text, vectors in
  // braces.
  [[nodiscard]] std::string text_of(const Instruction& wide) const {
    std::string text = assemble(module_, function_, wide);
    text.insert(text.find(' ') + 1, "{");
    text.insert(text.rfind(", ["), "}");
    return text + ";\n";
  }

  void remove_the_others() {
    std::vector<std::uint32_t> moved(is_removed_.size() + 1, 0);
    std::vector<Instruction> kept;
    for (std::size_t pc = 0; pc < is_removed_.size(); ++pc) {
      moved[pc] = static_cast<std::uint32_t>(kept.size());
      if (!is_removed_[pc]) {
        kept.push_back(function_.instructions[pc]);
      }
    }
    moved.back() = static_cast<std::uint32_t>(kept.size());
    const auto move = [&](std::uint32_t& pc) { pc = pc < moved.size() ? moved[pc] : pc; };
    for (Instruction& instruction : kept) {
      if (instruction.op == Opcode::Bra) {
        move(instruction.target);
      }
      move(instruction.reconverge);
    }
    for (std::vector<std::uint32_t>& table : function_.branch_tables) {
      std::ranges::for_each(table, move);
    }
    for (Scope& scope : function_.scopes) {
      move(scope.low_pc);
      move(scope.high_pc);
    }
    for (AssignmentEvent& event : function_.events) {
      move(event.pc);
    }
    function_.instructions = std::move(kept);
  }

  // Keeps the variables at the alignment that the merged loads need, whatever else the module has.
  void hold_alignments() {
    const Alignments alignments(module_, index_);
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      MemoryVariable& variable = module_.variables[i];
      if (variable.space == Space::Shared) {
        const int exponent = std::min(kWidestExponent, alignments.variable_exponent(i));
        variable.align = std::max(variable.align, 1U << exponent);
      }
    }
  }

  Module& module_;
  std::uint32_t index_;
  Function& function_;
  std::vector<bool> is_removed_;  // by pc
};

bool is_shared_or_unknown(Space space) {
  return space == Space::Shared || space == Space::Generic;
}

// Whether shared memory may change: the instruction writes it, or others may have.
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

// Tracks the values of registers through a stretch of code that is entered only at its first
// instruction.
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
  // The value of a register: a base and an offset from it.
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
    // Registers written earlier in this stretch are in values_ already.
    const Alignments::AlignedOffset place =
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

  // Updates the instruction's destination.
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
  std::map<std::uint32_t, std::size_t> groups_of_;    // base → its open group
  std::vector<LoadGroup> groups_;
};

}  // namespace

Module merge_loads(Module module, std::uint32_t function) {
  Merger(module, function).run();
  return module;
}

bool ends_stretch(const Instruction& instruction, std::uint32_t pc) {
  const bool is_back = instruction.op == Opcode::Bra && instruction.target <= pc;
  return is_back || instruction.op == Opcode::Call || instruction.op == Opcode::BrxIdx ||
         (has(instruction.op, kEndsPath) && instruction.guard == kNoGuard);
}

bool may_leave_stretch(const Instruction& instruction) {
  return has(instruction.op, kEndsPath) && instruction.guard != kNoGuard;
}

std::vector<LoadGroup> find_load_groups(const Module& module, std::uint32_t function) {
  return GroupFinder(module, function).find();
}

}  // namespace tilestep::ptx
