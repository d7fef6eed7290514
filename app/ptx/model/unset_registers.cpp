#include "ptx/model/unset_registers.h"

#include "ptx/model/control_flow.h"
#include "ptx/model/definitions.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tilestep::ptx {
namespace {

// By register, one bit each.
class Live {
 public:
  explicit Live(std::size_t registers) : words_((registers + 63) / 64) {}

  [[nodiscard]] bool operator[](std::size_t n) const {
    return (words_[n / 64] >> n % 64 & 1U) != 0;
  }
  void set(std::size_t n, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << n % 64;
    words_[n / 64] = value ? words_[n / 64] | bit : words_[n / 64] & ~bit;
  }
  void add(const Live& other) {
    for (std::size_t n = 0; n < words_.size(); ++n) {
      words_[n] |= other.words_[n];
    }
  }
  friend bool operator==(const Live&, const Live&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

class Liveness {
 public:
  explicit Liveness(const Function& function)
      : function_(function),
        live_(function.instructions.size() + 1, Live(function.registers.size())) {
    for (std::size_t n = 0; n < function.registers.size(); ++n) {
      numbers_.emplace(register_key(function.registers[n]), n);
    }
  }

  // Backwards until nothing changes (Aho, Lam, Sethi, Ullman: Compilers, 9.2.5).
  const Live& at_start() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t pc = function_.instructions.size(); pc-- > 0;) {
        changed = update(pc) || changed;
      }
    }
    return live_.front();
  }

 private:
  void mark(Live& live, Register reg, bool value) const {
    if (const auto found = numbers_.find(register_key(reg)); found != numbers_.end()) {
      live.set(found->second, value);
    }
  }

  // Live after the instruction: what any of those that may follow needs.
  [[nodiscard]] Live after(std::size_t pc) const {
    const Instruction& i = function_.instructions[pc];
    Live live(function_.registers.size());
    if (!ends_block(i.op) || i.guard != kNoGuard) {
      live.add(live_[pc + 1]);
    }
    if (i.op == Opcode::Bra) {
      live.add(live_[i.target]);
    } else if (i.op == Opcode::BrxIdx) {
      for (const std::uint32_t target : function_.branch_tables[i.target]) {
        live.add(live_[target]);
      }
    }
    return live;
  }

  bool update(std::size_t pc) {
    const Instruction& i = function_.instructions[pc];
    Live live = after(pc);
    for (std::uint32_t n = 0; n < i.dest_count && i.guard == kNoGuard; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      if (operand.kind == OperandKind::Register) {
        mark(live, operand.reg, false);
      }
    }
    for (std::uint32_t n = i.dest_count; n < i.operand_count; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      if (operand.kind == OperandKind::Register || operand.kind == OperandKind::Memory) {
        mark(live, operand.reg, true);
      }
    }
    if (i.guard != kNoGuard) {
      mark(live, {RegisterClass::Pred, i.guard}, true);
    }
    const bool changed = live != live_[pc];
    live_[pc] = std::move(live);
    return changed;
  }

  const Function& function_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::vector<Live> live_;  // by pc, and nothing past the end
};

}  // namespace

std::vector<Register> unset_registers(const Function& function) {
  std::vector<Register> unset;
  if (function.instructions.empty()) {
    return unset;
  }
  Liveness liveness(function);
  const Live& live = liveness.at_start();
  for (std::size_t n = 0; n < function.registers.size(); ++n) {
    const Register reg = function.registers[n];
    if (live[n] && reg != function.stack_pointer && reg != function.stack_pointer_local) {
      unset.push_back(reg);
    }
  }
  return unset;
}

}  // namespace tilestep::ptx
