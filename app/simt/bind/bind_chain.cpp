// Finds sums of products that the compiler has unrolled, as the inner loop of a tiled product:
//
//   ld.shared p, [x + a]; ld.shared q, [y + b]; fma s1, p, q, s0;
//   ld.shared r, [x + c]; ld.shared t, [y + d]; fma s2, r, t, s1; …
//
// A chain of them is executed in one pass, the sum held in vector registers (exec_fused_load.cpp).
// Every register is written as it would be.
#include "simt/bind/bind.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

constexpr std::uint32_t kRound = 3;  // instructions
constexpr std::uint32_t kMostRounds = 255 / kRound;

[[nodiscard]] bool is_round(const Bound& b, Executor product) {
  return b.swift[0] == product && b.d.base == Base::Frame && (&b)[1].d.base == Base::Frame &&
         (&b)[2].d.base == Base::Frame;
}

// Whether `next` goes on with the sum of the round before it, through the registers of the first.
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
