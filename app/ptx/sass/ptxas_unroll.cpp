#include "ptx/model/control_flow.h"
#include "ptx/sass/ptxas.h"
#include "ptx/text/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <utility>

namespace tilestep::ptx {
namespace {

constexpr std::int64_t kMostPasses = 128;  // the longest loop seen unrolled has 31

using Key = std::pair<RegisterClass, std::uint32_t>;

Key key_of(Register reg) {
  return {reg.cls, reg.index};
}

// A counter in a loop: `add r, r, step`, once in its body.
struct Counter {
  std::uint32_t add = 0;  // pc
  std::int64_t step = 0;
};

class Body {
 public:
  Body(const Function& function, std::uint32_t first, std::uint32_t branch)
      : function_(function), first_(first), branch_(branch) {
    for (std::uint32_t pc = first; pc < branch; ++pc) {
      const Instruction& instruction = function.instructions[pc];
      const auto steps = step(instruction);
      if (steps) {
        counters_[key_of(operand(instruction, 0).reg)] = {pc, *steps};
      }
    }
    drop_what_does_more();
  }

  [[nodiscard]] const std::map<Key, Counter>& counters() const { return counters_; }
  [[nodiscard]] const Operand& operand(const Instruction& instruction, std::uint32_t k) const {
    return function_.operands[instruction.first_operand + k];
  }
  [[nodiscard]] bool is_counter(const Operand& operand) const {
    return operand.kind == OperandKind::Register && counters_.contains(key_of(operand.reg));
  }

  // The comparison that the backward branch depends on: of a counter, and unused otherwise.
  [[nodiscard]] std::optional<std::uint32_t> comparison() const {
    const std::uint32_t predicate = function_.instructions[branch_].guard;
    std::uint32_t uses = 0;
    std::optional<std::uint32_t> found;
    for (std::uint32_t pc = 0; pc < function_.instructions.size(); ++pc) {
      const Instruction& instruction = function_.instructions[pc];
      uses += instruction.guard == predicate ? 1 : 0;
      for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
        const Operand& used = operand(instruction, k);
        uses += used.kind == OperandKind::Register &&
                        key_of(used.reg) == Key{RegisterClass::Pred, predicate}
                    ? 1
                    : 0;
      }
      if (pc >= first_ && pc < branch_ && is_until(pc, predicate)) {
        found = pc;
      }
    }
    return uses == 2 ? found : std::nullopt;
  }

 private:
  [[nodiscard]] bool is_until(std::uint32_t pc, std::uint32_t predicate) const {
    const Instruction& instruction = function_.instructions[pc];
    return instruction.op == Opcode::Setp && instruction.operand_count == 3 &&
           operand(instruction, 0).kind == OperandKind::Register &&
           operand(instruction, 0).reg.index == predicate && instruction.compare == Compare::Ne &&
           instruction.guard == kNoGuard && is_counter(operand(instruction, 1)) &&
           operand(instruction, 2).kind == OperandKind::Immediate &&
           counters_.at(key_of(operand(instruction, 1).reg)).add < pc;
  }

  [[nodiscard]] std::optional<std::int64_t> step(const Instruction& instruction) const {
    const bool is_sum = instruction.op == Opcode::Add && instruction.guard == kNoGuard &&
                        instruction.operand_count == 3 &&
                        operand(instruction, 0).kind == OperandKind::Register &&
                        operand(instruction, 0) == operand(instruction, 1) &&
                        operand(instruction, 2).kind == OperandKind::Immediate;
    return is_sum ? std::optional(operand(instruction, 2).value) : std::nullopt;
  }

  // Drops counters that are written elsewhere in the body, or whose value is used for more than
  // addresses and the backward branch.
  void drop_what_does_more() {
    const std::uint32_t predicate = function_.instructions[branch_].guard;
    for (std::uint32_t pc = first_; pc < branch_; ++pc) {
      const Instruction& instruction = function_.instructions[pc];
      for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
        const Operand& used = operand(instruction, k);
        const bool is_allowed = !is_counter(used) || counters_.at(key_of(used.reg)).add == pc ||
                                (k == 1 && is_until(pc, predicate));
        if (!is_allowed) {
          counters_.erase(key_of(used.reg));
        }
      }
    }
  }

  const Function& function_;
  std::uint32_t first_;
  std::uint32_t branch_;
  std::map<Key, Counter> counters_;
};

// The result of the `mov` at `pc` if it is a constant: an immediate, or a register that is written
// once, further up.
std::optional<std::int64_t> moved_constant(const Function& function, const Definitions& definitions,
                                           std::uint32_t pc) {
  const Instruction& instruction = function.instructions[pc];
  if (instruction.op != Opcode::Mov || instruction.guard != kNoGuard ||
      instruction.operand_count != 2) {
    return std::nullopt;
  }
  const Operand& from = function.operands[instruction.first_operand + 1];
  if (from.kind == OperandKind::Immediate) {
    return from.value;
  }
  const auto write =
      from.kind == OperandKind::Register ? definitions.only_write(from.reg) : std::nullopt;
  return write && *write < pc ? moved_constant(function, definitions, *write) : std::nullopt;
}

