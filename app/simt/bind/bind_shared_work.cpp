#include "simt/bind/bind.h"
#include "simt/exec/control.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

constexpr std::uint32_t kBits = 64;  // of Warp::settled
constexpr std::uint32_t kLongestGroup = 16;

[[nodiscard]] bool is_function_of_sources(const ptx::Instruction& i) {
  const bool computes = ptx::has(i.op, ptx::kComputes) && !ptx::has(i.op, ptx::kReadsCarry);
  return computes ? (i.flags & ptx::kCarryOut) == 0
                  : i.op == O::Ld && i.space == ptx::Space::Param;  // of a kernel: constants
}

// The registers of a kernel and the instructions that write them.
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

  // Whether the instruction writes the same value each time. `block` is the stretch of code that
  // contains it; 0 is the stretch that every warp begins with. Call it in the order of the text.
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

  // Whether the register's only writer has been executed before: it is earlier in the same stretch,
  // or in the first one.
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

// The address registers of one stretch of code.
class KnownStretch {
 public:
  void begin() { held_.clear(); }

  void access(Bound& b) {
    const Slot address = b.in[0];
    const std::uint32_t bytes = ptx::byte_size(b.source->type);
    const auto held = std::ranges::find_if(
        held_, [&](const Held& h) { return h.address == address && h.bytes == bytes; });
    if (held != held_.end()) {
      b.known = held->place;
      b.follows = true;
    } else if (held_.size() + 1 < kKnownAddresses) {
      held_.push_back({address, bytes, free_place()});
      b.known = held_.back().place;
    }
  }

  void write(Slot slot) {
    held_.erase(std::remove_if(held_.begin(), held_.end(),
                               [slot](const Held& h) { return h.address == slot; }),
                held_.end());
  }

 private:
  struct Held {
    Slot address;
    std::uint32_t bytes = 0;
    std::uint8_t place = 0;
  };

  [[nodiscard]] std::uint8_t free_place() const {
    std::uint8_t place = 1;
    while (std::ranges::any_of(held_, [place](const Held& h) { return h.place == place; })) {
      ++place;
    }
    return place;
  }

  std::vector<Held> held_;
};

// A ld or st of one element through a 64-bit register, for all lanes of the path.
[[nodiscard]] bool is_shared_address(const Bound& b) {
  const ptx::Instruction& i = *b.source;
  return (i.op == O::Ld || i.op == O::St) && i.guard == ptx::kNoGuard && b.elements == 1 &&
         b.detail == nullptr && b.in[0].base == Base::Frame;
}

constexpr std::uint32_t kRound = 3;  // instructions
constexpr std::uint32_t kMostRounds = 255 / kRound;

[[nodiscard]] bool is_round(const Bound& b, Executor product) {
  return b.swift[0] == product && b.d.base == Base::Frame && (&b)[1].d.base == Base::Frame &&
         (&b)[2].d.base == Base::Frame;
}

// Whether `next` continues the sum of the previous round, through the registers of the first round.
[[nodiscard]] bool goes_on(const Bound* first, const Bound* next) {
  const auto same_register = [](const Bound& a, const Bound& b) {
    return b.follows && b.known == a.known && b.in[0] == a.in[0] &&
           (static_cast<std::uint64_t>(b.value) - static_cast<std::uint64_t>(a.value)) % 4 == 0;
  };
  const Bound* const before = next - kRound;
  return same_register(first[0], next[0]) && same_register(first[1], next[1]) &&
         next[2].in[2] == before[2].d;
}

[[nodiscard]] std::unique_ptr<ProductChain> make_chain(const Bound* first, std::uint32_t rounds) {
  auto chain = std::make_unique<ProductChain>();
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
  for (const Bound* b = first; b != first + std::size_t{rounds} * kRound; b += kRound) {
    x.push_back(b[0].value);
    y.push_back(b[1].value);
    chain->rounds.push_back({0, 0, b[0].d.offset, b[1].d.offset, b[2].d.offset});
    for (std::uint32_t which = 0; which < 2; ++which) {
      chain->loads.push_back(
          {b[which].pc, which, static_cast<std::uint64_t>(b[which].value), b[which].source});
    }
  }
  const auto limits = [](const std::vector<std::int64_t>& values, std::uint64_t& lowest,
                         std::uint64_t& highest) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    lowest = static_cast<std::uint64_t>(*low);
    highest = static_cast<std::uint64_t>(*high);
  };
  limits(x, chain->lowest_x, chain->highest_x);
  limits(y, chain->lowest_y, chain->highest_y);
  for (std::size_t k = 0; k < rounds; ++k) {
    chain->rounds[k].x = static_cast<std::uint64_t>(x[k]) - chain->lowest_x;
    chain->rounds[k].y = static_cast<std::uint64_t>(y[k]) - chain->lowest_y;
    chain->further_x.push_back(static_cast<std::uint32_t>((x[k] - x[0]) / 4));
    chain->further_y.push_back(static_cast<std::uint32_t>((y[k] - y[0]) / 4));
  }
  return chain;
}

}  // namespace

