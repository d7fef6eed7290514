// Products that the driver's compiler adds without rounding them first.
//
// PTX leaves it open: a mul and the add or sub of its result may become one fused multiply-add
// where neither says how to round (PTX ISA 9.0, 9.7.3.3). The front end fuses most of them itself;
// for the rest, this does what ptxas 13.0 was seen to do in optimised code, in its machine code for
// each case of tests/simt/contract_test.cpp:
//
// * where everything that reads a product is an add or sub of its type in the same stretch of code
//   without branches and labels, each of them is fused, however many there are;
// * of the sum or difference of two such products the first operand is fused, and the second one
//   stays a product wherever it is read;
// * the sum of a product with itself is not fused.
//
// The mul is executed as well, so its register holds the rounded product. Debug code is never
// fused (ptxas -O0). Not modelled, because no front end writes them: a neg, abs or mov between the
// two, a guard, .ftz and half types, and a factor that is overwritten between the two.
#include "simt/bind/bind_flow.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;
using Key = std::pair<ptx::RegisterClass, std::uint32_t>;

[[nodiscard]] Key key(ptx::Register reg) {
  return {reg.cls, reg.index};
}

[[nodiscard]] bool is_open(const ptx::Instruction& i) {
  return (i.type == T::F32 || i.type == T::F64) && i.rounding == ptx::Rounding::None &&
         i.flags == 0 && i.guard == ptx::kNoGuard && i.vector == 1 && i.dest_count == 1;
}
[[nodiscard]] bool is_sum(const ptx::Instruction& i) {
  return (i.op == O::Add || i.op == O::Sub) && is_open(i);
}
[[nodiscard]] bool ends_stretch(const ptx::Instruction& i) {
  return i.op == O::Bra || i.op == O::BrxIdx || i.op == O::Ret || i.op == O::Exit ||
         i.op == O::Call;
}

// Where registers are read and written, and which products may stay unrounded.
class Products {
 public:
  explicit Products(const ptx::Function& source) : source_(source) {
    const std::vector<bool> is_entrance = entrances(source);
    std::uint32_t stretch = 0;
    for (std::uint32_t pc = 0; pc < source.instructions.size(); ++pc) {
      const ptx::Instruction& i = source.instructions[pc];
      stretch += is_entrance[pc] ? 1 : 0;
      stretch_.push_back(stretch);
      stretch += ends_stretch(i) ? 1 : 0;
      for (std::uint32_t k = 0; k < i.operand_count; ++k) {
        const ptx::Operand& operand = source.operands[i.first_operand + k];
        if (operand.kind == ptx::OperandKind::Register) {
          auto& uses = k < i.dest_count ? writers_ : readers_;
          uses[key(operand.reg)].push_back(pc);
        }
      }
    }
    for (std::uint32_t pc = 0; pc < source.instructions.size(); ++pc) {
      if (may_stay_unrounded(pc)) {
        open_[key(operand(pc, 0)->reg)] = pc;
      }
    }
  }

  // The mul whose product a sum takes up unrounded, as which of its operands; in the order of the
  // code.
  struct Taken {
    std::uint32_t mul = ptx::kNoPc;
    bool is_first = false;
  };
  [[nodiscard]] Taken take(std::uint32_t sum) {
    const auto first = find(operand(sum, 1));
    const auto second = find(operand(sum, 2));
    if (first != open_.end()) {
      const Taken taken{first->second, true};
      if (second != open_.end()) {
        open_.erase(second);
      }
      return taken;
    }
    return second == open_.end() ? Taken{} : Taken{second->second, false};
  }

 private:
  // A register operand, or nullptr.
  [[nodiscard]] const ptx::Operand* operand(std::uint32_t pc, std::uint32_t k) const {
    const ptx::Instruction& i = source_.instructions[pc];
    if (k >= i.operand_count) {
      return nullptr;
    }
    const ptx::Operand& operand = source_.operands[i.first_operand + k];
    return operand.kind == ptx::OperandKind::Register ? &operand : nullptr;
  }

  [[nodiscard]] std::map<Key, std::uint32_t>::iterator find(const ptx::Operand* operand) {
    return operand == nullptr ? open_.end() : open_.find(key(operand->reg));
  }

  [[nodiscard]] bool may_stay_unrounded(std::uint32_t pc) {
    const ptx::Instruction& i = source_.instructions[pc];
    const ptx::Operand* const to = operand(pc, 0);
    if (i.op != O::Mul || !is_open(i) || to == nullptr || writers_[key(to->reg)].size() != 1) {
      return false;
    }
    const std::vector<std::uint32_t>& readers = readers_[key(to->reg)];
    const bool all_sums = std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
      const ptx::Instruction& sum = source_.instructions[reader];
      return is_sum(sum) && sum.type == i.type && stretch_[reader] == stretch_[pc] && reader > pc;
    });
    // Read twice by one: the sum of a product with itself.
    const bool each_once = std::adjacent_find(readers.begin(), readers.end()) == readers.end();
    return !readers.empty() && all_sums && each_once && factors_last(pc, readers.back());
  }

  // Neither factor is overwritten before the last sum.
  [[nodiscard]] bool factors_last(std::uint32_t mul, std::uint32_t last) {
    for (const std::uint32_t k : {1U, 2U}) {
      const ptx::Operand* const factor = operand(mul, k);
      if (factor == nullptr) {
        continue;
      }
      const std::vector<std::uint32_t>& writers = writers_[key(factor->reg)];
      if (std::any_of(writers.begin(), writers.end(),
                      [&](std::uint32_t pc) { return pc >= mul && pc < last; })) {
        return false;
      }
    }
    return true;
  }

  const ptx::Function& source_;
  std::vector<std::uint32_t> stretch_;  // by pc
  std::map<Key, std::vector<std::uint32_t>> readers_;
  std::map<Key, std::vector<std::uint32_t>> writers_;
  std::map<Key, std::uint32_t> open_;  // products that may stay unrounded, their muls
};

}  // namespace

void contract(BoundFunction& function, const ptx::Function& source, const Isa& isa) {
  Products products(source);
  for (std::uint32_t pc = 0; pc < source.instructions.size(); ++pc) {
    const ptx::Instruction& i = source.instructions[pc];
    if (!is_sum(i)) {
      continue;
    }
    const Products::Taken taken = products.take(pc);
    if (taken.mul == ptx::kNoPc) {
      continue;
    }
    const Contracted which = i.op == O::Add   ? Contracted::ProductPlus
                             : taken.is_first ? Contracted::ProductMinus
                                              : Contracted::MinusProduct;
    const LaneExecutor& executor =
        isa.contracted[i.type == T::F64 ? 1 : 0][static_cast<std::size_t>(which)];
    const Bound& mul = function.code[taken.mul];
    Bound& sum = function.code[pc];
    sum.in = {mul.in[0], mul.in[1], sum.in[taken.is_first ? 1 : 0], kNoSlot};
    sum.run = {executor.run[0], executor.run[1], executor.run[0], executor.run[1]};
  }
}

}  // namespace tilestep::simt
