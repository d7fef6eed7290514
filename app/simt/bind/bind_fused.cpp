// Finds the sequences that isa_fused.cpp executes in one pass.
#include "simt/bind/bind.h"
#include "simt/exec/control.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;

// Instructions [pc, pc + count) that always execute in sequence, none of them guarded.
class Stretch {
 public:
  Stretch(const std::vector<Bound>& code, const std::vector<bool>& joins)
      : code_(code), joins_(joins) {}

  [[nodiscard]] bool runs_on(std::size_t pc, std::size_t count) const {
    if (pc + count > code_.size()) {
      return false;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (code_[pc + k].source->guard != ptx::kNoGuard || (k != 0 && joins_[pc + k])) {
        return false;
      }
    }
    return true;
  }

 private:
  const std::vector<Bound>& code_;
  const std::vector<bool>& joins_;
};

[[nodiscard]] bool is(const Bound& b, O op, T type) {
  return b.source->op == op && b.source->type == type && b.source->flags == 0;
}

[[nodiscard]] bool is_address(const Bound* b) {
  const bool shapes = is(b[0], O::Cvt, T::S64) && b[0].source->source_type == T::S32 &&
                      is(b[1], O::Shl, T::B64) && b[1].in[1] == kNoSlot &&
                      (is(b[2], O::Add, T::S64) || is(b[2], O::Add, T::U64));
  return shapes && b[1].in[0] == b[0].d && b[2].in[1] == b[1].d && !(b[2].in[0] == b[0].d) &&
         !(b[2].in[0] == b[1].d) && !(b[0].d == b[1].d);
}

// cvta is bound as an addition of its window.
[[nodiscard]] bool is_moved_sum(const Bound* b) {
  const bool adds = is(b[1], O::Add, T::S64) || is(b[1], O::Add, T::U64) ||
                    (is(b[1], O::Cvta, T::U64) && !(b[1].in[1] == kNoSlot));
  const bool moves = b[0].source->op == O::Mov && ptx::byte_size(b[0].source->type) == 8 &&
                     !(b[0].in[0] == kNoSlot) && b[0].source->operand_count == 2;
  return moves && adds && b[1].in[0] == b[0].d && !(b[1].in[1] == b[0].d);
}

[[nodiscard]] bool is_plain_float(const Bound& b, O op) {
  const bool nearest =
      b.source->rounding == ptx::Rounding::None || b.source->rounding == ptx::Rounding::Rn;
  return is(b, op, T::F32) && nearest;
}

[[nodiscard]] bool is_product_sum(const Bound* b) {
  // A sum with three operands uses the product unrounded (contract()).
  return is_plain_float(b[0], O::Mul) && is_plain_float(b[1], O::Add) && b[1].in[2] == kNoSlot &&
         b[1].in[1] == b[0].d && !(b[1].in[0] == b[0].d);
}

[[nodiscard]] bool is_shared_float(const Bound& b) {
  const ptx::Instruction& i = *b.source;
  const bool is_word = i.type == T::F32 || i.type == T::B32 || i.type == T::U32;
  return i.op == O::Ld && i.space == ptx::Space::Shared && is_word && b.known != 0 &&
         b.elements == 1;
}

// Two loads of different registers through different address registers, and their product added to
// a third register.
[[nodiscard]] bool is_product_of_loaded(const Bound* b) {
  if (!is_shared_float(b[0]) || !is_shared_float(b[1]) || !is_plain_float(b[2], O::Fma)) {
    return false;
  }
  const bool loaded = (b[2].in[0] == b[0].d && b[2].in[1] == b[1].d) ||
                      (b[2].in[0] == b[1].d && b[2].in[1] == b[0].d);
  const bool apart = !(b[0].d == b[1].d) && !(b[2].in[2] == b[0].d) && !(b[2].in[2] == b[1].d) &&
                     !(b[0].d == kNoSlot) && !(b[1].d == kNoSlot);
  return loaded && apart;
}

[[nodiscard]] bool is_word_move(const Bound& b, Executor mover) {
  return b.run[0] == mover;
}

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

