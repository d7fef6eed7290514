#include "ptx/model/liveness.h"

#include "ptx/model/control_flow.h"
#include "ptx/model/definitions.h"

#include <unordered_map>
#include <utility>

namespace tilestep::ptx {
namespace {

using LiveBits = std::vector<std::uint64_t>;

bool is_live(const LiveBits& live, std::size_t n) {
  return (live[n / 64] >> n % 64 & 1U) != 0;
}

void add_live(LiveBits& live, const LiveBits& other) {
  for (std::size_t n = 0; n < live.size(); ++n) {
    live[n] |= other[n];
  }
}

class LivenessSolver {
 public:
  explicit LivenessSolver(const Function& function)
      : function_(function), live_(function.instructions.size() + 1, none()) {
    for (std::size_t n = 0; n < function.registers.size(); ++n) {
      numbers_.emplace(register_key(function.registers[n]), n);
    }
  }

  // Backwards until nothing changes (Aho, Lam, Sethi, Ullman: Compilers, 9.2.5).
  std::vector<LiveBits> solve() && {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t pc = function_.instructions.size(); pc-- > 0;) {
        changed = update(pc) || changed;
      }
    }
    return std::move(live_);
  }

 private:
  [[nodiscard]] LiveBits none() const { return LiveBits((function_.registers.size() + 63) / 64); }

  void mark(LiveBits& live, Register reg, bool value) const {
    if (const auto found = numbers_.find(register_key(reg)); found != numbers_.end()) {
      const std::uint64_t bit = std::uint64_t{1} << found->second % 64;
      std::uint64_t& word = live[found->second / 64];
      word = value ? word | bit : word & ~bit;
    }
  }

  // Live after the instruction: what any of those that may follow needs.
  [[nodiscard]] LiveBits after(std::size_t pc) const {
    const Instruction& i = function_.instructions[pc];
    LiveBits live = none();
    if (!ends_block(i.op) || i.guard != kNoGuard) {
      add_live(live, live_[pc + 1]);
    }
    if (i.op == Opcode::Bra) {
      add_live(live, live_[i.target]);
    } else if (i.op == Opcode::BrxIdx) {
      for (const std::uint32_t target : function_.branch_tables[i.target]) {
        add_live(live, live_[target]);
      }
    }
    return live;
  }

  bool update(std::size_t pc) {
    const Instruction& i = function_.instructions[pc];
    LiveBits live = after(pc);
    const bool ends_values = i.guard == kNoGuard && !reads_destinations(i);
    for (std::uint32_t n = 0; n < i.dest_count && ends_values; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      if (operand.kind == OperandKind::Register) {
        mark(live, operand.reg, false);
      }
    }
    for (std::uint32_t n = 0; n < i.operand_count; ++n) {
      const Operand& operand = function_.operands[i.first_operand + n];
      const bool is_source =
          operand.kind == OperandKind::Register && (n >= i.dest_count || reads_destinations(i));
      if (is_source || operand.kind == OperandKind::Memory) {
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
  std::vector<LiveBits> live_;  // by pc, and nothing past the end
};

}  // namespace

Liveness::Liveness(const Function& function)
    : function_(function), live_(LivenessSolver(function).solve()) {}

std::vector<Register> Liveness::at(std::uint32_t pc) const {
  std::vector<Register> live;
  for (std::size_t n = 0; n < function_.registers.size(); ++n) {
    if (is_live(live_[pc], n)) {
      live.push_back(function_.registers[n]);
    }
  }
  return live;
}

}  // namespace tilestep::ptx