// The constant that `reg` holds on arrival at `pc`, written in the instructions just before it.
std::optional<std::int64_t> constant_before(const Function& function, std::uint32_t pc,
                                            Register reg) {
  const Definitions definitions(function);
  while (pc-- > 0) {
    const Instruction& instruction = function.instructions[pc];
    for (std::uint32_t k = 0; k < instruction.dest_count; ++k) {
      const Operand& to = function.operands[instruction.first_operand + k];
      if (to.kind != OperandKind::Register || to.reg != reg) {
        continue;
      }
      return moved_constant(function, definitions, pc);
    }
    if (definitions.is_branch_target(pc) || instruction.op == Opcode::Bra) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// Whether control reaches `pc` only from `branch` and from the previous instruction.
bool is_only_target_of(const Function& function, std::uint32_t pc, std::uint32_t branch) {
  for (std::uint32_t from = 0; from < function.instructions.size(); ++from) {
    const Instruction& instruction = function.instructions[from];
    if (instruction.op == Opcode::Bra && instruction.target == pc && from != branch) {
      return false;
    }
  }
  return function.branch_tables.empty();
}

std::optional<CountedLoop> counted_loop(const Function& function, const Definitions& definitions,
                                        std::uint32_t branch) {
  const Instruction& back = function.instructions[branch];
  if (back.op != Opcode::Bra || back.guard == kNoGuard || back.guard_negated ||
      back.target > branch || !is_only_target_of(function, back.target, branch)) {
    return std::nullopt;
  }
  for (std::uint32_t pc = back.target; pc < branch; ++pc) {
    const Opcode op = function.instructions[pc].op;
    if (has(op, kJumps) || (pc > back.target && definitions.is_branch_target(pc))) {
      return std::nullopt;
    }
  }
  const Body body(function, back.target, branch);
  const auto comparison = body.comparison();
  if (!comparison) {
    return std::nullopt;
  }
  const Instruction& until = function.instructions[*comparison];
  const Register counter = body.operand(until, 1).reg;
  const auto start = constant_before(function, back.target, counter);
  const std::int64_t step = body.counters().at(key_of(counter)).step;
  const std::int64_t way = start ? body.operand(until, 2).value - *start : 0;
  if (step == 0 || way % step != 0 || way / step < 2 || way / step > kMostPasses) {
    return std::nullopt;
  }
  return CountedLoop{back.target, branch, static_cast<std::uint32_t>(way / step)};
}

// Writes the bodies of an unrolled loop.
class Unroller {
 public:
  Unroller(Module& module, std::uint32_t function, const CountedLoop& loop)
      : module_(module),
        function_(module.functions[function]),
        loop_(loop),
        body_(function_, loop.first, loop.branch) {
    find_own_registers();
  }

  [[nodiscard]] std::vector<Instruction> bodies(std::uint32_t times, bool is_loop) {
    std::vector<Instruction> code;
    for (std::uint32_t pass = 0; pass < times; ++pass) {
      std::map<Key, Register> renamed;
      for (std::uint32_t pc = loop_.first; pc < loop_.branch; ++pc) {
        if (!is_counting(pc)) {
          code.push_back(copy(pc, pass, renamed));
        }
      }
    }
    for (std::uint32_t pc = loop_.first; pc < loop_.branch; ++pc) {
      if (is_counting(pc) && (is_loop || function_.instructions[pc].op == Opcode::Add)) {
        code.push_back(function_.instructions[pc]);
        if (code.back().op == Opcode::Add) {
          multiply_step(code.back(), times);
        }
      }
    }
    if (is_loop) {
      code.push_back(function_.instructions[loop_.branch]);
    }
    return code;
  }

 private:
  // Additions and comparisons of counters are done once, after all bodies.
  [[nodiscard]] bool is_counting(std::uint32_t pc) const {
    const Instruction& instruction = function_.instructions[pc];
    return (instruction.op == Opcode::Setp && body_.is_counter(body_.operand(instruction, 1))) ||
           (instruction.op == Opcode::Add && body_.is_counter(body_.operand(instruction, 0)));
  }

  // Finds registers of loads that no instruction reads before the load or after the loop: each body
  // gets separate ones, as in static single assignment.
  void find_own_registers() {
    std::map<Key, bool> is_own;
    for (std::uint32_t pc = 0; pc < function_.instructions.size(); ++pc) {
      const Instruction& instruction = function_.instructions[pc];
      const bool is_inside = pc >= loop_.first && pc < loop_.branch;
      for (std::uint32_t k = instruction.operand_count; k-- > 0;) {  // sources before destinations
        const Operand& used = body_.operand(instruction, k);
        if (used.kind != OperandKind::Register || used.reg.cls != RegisterClass::B32) {
          continue;
        }
        const bool begins = is_inside && k == 0 && instruction.op == Opcode::Ld &&
                            instruction.dest_count == 1 && instruction.guard == kNoGuard;
        const auto [place, is_new] = is_own.emplace(key_of(used.reg), begins);
        place->second = place->second && is_inside;
      }
    }
    for (const auto& [key, own] : is_own) {
      if (own) {
        own_.push_back(key);
      }
    }
  }

  Instruction copy(std::uint32_t pc, std::uint32_t pass, std::map<Key, Register>& renamed) {
    Instruction instruction = function_.instructions[pc];
    const std::uint32_t first = instruction.first_operand;
    instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
    for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
      Operand used = function_.operands[first + k];
      if (used.kind == OperandKind::Memory) {
        const auto counter = body_.counters().find(key_of(used.reg));
        if (counter != body_.counters().end()) {
          used.value += counter->second.step * (pass + (counter->second.add < pc ? 1 : 0));
        }
      } else if (used.kind == OperandKind::Register && pass > 0) {
        used.reg = name_in_pass(used.reg, pass, renamed);
      }
      function_.operands.push_back(used);
    }
    if (pass > 0) {
      write_text(instruction);
    }
    return instruction;
  }

  Register name_in_pass(Register reg, std::uint32_t pass, std::map<Key, Register>& renamed) {
    if (!std::binary_search(own_.begin(), own_.end(), key_of(reg))) {
      return reg;
    }
    const auto found = renamed.find(key_of(reg));
    if (found != renamed.end()) {
      return found->second;
    }
    const auto old = std::ranges::find(function_.registers, reg);
    const auto place = old - function_.registers.begin();
    const std::string name = old == function_.registers.end()
                                 ? std::string("%unrolled")
                                 : function_.register_names[static_cast<std::size_t>(place)];
    const Register fresh{reg.cls, function_.register_words++};
    function_.registers.push_back(fresh);
    function_.register_names.push_back(fmt::format("{}_{}", name, pass));
    return renamed[key_of(reg)] = fresh;
  }

  void multiply_step(Instruction& add, std::uint32_t times) {
    std::vector<Operand> operands(
        function_.operands.begin() + add.first_operand,
        function_.operands.begin() + add.first_operand + add.operand_count);
    operands[2].value *= times;
    add.first_operand = static_cast<std::uint32_t>(function_.operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    write_text(add);
  }

  void write_text(Instruction& instruction) {
    instruction.text_offset = static_cast<std::uint32_t>(module_.text.size());
    module_.text += assemble(module_, function_, instruction) + ";\n";
  }

  Module& module_;
  Function& function_;
  CountedLoop loop_;
  Body body_;
  std::vector<Key> own_;  // sorted
};

}  // namespace

std::vector<CountedLoop> find_counted_loops(const Function& function) {
  const Definitions definitions(function);
  std::vector<CountedLoop> loops;
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    if (const auto loop = counted_loop(function, definitions, pc)) {
      loops.push_back(*loop);
    }
  }
  return loops;
}