// The reads and writes of registers, and the products that may stay unrounded.
class Products {
 public:
  explicit Products(const ptx::Function& source) : source_(source) {
    const std::vector<bool> is_entrance = entrances(source);
    std::uint32_t stretch = 0;
    for (std::uint32_t pc = 0; pc < source.instructions.size(); ++pc) {
      const ptx::Instruction& i = source.instructions[pc];
      stretch += is_entrance[pc] ? 1 : 0;
      stretch_.push_back(stretch);
      stretch += ptx::has(i.op, ptx::kJumps) ? 1 : 0;
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

  // The mul whose unrounded product a sum uses, and as which of its operands; in the order of the
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
  // The operand if it is a register; otherwise nullptr.
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
    const bool all_sums = std::ranges::all_of(readers, [&](std::uint32_t reader) {
      const ptx::Instruction& sum = source_.instructions[reader];
      return is_sum(sum) && sum.type == i.type && stretch_[reader] == stretch_[pc] && reader > pc;
    });
    // Two reads by one instruction: the sum of a product with itself.
    const bool each_once = std::adjacent_find(readers.begin(), readers.end()) == readers.end();
    return !readers.empty() && all_sums && each_once && factors_last(pc, readers.back());
  }

  // Whether neither factor is overwritten before the last sum.
  [[nodiscard]] bool factors_last(std::uint32_t mul, std::uint32_t last) {
    for (const std::uint32_t k : {1U, 2U}) {
      const ptx::Operand* const factor = operand(mul, k);
      if (factor == nullptr) {
        continue;
      }
      const std::vector<std::uint32_t>& writers = writers_[key(factor->reg)];
      if (std::ranges::any_of(writers, [&](std::uint32_t pc) { return pc >= mul && pc < last; })) {
        return false;
      }
    }
    return true;
  }

  const ptx::Function& source_;
  std::vector<std::uint32_t> stretch_;  // by pc
  std::map<Key, std::vector<std::uint32_t>> readers_;
  std::map<Key, std::vector<std::uint32_t>> writers_;
  std::map<Key, std::uint32_t> open_;  // products that may stay unrounded, with their muls
};

}  // namespace

void fuse(BoundFunction& function, const ptx::Function& source, const Isa& isa) {
  std::vector<Bound>& code = function.code;
  for (Bound& b : code) {
    b.swift = b.run;
  }
  std::vector<bool> joins(code.size() + 1);
  for (const ptx::Instruction& i : source.instructions) {
    if (i.reconverge != ptx::kNoPc) {
      joins[i.reconverge] = true;
    }
  }
  ptx::Instruction word;
  word.op = O::Mov;
  word.type = T::B32;
  const Executor mover = isa.logic(word)->run[0];
  const Stretch stretch(code, joins);
  const auto use = [&](Bound& at, Executor executor, std::uint8_t steps) {
    for (const std::uint32_t variant : {0U, kObserved}) {
      at.swift[variant] = executor;
      at.steps[variant] = steps;
    }
  };
  const Executors& product = isa.fused.load_two_and_multiply;
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    Bound* const b = &code[pc];
    if (stretch.runs_on(pc, 3) && is_address(b)) {
      use(*b, isa.fused.element_address, 3);
    } else if (stretch.runs_on(pc, 3) && is_word_move(b[0], mover) && is_word_move(b[1], mover) &&
               b[2].run[0] == branch_always) {
      use(*b, isa.fused.move_twice_and_jump, 3);
    } else if (product[0] != nullptr && stretch.runs_on(pc, 3) && is_product_of_loaded(b)) {
      use(*b, product[0], 3);
      b->swift[kObserved] = product[kObserved];
    } else if (stretch.runs_on(pc, 2) && is_word_move(b[0], mover) && is_word_move(b[1], mover)) {
      use(*b, isa.fused.move_twice, 2);
    } else if (stretch.runs_on(pc, 2) && is_moved_sum(b)) {
      use(*b, isa.fused.move_and_add, 2);
    } else if (stretch.runs_on(pc, 2) && is_product_sum(b)) {
      use(*b, isa.fused.multiply_then_add, 2);
    }
  }
}

// Products that the driver's compiler adds without rounding them first.
//
// PTX allows it: a mul and the add or sub of its result may become one fused multiply-add if
// neither specifies a rounding (PTX ISA 9.0, 9.7.3.3). The front end fuses most of them itself. For
// the rest, this follows ptxas 13.0, whose machine code for optimized builds was examined for each
// case of tests/simt/contract_test.cpp:
//
// * if every reader of a product is an add or sub of its type in the same stretch of code
//   without branches and labels, each of them is fused, however many there are;
// * in the sum or difference of two such products the first operand is fused, and the second one
//   stays a product for all of its readers;
// * the sum of a product with itself is not fused.
//
// The mul is executed as well, so its register holds the rounded product. Debug code is never fused
// (ptxas -O0). Not modeled, because no front end writes them: a neg, abs or mov between the two, a
// guard, .ftz and half types, and a factor that is overwritten between the two.

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
