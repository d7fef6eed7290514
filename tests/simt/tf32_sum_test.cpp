// The rule of docs/reports/tensor-units.md, case by case. Every expectation was derived by hand
// from the rule's text and is a number here; nothing is computed with the code under test.
#include "own_kernels.h"
#include "simt/exec/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::simt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNaN = 0x7fffffff;

struct Case {
  const char* what;
  std::vector<std::pair<float, float>> products;  // the others are 0·0
  float c = 0;
  std::uint32_t sum = 0;
};

float two_to(int exponent) {
  return std::ldexp(1.0F, exponent);
}
std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float from_bits(std::uint32_t word) {
  return std::bit_cast<float>(word);
}

const float kLongest = 2 - two_to(-10);  // the largest mantissa of TF32: 11 ones

const std::vector<Case> kCases = {
    // What is cut off, and where.
    {"one product", {{3, 5}}, 0, bits(15)},
    {"C alone", {}, from_bits(0x3fabcdef), 0x3fabcdef},
    {"exact product of 22 bits", {{kLongest, kLongest}}, 0, bits(4 - two_to(-8) + two_to(-20))},
    {"low 13 bits of an operand", {{from_bits(0x3f801fff), from_bits(0xc0001fff)}}, 0, bits(-2)},
    {"C keeps its low bits", {{1, 1}}, from_bits(0x3f800001), 0x40000000},  // 2 + 2^-23: cut
    {"the float below", {{1, 1}}, -two_to(-25), bits(1 - two_to(-24))},     // 1 - 2^-25
    {"the last bit kept", {{1, 1}, {two_to(-12), two_to(-13)}}, -1, bits(two_to(-25))},
    {"the first bit cut", {{1, 1}, {two_to(-13), two_to(-13)}}, -1, 0},
    {"a minus is cut toward zero too", {{1, 1}, {-two_to(-13), two_to(-13)}}, -1, 0},
    {"cut before it is added",  // 2 · 2^-26 would be one unit of 2^-25
     {{1, 1}, {two_to(-13), two_to(-13)}, {two_to(-13), two_to(-13)}},
     -1,
     0},
    {"part of a product is cut",  // (1 + 2^-10)·2^-20 keeps 2^-20, not 2^-30
     {{1, 1}, {1 + two_to(-10), two_to(-20)}},
     -1,
     bits(two_to(-20))},
    {"two extra bits carry into the float",  // 1 + 4 · 2^-25 = 1 + 2^-23
     {{1, 1},
      {two_to(-12), two_to(-13)},
      {two_to(-12), two_to(-13)},
      {two_to(-12), two_to(-13)},
      {two_to(-12), two_to(-13)}},
     0,
     0x3f800001},
    {"three of them do not",
     {{1, 1}, {two_to(-12), two_to(-13)}, {two_to(-12), two_to(-13)}, {two_to(-12), two_to(-13)}},
     0,
     0x3f800000},
    // A product's exponent is the sum of its operands' exponents, even if its mantissa reaches 2.
    // It is 0 for 1.5 · 1.5 = 2.25, so 2^-25 is kept; next to 1 · 2 it is cut.
    {"a mantissa beyond 2",
     {{1.5F, 1.5F}, {-1.5F, 1.5F}, {two_to(-12), two_to(-13)}},
     0,
     bits(two_to(-25))},
    {"2 as a product of 1 and 2", {{1, 2}, {two_to(-12), two_to(-13)}}, -2, 0},
    {"C's exponent counts", {{-1, 1}, {-1, 1}, {two_to(-12), two_to(-13)}}, 2, 0},
    // Exponents far apart.
    {"13 apart", {{1, 1}, {two_to(-6), two_to(-7)}}, 0, bits(1 + two_to(-13))},
    {"31 apart", {{two_to(15), two_to(16)}, {1, 1}}, -two_to(31), 0},
    {"31 apart, what stays", {{two_to(15), two_to(16)}, {1, 1}}, 0, bits(two_to(31))},
    {"25 apart stays", {{two_to(12), two_to(13)}, {1, 1}}, -two_to(25), bits(1)},
    {"200 apart", {{two_to(100), 1}, {two_to(-100), 1}}, -two_to(100), 0},
    // All added at once: the large ones cancel exactly, and what was aligned to them remains.
    {"cancellation", {{two_to(20), 1}, {-two_to(20), 1}, {0.75F, 1}}, 0, bits(0.75F)},
    {"cancellation beyond the range of float",
     {{two_to(100), two_to(100)}, {-two_to(100), two_to(100)}, {two_to(100), two_to(75)}},
     two_to(100),
     0x7f800000},  // 2^175 stays, 2^100 is cut; too large
    {"cancellation beyond it that leaves nothing",
     {{two_to(100), two_to(100)}, {-two_to(100), two_to(100)}},
     two_to(100),
     0},
    {"a zero with a large exponent is no top",
     {{0, two_to(120)}, {two_to(-12), two_to(-13)}},
     1,
     0x3f800000},
    {"minus to the float toward zero", {{-1, 1}, {-two_to(-12), two_to(-13)}}, 0, bits(-1)},
    // Overflow.
    {"largest float", {}, std::numeric_limits<float>::max(), 0x7f7fffff},
    {"cut to the largest float", {{two_to(60), two_to(43)}}, from_bits(0x7f7fffff), 0x7f7fffff},
    {"overflow", {{two_to(60), two_to(44)}}, from_bits(0x7f7fffff), 0x7f800000},
    {"overflow of a product", {{two_to(64), -two_to(64)}}, 0, 0xff800000},
    // Subnormals.
    {"subnormal C", {}, from_bits(0x80000001), 0x80000001},
    {"subnormal sum", {{two_to(-70), two_to(-79)}}, 0, 0x00000001},
    {"subnormal sum of two bits", {{two_to(-70), 1.5F * two_to(-78)}}, 0, 0x00000003},
    {"subnormal sum is cut off below", {{two_to(-70), 1.75F * two_to(-79)}}, 0, 0x00000001},
    {"below the least subnormal", {{two_to(-70), two_to(-80)}}, 0, 0},
    {"minus below the least subnormal", {{-two_to(-70), two_to(-80)}}, 0, 0},
    {"two halves of the least subnormal",
     {{two_to(-70), two_to(-80)}, {two_to(-70), two_to(-80)}},
     0,
     0x00000001},
    {"largest subnormal plus the least one",
     {{two_to(-70), two_to(-79)}},
     from_bits(0x007fffff),
     0x00800000},
    {"2^-158 is kept at the least",
     {{two_to(-70), two_to(-79)}, {-two_to(-79), two_to(-79)}},
     0,
     0},
    {"2^-159 is not", {{two_to(-70), two_to(-79)}, {-two_to(-79), two_to(-80)}}, 0, 0x00000001},
    {"subnormal operand", {{from_bits(0x00002000), two_to(30)}}, 0, bits(two_to(-106))},
    {"subnormal operand, low bits", {{from_bits(0x00001fff), two_to(30)}}, 0, 0},
    // 2^-136 counts with exponent -126: top is 1, so 2^-25 is cut and 2^-24 is not.
    {"subnormal operand's exponent",
     {{from_bits(0x00002000), two_to(127)}, {two_to(-12), two_to(-13)}},
     -two_to(-9),
     0},
    {"subnormal operand's exponent, what stays",
     {{from_bits(0x00002000), two_to(127)}, {two_to(-12), two_to(-12)}},
     -two_to(-9),
     bits(two_to(-24))},
    // Zeros.
    {"sum of nothing", {}, 0, 0},
    {"1 - 1", {{1, 1}}, -1, 0},
    {"-1 + 1", {{-1, 1}}, 1, 0},
    {"zeros of both signs", {{-0.0F, 1}}, -0.0F, 0},
    // Infinities and NaN.
    {"infinity", {{kInf, 2}}, 5, 0x7f800000},
    {"minus infinity", {{kInf, -2}, {3, 3}}, 0, 0xff800000},
    {"infinity in C", {{1, 1}}, -kInf, 0xff800000},
    {"infinities of one sign", {{kInf, kInf}, {-kInf, -1}}, kInf, 0x7f800000},
    {"infinities of both signs", {{kInf, 1}, {kInf, -1}}, 0, kNaN},
    {"infinity in C against one", {{kInf, 1}}, -kInf, kNaN},
    {"infinity times 0", {{kInf, 0}}, 0, kNaN},
    {"infinity times what is cut to 0", {{from_bits(0x00001fff), -kInf}}, 0, kNaN},
    {"infinity and a sum that overflows", {{two_to(100), two_to(100)}}, -kInf, 0xff800000},
    {"NaN operand", {{from_bits(0xffc00000), 1}}, 0, kNaN},
    {"NaN operand times 0", {{0, from_bits(0x7f802000)}}, 0, kNaN},
    {"NaN in C, low bits count", {{1, 1}}, from_bits(0xff800001), kNaN},
    {"NaN that is cut to infinity", {{from_bits(0x7f800001), 1}}, 0, 0x7f800000},
    {"NaN that is cut to minus infinity", {{1, from_bits(0xff801fff)}}, 0, 0xff800000},
};