void unroll(Module& module, std::uint32_t index, const CountedLoop& loop, std::uint32_t times) {
  assert(times >= 2 && times <= loop.passes);
  Function& function = module.functions[index];
  Unroller unroller(module, index, loop);
  const bool is_loop = times <= loop.passes / 2;
  const std::uint32_t before = is_loop ? loop.passes % times : 0;
  std::vector<Instruction> code;
  if (before > 0) {
    code = unroller.bodies(before, false);
  }
  const auto start = static_cast<std::uint32_t>(loop.first + code.size());
  const std::vector<Instruction> rest = unroller.bodies(is_loop ? times : loop.passes, is_loop);
  code.insert(code.end(), rest.begin(), rest.end());
  const auto longer = static_cast<std::uint32_t>(code.size()) - (loop.branch + 1 - loop.first);
  std::vector<Instruction>& all = function.instructions;
  const auto from = all.begin() + loop.first;
  all.insert(all.erase(from, from + (loop.branch + 1 - loop.first)), code.begin(), code.end());
  const auto back = is_loop ? loop.first + static_cast<std::uint32_t>(code.size()) - 1 : kNoPc;
  for (std::uint32_t pc = 0; pc < all.size(); ++pc) {
    if (pc == back) {
      all[pc].target = start;
    } else if (all[pc].op == Opcode::Bra && all[pc].target > loop.branch) {
      all[pc].target += longer;
    }
  }
  find_reconvergence(function);
}

std::uint32_t innermost_loop(const Function& function, std::uint32_t pc) {
  std::uint32_t loop = kNoPc;
  std::uint32_t shortest = kNoPc;
  for (std::uint32_t from = pc; from < function.instructions.size(); ++from) {
    const Instruction& branch = function.instructions[from];
    const bool is_around = branch.op == Opcode::Bra && branch.target <= pc;
    if (is_around && from - branch.target < shortest) {
      loop = from;
      shortest = from - branch.target;
    }
  }
  return loop;
}

}  // namespace tilestep::ptx
