// Finds instructions of a kernel that need to be executed only once by each warp.
//
// Compilers of debug code work addresses out again in every round of a loop: &As[threadIdx.y] from
// a symbol and a thread index. An instruction whose sources depend on nothing but the launch, the
// block and the thread, and whose destination nobody else writes, writes the same each time. Having
// executed it for all lanes, a warp passes over it (exec_control.cpp, settle_once); the steps count
// as always, and the registers hold what they would.
#include "simt/bind/bind_flow.h"
#include "simt/exec/control.h"

#include <map>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

constexpr std::uint32_t kBits = 64;  // of Warp::settled
constexpr std::uint32_t kLongestGroup = 16;

[[nodiscard]] bool is_function_of_sources(const ptx::Instruction& i) {
  switch (i.op) {
    case O::Add:
    case O::Sub:
    case O::Mul:
    case O::Mad:
    case O::Div:
    case O::Rem:
    case O::Abs:
    case O::Neg:
    case O::Min:
    case O::Max:
    case O::And:
    case O::Or:
    case O::Xor:
    case O::Not:
    case O::Shl:
    case O::Shr:
    case O::Setp:
    case O::Selp:
    case O::Mov:
    case O::Cvt:
    case O::Cvta:
      return (i.flags & ptx::kCarryOut) == 0;
    case O::Ld:
      return i.space == ptx::Space::Param;  // of a kernel, by name: constants
    default:
      return false;
  }
}

// The registers of a kernel and where they get their values.
class Values {
 public:
  explicit Values(const ptx::Function& source) : source_(source) {
    for (const ptx::Instruction& i : source.instructions) {
      for (std::uint32_t k = 0; k < i.dest_count; ++k) {
        const ptx::Operand& to = operand(i, k);
        if (to.kind == ptx::OperandKind::Register) {
          ++writers_[key(to.reg)];
        }
      }
    }
  }

  // Whether this writes always the same; `block` is the stretch of code that it stands in, 0 the
  // one that every warp begins with. To be asked in the order of the text.
  [[nodiscard]] bool settles(const ptx::Instruction& i, std::uint32_t block) {
    const bool may = is_function_of_sources(i) && i.guard == ptx::kNoGuard && i.dest_count == 1 &&
                     i.vector == 1 && operand(i, 0).kind == ptx::OperandKind::Register &&
                     writers_[key(operand(i, 0).reg)] == 1;
    if (!may) {
      return false;
    }
    for (std::uint32_t k = 1; k < i.operand_count; ++k) {
      if (!is_settled(operand(i, k), block)) {
        return false;
      }
    }
    blocks_[key(operand(i, 0).reg)] = block;
    return true;
  }

 private:
  using Key = std::pair<ptx::RegisterClass, std::uint32_t>;

  [[nodiscard]] static Key key(ptx::Register reg) { return {reg.cls, reg.index}; }
  [[nodiscard]] const ptx::Operand& operand(const ptx::Instruction& i, std::uint32_t k) const {
    return source_.operands[i.first_operand + k];
  }

  // The register's one writer has been executed before: it stands above in the same stretch, or in
  // the first one.
  [[nodiscard]] bool is_settled(const ptx::Operand& from, std::uint32_t block) const {
    switch (from.kind) {
      case ptx::OperandKind::Immediate:
      case ptx::OperandKind::Variable:
      case ptx::OperandKind::Param:
        return true;
      case ptx::OperandKind::Special:
        return from.index < static_cast<std::uint32_t>(ptx::SpecialRegister::Smid);
      case ptx::OperandKind::Register: {
        const auto found = blocks_.find(key(from.reg));
        return found != blocks_.end() && (found->second == 0 || found->second == block);
      }
      default:
        return false;
    }
  }

  const ptx::Function& source_;
  std::map<Key, std::uint32_t> writers_;
  std::map<Key, std::uint32_t> blocks_;  // of settled registers
};

}  // namespace

void settle(BoundFunction& function, const ptx::Function& source) {
  const std::vector<bool> is_entrance = entrances(source);
  Values values(source);
  std::vector<Bound>& code = function.code;
  std::uint32_t block = 0;
  std::uint32_t bit = 0;
  Bound* first = nullptr;  // of a group
  const auto end_group = [&](const Bound* end) {
    const auto count = first == nullptr ? 0U : static_cast<std::uint32_t>(end - first);
    // One simple instruction is no slower than looking up whether it has to be executed.
    const bool pays = count > 1 || (count == 1 && (first->source->op == O::Div));
    if (pays && bit < kBits) {
      for (const std::uint32_t variant : {0U, kObserved}) {
        first->swift[variant] = settle_once;
        first->steps[variant] = static_cast<std::uint8_t>(count);
      }
      first->once = static_cast<std::uint8_t>(bit++);
    }
    first = nullptr;
  };
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    Bound& b = code[pc];
    if (is_entrance[pc] && pc != 0) {
      end_group(&b);
      ++block;
    }
    const bool settles = b.run[0] != not_simulated && values.settles(*b.source, block);
    if (!settles || block == 0) {
      end_group(&b);
    } else if (first == nullptr) {
      first = &b;
    } else if (&b - first == kLongestGroup) {
      end_group(&b);
      first = &b;
    }
    if (!goes_straight_on(*b.source)) {
      end_group(&b);
      ++block;
    }
  }
  end_group(code.data() + code.size());
}

}  // namespace tilestep::simt