std::uint32_t sum_of(const Case& c, std::size_t products) {
  std::vector<FloatParts> a(products, tf32_parts(0));
  std::vector<FloatParts> b = a;
  for (std::size_t k = 0; k < c.products.size(); ++k) {
    a[k] = tf32_parts(bits(c.products[k].first));
    b[k] = tf32_parts(bits(c.products[k].second));
  }
  return tf32_sum(a, b, bits(c.c));
}

TEST(Tf32Sum, IsWhatTheRuleSays) {
  for (const Case& c : kCases) {
    EXPECT_EQ(sum_of(c, 8), c.sum) << c.what;
    if (c.products.size() <= 4) {
      EXPECT_EQ(sum_of(c, 4), c.sum) << c.what;
    }
  }
}

TEST(Tf32Sum, DoesNotDependOnTheOrder) {
  for (const Case& c : kCases) {
    Case turned = c;
    std::reverse(turned.products.begin(), turned.products.end());
    for (auto& [a, b] : turned.products) {
      std::swap(a, b);
    }
    EXPECT_EQ(sum_of(turned, 8), c.sum) << c.what;
  }
}

// Runs one mma for each case: all of A's rows and B's columns have the case's operands, so that
// every element of D is the same.
std::string kernel_text(int k) {
  const bool is_long = k == 8;
  const std::string a =
      is_long ? "{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13}" : "{%4,%5},{%6},{%7,%8,%9,%10}";
  const std::string operands = is_long ? R"("r"(a[m]), "r"(a[m]), "r"(a[m + 4]), "r"(a[m + 4]),
        "r"(b[m]), "r"(b[m + 4]))"
                                       : R"("r"(a[m]), "r"(a[m]), "r"(b[m]))";
  return R"(
