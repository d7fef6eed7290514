// Directed rounding computed in software equals the host's.
#include "simt/exec/directed.h"

#include "ptx_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <type_traits>
#include <vector>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using ptx::Rounding;

template <class F>
using BitsOf = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

template <class F>
F on_host(O op, const F* in) {
  const volatile F a = in[0];
  const volatile F b = in[1];
  const volatile F c = in[2];
  switch (op) {
    case O::Add:
      return a + b;
    case O::Sub:
      return a - b;
    case O::Mul:
      return a * b;
    case O::Fma:
      return std::fma(F{a}, F{b}, F{c});
    case O::Div:
      return a / b;
    case O::Rcp:
      return F{1} / a;
    default:
      return std::sqrt(F{a});
  }
}

template <class F>
void compare_with_host(const std::vector<std::uint64_t>& special) {
  std::mt19937_64 random(7);
  const auto operand = [&] {
    if (random() % 4 == 0) {
      return std::bit_cast<F>(static_cast<BitsOf<F>>(special[random() % special.size()]));
    }
    // Near enough to each other that sums cancel.
    return random() % 2 == 0 ? std::ldexp(static_cast<F>(random()), static_cast<int>(random() % 9))
                             : std::bit_cast<F>(static_cast<BitsOf<F>>(random()));
  };
  for (const O op : {O::Add, O::Sub, O::Mul, O::Fma, O::Div, O::Rcp, O::Sqrt}) {
    for (const Rounding rounding : {Rounding::Rz, Rounding::Rm, Rounding::Rp}) {
      ptx::Instruction i;
      i.op = op;
      i.rounding = rounding;
      for (int n = 0; n < 20'000; ++n) {
        const F in[] = {operand(), operand(), operand()};
        F wanted = 0;
        {
          const RoundingMode scope(rounding);
          wanted = on_host(op, in);
        }
        const F got = directed(i, in, on_host(op, in));
        if (!std::isnan(wanted) || !std::isnan(got)) {
          ASSERT_EQ(std::bit_cast<BitsOf<F>>(got), std::bit_cast<BitsOf<F>>(wanted))
              << static_cast<int>(op) << ' ' << static_cast<int>(rounding) << std::hexfloat << ' '
              << in[0] << ' ' << in[1] << ' ' << in[2] << " got " << got << " wanted " << wanted;
        }
      }
    }
  }
}

TEST(Directed, EqualsTheHostsRoundingMode) {
  compare_with_host<float>(special_floats());
  compare_with_host<double>(special_doubles());
}

}  // namespace
}  // namespace tilestep::simt
