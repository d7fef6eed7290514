#include "problem/values/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;

std::string csv_message(const std::string& text) {
  const Result<Numbers> matrix = parse_csv(text, "a.csv");
  return matrix ? "no error" : matrix.error().message;
}

TEST(Csv, AnySeparator_GivesTheSameMatrix) {
  const Numbers expected{2, 3, {1, -2, 3.5, 4, 5, 6e2}};
  for (const char* text : {"1,-2,3.5\n4,5,6e2\n", "1;-2;3.5\n4;5;6e2", "1\t-2\t3.5\n4\t5\t6e2\n",
                           "1 -2   3.5\n 4 5 6e2 \n", "1, -2 ,3.5\r\n+4,5,6e2\r\n",
                           "\n# a comment\n1,-2,3.5\n\n4,5,6e2\n\n",
                           ("\xEF\xBB\xBF"
                            "1,-2,3.5\n4,5,6e2\n"),
                           "\"1\",\"-2\",\"3.5\"\n\"4\",\"5\",\"6e2\"\n"}) {
    const Result<Numbers> matrix = parse_csv(text, "a.csv");
    ASSERT_TRUE(matrix) << text << matrix.error().message;
    EXPECT_EQ(*matrix, expected) << text;
  }
}

TEST(Csv, SpecialNumbers_AreRead) {
  const Result<Numbers> matrix = parse_csv("nan, inf, -inf, -0", "a.csv");
  ASSERT_TRUE(matrix);
  EXPECT_TRUE(std::isnan(matrix->values[0]));
  EXPECT_EQ(matrix->values[1], HUGE_VALF);
  EXPECT_TRUE(std::signbit(matrix->values[3]));
}

TEST(Csv, CellThatIsNoNumber_NamesLineRowAndColumn) {
  EXPECT_EQ(csv_message("1,2\n\n3,x\n"),
            "a.csv:3: row 1, column 1 holds 'x', which is not a float64 number.");
  EXPECT_EQ(csv_message("1,,2\n"),
            "a.csv:1: row 0, column 1 holds nothing, which is not a float64 number.");
  EXPECT_EQ(csv_message("1,2,\n"),
            "a.csv:1: row 0, column 2 holds nothing, which is not a float64 number.");
  EXPECT_EQ(csv_message("1e399\n"),
            "a.csv:1: row 0, column 0 holds '1e399', which is not a float64 number.");
  EXPECT_EQ(csv_message("12abc\n"),
            "a.csv:1: row 0, column 0 holds '12abc', which is not a float64 number.");
}

TEST(Csv, RaggedRows_NameTheRow) {
  EXPECT_EQ(csv_message("1,2\n3\n"),
            "a.csv:2: row 1 has 1 values, but the rows above have 2. Give every row the same "
            "number of values.");
}

TEST(Csv, NoValues_SaysWhatToWrite) {
  EXPECT_EQ(csv_message("\n\n"),
            "a.csv holds no values. Write one row per line, for example \"1, 2, 3\".");
  EXPECT_EQ(csv_message(""), csv_message("# only a comment"));
}

TEST(Csv, SeveralMatrices_StandBetweenLinesOfDashes) {
  const Result<std::vector<Numbers>> matrices = parse_matrices("1 2\n---\n3\n4\n-----\n5", "a.csv");
  ASSERT_TRUE(matrices);
  EXPECT_THAT(*matrices,
              ElementsAre(Numbers{1, 2, {1, 2}}, Numbers{2, 1, {3, 4}}, Numbers{1, 1, {5}}));
  EXPECT_EQ(csv_message("1\n---\n2\n"),
            "a.csv holds 2 matrices, separated by lines of ---, but one is needed.");
  EXPECT_FALSE(parse_matrices("1\n---\n", "a.csv"));
}

}  // namespace
}  // namespace tilestep::problem