extern "C" __global__ void kernel(const unsigned* a, const unsigned* b, const float* c,
                                  unsigned* d) {
  int lane = threadIdx.x, m = lane % 4;
  a += blockIdx.x * 8, b += blockIdx.x * 8;
  float C = c[blockIdx.x], D[4];
  asm volatile("mma.sync.aligned.m16n8k)" +
         std::to_string(k) + R"(.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},)" + a + R"(;"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
      : )" +
         operands + R"(, "f"(C), "f"(C), "f"(C), "f"(C));
  unsigned sum = __float_as_uint(D[0]);
  for (int e = 1; e < 4; ++e) {
    if (__float_as_uint(D[e]) != sum) { sum = 0xdeadbeef; }
  }
  d[blockIdx.x * 32 + lane] = sum;
})";
}

void expect_mma_follows_the_rule(int k) {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<float> c;
  std::vector<const Case*> chosen;
  for (const Case& one : kCases) {
    if (one.products.size() > static_cast<std::size_t>(k)) {
      continue;
    }
    chosen.push_back(&one);
    a.resize(8 * chosen.size());
    b.resize(8 * chosen.size());
    for (std::size_t n = 0; n < one.products.size(); ++n) {
      a[8 * (chosen.size() - 1) + n] = bits(one.products[n].first);
      b[8 * (chosen.size() - 1) + n] = bits(one.products[n].second);
    }
    c.push_back(one.c);
  }
  test::OwnKernel kernel;
  kernel.source = kernel_text(k);
  kernel.grid.x = static_cast<std::uint32_t>(chosen.size());
  kernel.block.x = 32;
  kernel.buffers = {{"a", static_cast<int>(a.size())},
                    {"b", static_cast<int>(b.size())},
                    {"c", static_cast<int>(c.size())},
                    {"d", static_cast<int>(32 * chosen.size())}};
  problem::Launch launch = test::launch_of(kernel);
  launch.buffers[0].contents = bytes_of(a);
  launch.buffers[1].contents = bytes_of(b);
  launch.buffers[2].contents = bytes_of(c);
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto d = contents<std::uint32_t>(run_to_the_end(simulated.program(launch, build)), 3);
    for (std::size_t n = 0; n < d.size(); ++n) {
      EXPECT_EQ(d[n], chosen[n / 32]->sum) << chosen[n / 32]->what << ", lane " << n % 32;
    }
  }
}

TEST(Tf32Sum, IsWhatMmaComputes) {
  expect_mma_follows_the_rule(8);
  expect_mma_follows_the_rule(4);
}

}  // namespace
}  // namespace tilestep::simt
