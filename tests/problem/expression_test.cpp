#include "problem/launch/expression.h"

#include "problem/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::HasSubstr;

const Parameters kParameters{{7, 9, 11}, 4};  // M, N, K; BLOCK_SIZE

std::string outcome(const std::string& text) {
  const Result<std::int64_t> value = evaluate_expression(text, kParameters);
  return value ? std::to_string(*value) : value.error().message;
}

struct Case {
  const char* text;
  std::int64_t value;
};

class Arithmetic : public testing::TestWithParam<Case> {};

TEST_P(Arithmetic, IsThatOfC) {
  EXPECT_EQ(outcome(GetParam().text), std::to_string(GetParam().value));
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, Arithmetic,
    testing::Values(Case{"M", 7}, Case{"N", 9}, Case{"K", 11}, Case{"BLOCK_SIZE", 4},
                    Case{"ceil_div(N, BLOCK_SIZE)", 3}, Case{"ceil_div(8, 4)", 2},
                    Case{"ceil_div(-7, 2)", -3}, Case{"ceil_div(7, -2)", -3},
                    Case{"ceil_div(-7, -2)", 4}, Case{"(N + BLOCK_SIZE - 1) / BLOCK_SIZE", 3},
                    Case{"N / BLOCK_SIZE", 2}, Case{"-7 / 2", -3}, Case{"-7 % 2", -1},
                    Case{"7 % -2", 1}, Case{"3 - 2 - 1", 0}, Case{"100 / 10 / 2", 5},
                    Case{"2 + 3 * 4", 14}, Case{"-M * 2", -14}, Case{"1--1", 2}, Case{"+3", 3},
                    Case{"min(N, M, K)", 7}, Case{"max(N, M, K)", 11}, Case{"1e3", 1000},
                    Case{"4503599627370496 * 2", 9007199254740992},
                    Case{"9007199254740992 / 3", 3002399751580330}));

INSTANTIATE_TEST_SUITE_P(Conditions, Arithmetic,
                         testing::Values(Case{"M % BLOCK_SIZE == 3 && N % BLOCK_SIZE == 1", 1},
                                         Case{"M == 7 && N == 7", 0}, Case{"M < N", 1},
                                         Case{"M <= 7", 1}, Case{"M > 7", 0}, Case{"M >= 7", 1},
                                         Case{"M != 7", 0}, Case{"M != 7 || N == 9", 1},
                                         Case{"!M == 0", 1}, Case{"!(M == 7)", 0},
                                         Case{"!0 * 5", 5}, Case{"1 || 0 && 0", 1},
                                         Case{"1 < 2 == 1", 1}, Case{"M > 100 ? 5 : 6", 6},
                                         Case{"1 > 2 ? 1 / 0 : 3", 3}));

TEST(Expression, UnknownName_NamesTheKnownOnes) {
  EXPECT_EQ(outcome("ceil_div(N, TILE)"),
            "\"ceil_div(N, TILE)\" is not valid: unknown name 'TILE'; known names are M, N, K, "
            "BLOCK_SIZE and ceil_div(a, b), min(a, b), max(a, b).");
  EXPECT_THAT(outcome("sin(M)"), HasSubstr("unknown name 'sin'"));
  EXPECT_THAT(outcome("_pi"), HasSubstr("unknown name '_pi'"));
}

TEST(Expression, WhatIsNoExpression_GetsASentence) {
  for (const char* text :
       {"",      " ",           "(",       ")",          "M)",    "max(M",
        "min()", "ceil_div(1)", "M N",     "M &&",       "M, N",  "M = 3",
        "M & N", "2 ^ 3",       "\"abc\"", "M == \"a\"", "1 ? 2", "ceil_div(N,,2)",
        "Ü",     "0x10",        "3f"}) {
    EXPECT_THAT(outcome(text), HasSubstr("is not valid: ")) << text;
  }
}

TEST(Expression, FractionIsRefused) {
  EXPECT_THAT(outcome("0.5"), HasSubstr("0.5 is not an integer"));
  EXPECT_THAT(outcome("M * 0.5"), HasSubstr("0.5 is not an integer"));
}

TEST(Expression, DivisionByZero_GetsASentence) {
  EXPECT_THAT(outcome("M / (K - 11)"), HasSubstr("divides by zero"));
  EXPECT_THAT(outcome("M % 0"), HasSubstr("divides by zero"));
  EXPECT_THAT(outcome("ceil_div(M, 0)"), HasSubstr("divides by zero"));
}

TEST(Expression, WhatDoesNotFit_IsRefusedInsteadOfRounded) {
  const Parameters huge{{2147483647, 2147483647, 2147483647}, 2147483647};
  const Result<std::int64_t> volume = evaluate_expression("M * N * K", huge);
  ASSERT_FALSE(volume);
  EXPECT_THAT(volume.error().message, HasSubstr("larger than 2^53"));
  EXPECT_THAT(outcome("4503599627370496 * 4"), HasSubstr("larger than 2^53"));
  EXPECT_THAT(outcome("1e30"), HasSubstr("larger than 2^53"));
}

TEST(Expression, EndlessText_IsRefusedAndShownShortened) {
  const std::string message = outcome(std::string(100000, '('));
  EXPECT_THAT(message, HasSubstr("is not valid"));
  EXPECT_LT(message.size(), 200U);
}

TEST(Expression, MistakeOfTheText_IsToldFromAMistakeOfTheValues) {
  EXPECT_TRUE(expression_mistake("TILE"));
  EXPECT_TRUE(expression_mistake("M * 0.5"));
  EXPECT_FALSE(expression_mistake("M / (N - 1)"));  // wrong only for N = 1
}

TEST(Mentions, ANameThatIsThereByItself) {
  EXPECT_TRUE(mentions("ceil_div(N, BLOCK_SIZE)", "BLOCK_SIZE"));
  EXPECT_TRUE(mentions("BLOCK_SIZES + BLOCK_SIZE", "BLOCK_SIZE"));
  EXPECT_FALSE(mentions("ceil_div(N, 16)", "BLOCK_SIZE"));
  EXPECT_FALSE(mentions("BLOCK_SIZES + MY_BLOCK_SIZE", "BLOCK_SIZE"));
}

TEST(FloatLiteral, IsANumberWithPointOrExponent) {
  EXPECT_EQ(float_literal("1.5"), 1.5);
  EXPECT_EQ(float_literal(" -2.0f "), -2.0);
  EXPECT_EQ(float_literal("1e-3"), 1e-3);
  EXPECT_EQ(float_literal("3"), std::nullopt);
  EXPECT_EQ(float_literal("1.5 * M"), std::nullopt);
  EXPECT_EQ(float_literal("e"), std::nullopt);
}

TEST(Entry, TemplateArguments_AreEvaluatedWhereTheyAreExpressions) {
  EXPECT_EQ(evaluate_entry("matmul_naive", kParameters), "matmul_naive");
  EXPECT_EQ(evaluate_entry("tiled<BLOCK_SIZE>", kParameters), "tiled<4>");
  EXPECT_EQ(evaluate_entry("k<float, 2 * BLOCK_SIZE, true>", kParameters), "k<float, 8, true>");
  EXPECT_EQ(evaluate_entry("k<ceil_div(N, BLOCK_SIZE), Pair<int, 3>>", kParameters),
            "k<3, Pair<int, 3>>");
  EXPECT_FALSE(evaluate_entry("k<M / 0>", kParameters));
}

}  // namespace
}  // namespace tilestep::problem
