// Finds the sequences that exec_fused.cpp executes in one pass.
#include "simt/bind/bind.h"
#include "simt/exec/control.h"
#include "simt/exec/fused.h"

#include <algorithm>
#include <vector>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using T = ptx::Type;

// Instructions [pc, pc + count) that always run one after the other, none of them guarded.
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
  // A sum with three operands takes the product up unrounded (bind_contract.cpp).
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
// a third.
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

}  // namespace tilestep::simt
