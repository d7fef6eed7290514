#include "problem/source/syntax_check.h"

#include <gtest/gtest.h>

#include <string>

namespace tilestep::problem {
namespace {

// An indented kernel with one line replaced by `instead`; "" leaves the line out.
std::string kernel(int line = 0, const std::string& instead = "") {
  const std::string lines[] = {
      "template <int BS>",                              // 1
      "__global__ void k(const float* A, float* C) {",  // 2
      "  __shared__ float As[BS];",                     // 3
      "  for (int e = 0; e < BS; ++e) {",               // 4
      "    if (A[e] > 0.0f) {",                         // 5
      "      C[e] += A[e];  // a '{' in a comment",     // 6
      "    }",                                          // 7
      "  }",                                            // 8
      "  __syncthreads();",                             // 9
      "}",                                              // 10
      "__global__ void other(float* C) {",              // 11
      "  C[0] = 1.0f;",                                 // 12
      "}",                                              // 13
  };
  std::string text;
  int number = 0;
  for (const std::string& one : lines) {
    text += (++number == line ? instead : one) + "\n";
  }
  return text;
}

struct BracketCase {
  int line;
  const char* instead;
  TextPlace at;
  const char* sentence;
};

TEST(BracketMistake, FindsNothingInTextThatIsWhole) {
  EXPECT_EQ(bracket_mistake(kernel()), std::nullopt);
  EXPECT_EQ(bracket_mistake(""), std::nullopt);
}

class MissingBracket : public testing::TestWithParam<BracketCase> {};

TEST_P(MissingBracket, IsToldWhereItIsMissing) {
  const BracketCase& c = GetParam();
  const auto found = bracket_mistake(kernel(c.line, c.instead));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->sentence, c.sentence);
  EXPECT_EQ(found->at.line, c.at.line);
  EXPECT_EQ(found->at.column, c.at.column);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MissingBracket,
    testing::Values(
        BracketCase{
            7, "", {6, 19}, "A '}' is missing before line 8: the '{' at line 5 is not closed."},
        BracketCase{
            8, "", {7, 5}, "A '}' is missing before line 9: the '{' at line 4 is not closed."},
        BracketCase{
            10, "", {9, 18}, "A '}' is missing before line 11: the '{' at line 2 is not closed."},
        BracketCase{
            13, "", {12, 14}, "A '}' is missing at the end: the '{' at line 11 is not closed."},
        BracketCase{
            4, "  for (int e = 0; e < BS; ++e)", {4, 30}, "A '{' is missing at the end of line 4."},
        BracketCase{5, "    if (A[e] > 0.0f)", {5, 20}, "A '{' is missing at the end of line 5."},
        BracketCase{9,
                    "  }",
                    {9, 3},
                    "This '}' has no match: a '{' is missing before it, or this one is extra."},
        BracketCase{4,
                    "  for (int e = 0; e < BS; ++e {",
                    {4, 29},
                    "A ')' is missing: the '(' at line 4 is not closed."},
        BracketCase{2,
                    "__global__ void k(const float* A, float* C {",
                    {2, 42},
                    "A ')' is missing: the '(' at line 2 is not closed."},
        BracketCase{
            9, "  __syncthreads(;", {9, 16}, "A ')' is missing: the '(' at line 9 is not closed."},
        BracketCase{
            6, "      C[e += A[e];", {6, 17}, "A ']' is missing: the '[' at line 6 is not closed."},
        BracketCase{9,
                    "  __syncthreads());",
                    {9, 18},
                    "This ')' has no match: a '(' is missing before it, or this one is extra."}));

TEST(BracketMistake, LeavesBranchesToTheCompiler) {
  EXPECT_EQ(bracket_mistake("#ifdef X\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n"), std::nullopt);
}

TEST(BracketMistake, KnowsLambdasAndListsInCalls) {
  EXPECT_EQ(bracket_mistake("void f() {\n  g({1, 2}, [&](int i) { h(i); });\n}\n"), std::nullopt);
}

TEST(MissingSign, IsBehindTheWordBefore) {
  const std::string text = "int a = 1 // one\n\n  int b;\n";
  const auto found = missing_sign(text, {3, 3}, ";");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->at, (TextPlace{1, 9}));
  EXPECT_EQ(found->sentence, "A ';' is missing after `1`.");
  EXPECT_EQ(missing_sign(text, {1, 1}, ";"), std::nullopt);
}

}  // namespace
}  // namespace tilestep::problem