bool goes_straight_on(const ptx::Instruction& i) {
  return ptx::has(i.op, ptx::kComputes) || i.op == O::Ld || i.op == O::St;
}

std::vector<bool> entrances(const ptx::Function& source) {
  std::vector<bool> found(source.instructions.size() + 1);
  const auto mark = [&](std::uint32_t pc) {
    if (pc < found.size()) {
      found[pc] = true;
    }
  };
  for (const ptx::Instruction& i : source.instructions) {
    mark(i.reconverge);
    if (i.op == O::Bra) {
      mark(i.target);
    }
  }
  for (const std::vector<std::uint32_t>& table : source.branch_tables) {
    std::ranges::for_each(table, mark);
  }
  return found;
}

// Finds instructions of a kernel that each warp needs to execute only once.
//
// Compilers of debug code recompute addresses in every round of a loop: &As[threadIdx.y] from a
// symbol and a thread index. An instruction writes the same value each time if its sources depend
// only on the launch, the block and the thread, and no other instruction writes its destination.
// After executing it for all lanes, a warp skips it (control.cpp, settle_once). The steps count as
// always, and the registers hold the same values.

void settle(BoundFunction& function, const ptx::Function& source) {
  const std::vector<bool> is_entrance = entrances(source);
  Values values(source);
  std::vector<Bound>& code = function.code;
  std::uint32_t block = 0;
  std::uint32_t bit = 0;
  Bound* first = nullptr;  // of a group
  const auto end_group = [&](const Bound* end) {
    const auto count = first == nullptr ? 0U : static_cast<std::uint32_t>(end - first);
    // For a single simple instruction, the check whether it has to be executed costs as much as
    // executing it.
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

// Finds accesses through an address register that an earlier access has used: what is known of its
// 32 addresses is still valid (memory_shapes.h).

void Binder::share_addresses(BoundFunction& function, const ptx::Function& source) const {
  const std::vector<bool> is_entrance = entrances(source);
  KnownStretch stretch;
  for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
    Bound& b = function.code[pc];
    if (is_entrance[pc] || !goes_straight_on(*b.source)) {
      stretch.begin();
    }
    if (is_shared_address(b)) {
      stretch.access(b);
    }
    for (std::uint32_t k = 0; k < b.source->dest_count; ++k) {
      const ptx::Operand& to = source.operands[b.source->first_operand + k];
      if (to.kind == ptx::OperandKind::Register) {
        stretch.write(register_slot(to.reg));
      }
    }
  }
}

// Finds sums of products that the compiler has unrolled, such as the inner loop of a tiled product:
//
//   ld.shared p, [x + a]; ld.shared q, [y + b]; fma s1, p, q, s0;
//   ld.shared r, [x + c]; ld.shared t, [y + d]; fma s2, r, t, s1; …
//
// Such a chain is executed in one pass, with the sum in vector registers (isa_fused_load.cpp).
// Every register is still written.

void chain_products(BoundFunction& function, const Isa& isa) {
  std::vector<Bound>& code = function.code;
  const Executor product = isa.fused.load_two_and_multiply[0];
  for (std::size_t pc = 0; product != nullptr && pc + kRound <= code.size();) {
    Bound* const first = &code[pc];
    if (!is_round(*first, product)) {
      ++pc;
      continue;
    }
    std::uint32_t rounds = 1;
    while (rounds < kMostRounds && pc + (rounds + 1) * kRound <= code.size() &&
           is_round(first[rounds * kRound], product) && goes_on(first, first + rounds * kRound)) {
      ++rounds;
    }
    if (rounds > 1) {
      function.chains.push_back(make_chain(first, rounds));
      first->chain = function.chains.back().get();
      for (const std::uint32_t variant : {0U, kObserved}) {
        first->swift[variant] = isa.fused.product_chain[variant];
        first->steps[variant] = static_cast<std::uint8_t>(rounds * kRound);
      }
    }
    pc += std::size_t{rounds} * kRound;
  }
}

}  // namespace tilestep::simt
