#include "problem/values/inputs.h"

#include "problem/launch/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tilestep::problem {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Ne;

Numbers make(Pattern pattern, int rows, int cols, int salt, std::uint32_t seed = 1) {
  InputSpec spec;
  spec.pattern = pattern;
  spec.seed = seed;
  const Result<Numbers> matrix = make_input(spec, rows, cols, salt);
  EXPECT_TRUE(matrix) << (matrix ? "" : matrix.error().message);
  return matrix.value_or(Numbers{});
}

Numbers distinct(int rows, int cols, int salt, std::uint32_t seed = 1) {
  return make(Pattern::DistinctIntegers, rows, cols, salt, seed);
}

Numbers transposed(const Numbers& matrix) {
  Numbers result{matrix.cols, matrix.rows, {}};
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) {
      result.values.push_back(matrix.at(col, row));
    }
  }
  return result;
}

Numbers shifted(const Numbers& matrix, int rows, int cols) {
  Numbers result{matrix.rows, matrix.cols, {}};
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) {
      result.values.push_back(matrix.at((row + rows) % matrix.rows, (col + cols) % matrix.cols));
    }
  }
  return result;
}

TEST(Unit, Values_AreFractionsFromZeroToOne_TheSameForASeed) {
  const Numbers matrix = make(Pattern::Unit, 40, 50, 0);
  EXPECT_THAT(matrix.values, Each(AllOf(Ge(0.0), testing::Lt(1.0))));
  EXPECT_GT(std::set<double>(matrix.values.begin(), matrix.values.end()).size(), 1900U);
  EXPECT_EQ(matrix, make(Pattern::Unit, 40, 50, 0));
  EXPECT_NE(matrix, make(Pattern::Unit, 40, 50, 1));
  EXPECT_NE(matrix, make(Pattern::Unit, 40, 50, 0, 2));
}

TEST(Decades, Values_SpreadEvenlyOverTwelve_TheSameForASeed) {
  const Numbers matrix = make(Pattern::Decades, 100, 120, 0);
  EXPECT_EQ(matrix, make(Pattern::Decades, 100, 120, 0));
  EXPECT_NE(matrix, make(Pattern::Decades, 100, 120, 1));
  EXPECT_NE(matrix, make(Pattern::Decades, 100, 120, 0, 2));
  std::array<int, 12> in_decade{};
  int negative = 0;
  for (const double value : matrix.values) {
    const int decade = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 6;
    ASSERT_GE(decade, 0);
    ASSERT_LT(decade, 12);
    ++in_decade[static_cast<std::size_t>(decade)];
    negative += value < 0.0 ? 1 : 0;
  }
  EXPECT_THAT(in_decade, Each(AllOf(Ge(850), Le(1150))));  // 1000 each
  EXPECT_THAT(negative, AllOf(Ge(5700), Le(6300)));
}

TEST(DistinctIntegers, SmallMatrix_HasNoValueTwiceAndNoZero) {
  for (int size = 1; size <= 20; ++size) {
    for (const int salt : {0, 1}) {
      const Numbers matrix = distinct(size, size, salt);
      EXPECT_EQ(std::set<double>(matrix.values.begin(), matrix.values.end()).size(),
                matrix.values.size());
      EXPECT_THAT(matrix.values, Each(Ne(0.0)));
    }
  }
}

TEST(DistinctIntegers, OnTheOpeningStage_AreTwoCharactersWide) {
  EXPECT_THAT(distinct(8, 8, 0).values, Each(AllOf(Ge(-9.0), Le(99.0))));
  EXPECT_THAT(distinct(2, 2, 0).values, Each(AllOf(Ge(1.0), Le(9.0))));
}

TEST(DistinctIntegers, SumsStayExactInFloat32) {
  for (const int size : {1, 8, 20, 64, 500, 1024}) {
    const Numbers A = distinct(4, size, 0);
    const Numbers B = distinct(size, 4, 1);
    const auto largest = [](const Numbers& m) {
      return std::abs(*std::max_element(m.values.begin(), m.values.end(), [](double a, double b) {
        return std::abs(a) < std::abs(b);
      }));
    };
    EXPECT_LT(static_cast<double>(size) * largest(A) * largest(B), 16777216.0) << size;
    const Matrix a = to_float32(A);
    const Matrix b = to_float32(B);
    EXPECT_EQ(multiply(a, b, Reference::Plain), multiply(a, b, Reference::Double));
  }
}

TEST(DistinctIntegers, LargeMatrix_RepeatsNoRowAndNoColumn) {
  const Numbers matrix = distinct(300, 300, 0);
  std::set<std::vector<double>> lines;
  const Numbers turned = transposed(matrix);
  for (const Numbers* m : {&matrix, &turned}) {
    for (auto row = m->values.begin(); row != m->values.end(); row += 300) {
      EXPECT_TRUE(lines.emplace(row, row + 300).second);
      EXPECT_GT((std::set<double>(row, row + 300).size()), 100U);
    }
  }
}

TEST(DistinctIntegers, AnyTranspositionOrShift_ChangesTheProduct) {
  for (const int size : {2, 8, 50}) {
    const Numbers A = distinct(size, size, 0);
    const Numbers B = distinct(size, size, 1);
    const Numbers C = multiply(A, B);
    EXPECT_NE(multiply(transposed(A), B), C);
    EXPECT_NE(multiply(A, transposed(B)), C);
    EXPECT_NE(multiply(B, A), C);
    for (int by = 1; by < size; ++by) {
      EXPECT_NE(multiply(shifted(A, by, 0), B), C);
      EXPECT_NE(multiply(shifted(A, 0, by), B), C);
      EXPECT_NE(multiply(A, shifted(B, by, 0)), C);
      EXPECT_NE(multiply(A, shifted(B, 0, by)), C);
    }
  }
}

TEST(DistinctIntegers, SeedChoosesThePermutation) {
  EXPECT_EQ(distinct(8, 8, 0, 5), distinct(8, 8, 0, 5));
  EXPECT_NE(distinct(8, 8, 0, 5), distinct(8, 8, 0, 6));
  EXPECT_NE(distinct(8, 8, 0), distinct(8, 8, 1));
}

TEST(DistinctIntegers, AreTheSameOnEveryMachine) {
  EXPECT_THAT(distinct(2, 3, 0).values, testing::ElementsAre(1, 3, 5, 2, 6, 4));
}

TEST(DistinctIntegers, KeepToWhatTheElementTypeHolds) {
  const ValueRange unsigned_byte{0.0, 255.0, false};
  const Result<Numbers> matrix = make_input({}, 40, 40, 0, unsigned_byte);
  ASSERT_TRUE(matrix);
  EXPECT_THAT(matrix->values, Each(AllOf(Ge(1.0), Le(255.0))));
}

TEST(DistinctIntegers, ManyTerms_LeaveOnlySmallValues) {
  const Numbers matrix = distinct(1, 1 << 22, 0);
  EXPECT_EQ(std::set<double>(matrix.values.begin(), matrix.values.end()),
            (std::set<double>{-1, 1}));
}

Numbers small(int rows, int cols, int salt, std::uint32_t seed = 1) {
  return make(Pattern::SmallIntegers, rows, cols, salt, seed);
}

TEST(SmallIntegers, AreMinusFourToNine_WithoutZero) {
  for (const int size : {1, 2, 8, 64}) {
    EXPECT_THAT(small(size, size, 0).values, Each(AllOf(Ge(-4.0), Le(9.0), Ne(0.0))));
  }
  const Numbers matrix = small(8, 8, 0);
  EXPECT_EQ(std::set<double>(matrix.values.begin(), matrix.values.end()).size(), 13U);
}

TEST(SmallIntegers, SixNeighboursOfARowOrColumnDiffer) {
  for (const int salt : {0, 1}) {
    const Numbers matrix = small(40, 30, salt);
    const Numbers turned = transposed(matrix);
    for (const Numbers* m : {&matrix, &turned}) {
      for (int row = 0; row < m->rows; ++row) {
        for (int col = 0; col + 6 <= m->cols; ++col) {
          std::set<double> six;
          for (int by = 0; by < 6; ++by) {
            six.insert(m->at(row, col + by));
          }
          EXPECT_EQ(six.size(), 6U) << row << ", " << col;
        }
      }
    }
  }
}

TEST(SmallIntegers, OnTheOpeningStage_GiveSumsOfAtMostThreeDigits) {
  const Numbers C = multiply(small(8, 8, 0), small(8, 8, 1));
  EXPECT_THAT(C.values, Each(AllOf(Ge(-999.0), Le(999.0))));
}

TEST(SmallIntegers, AnyTranspositionOrShift_ChangesTheProduct) {
  for (const int size : {2, 8, 16, 50}) {
    const Numbers A = small(size, size, 0);
    const Numbers B = small(size, size, 1);
    const Numbers C = multiply(A, B);
    EXPECT_NE(multiply(transposed(A), B), C);
    EXPECT_NE(multiply(A, transposed(B)), C);
    EXPECT_NE(multiply(B, A), C);
    for (int by = 1; by < size; ++by) {
      EXPECT_NE(multiply(shifted(A, by, 0), B), C);
      EXPECT_NE(multiply(shifted(A, 0, by), B), C);
      EXPECT_NE(multiply(A, shifted(B, by, 0)), C);
      EXPECT_NE(multiply(A, shifted(B, 0, by)), C);
    }
  }
}

TEST(SmallIntegers, ASeedRepeatsThem_TheSameOnEveryMachine) {
  EXPECT_EQ(small(8, 8, 0, 5), small(8, 8, 0, 5));
  EXPECT_NE(small(8, 8, 0, 5), small(8, 8, 0, 6));
  EXPECT_NE(small(8, 8, 0), small(8, 8, 1));
  EXPECT_THAT(small(2, 3, 0).values, testing::ElementsAre(5, 4, 1, 4, 5, 3));
}

TEST(SmallIntegers, KeepToWhatTheElementTypeHolds_AndToExactSums) {
  InputSpec spec;
  spec.pattern = Pattern::SmallIntegers;
  const Result<Numbers> matrix = make_input(spec, 40, 40, 0, {0.0, 255.0, false});
  ASSERT_TRUE(matrix);
  EXPECT_THAT(matrix->values, Each(AllOf(Ge(1.0), Le(9.0))));
  EXPECT_THAT(small(1, 1 << 22, 0).values, Each(AllOf(Ge(-1.0), Le(1.0), Ne(0.0))));
}

TEST(Ramp, CountsUpInAAndDownInB) {
  EXPECT_THAT(make(Pattern::Ramp, 2, 3, 0).values, testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(make(Pattern::Ramp, 2, 3, 1).values, testing::ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST(Random, IsSeededAndBetweenMinusOneAndOne) {
  const Numbers matrix = make(Pattern::Random, 50, 50, 0, 7);
  EXPECT_EQ(matrix, make(Pattern::Random, 50, 50, 0, 7));
  EXPECT_NE(matrix, make(Pattern::Random, 50, 50, 0, 8));
  EXPECT_NE(matrix, make(Pattern::Random, 50, 50, 1, 7));
  EXPECT_THAT(matrix.values, Each(AllOf(Ge(-1.0), testing::Lt(1.0))));
  EXPECT_LT(*std::min_element(matrix.values.begin(), matrix.values.end()), -0.9);
  EXPECT_GT(*std::max_element(matrix.values.begin(), matrix.values.end()), 0.9);
}

TEST(Identity, TimesB_IsB) {
  const Numbers A = make(Pattern::Identity, 5, 5, 0);
  const Numbers B = make(Pattern::Identity, 5, 5, 1);
  EXPECT_EQ(B, distinct(5, 5, 1));
  EXPECT_EQ(multiply(A, B), B);
}

TEST(Constant, FillsEveryElement) {
  InputSpec spec;
  spec.pattern = Pattern::Constant;
  spec.constant = 2.5;
  EXPECT_THAT(make_input(spec, 2, 2, 0)->values, Each(2.5));
}

TEST(Csv, OneMatrix_ServesEveryBuffer) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "1,2\n3,4\n";
  EXPECT_THAT(make_input(spec, 2, 2, 0)->values, testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(make_input(spec, 2, 2, 1)->values, testing::ElementsAre(1, 2, 3, 4));
}

TEST(Csv, SeveralMatrices_AreTakenInTheirOrder) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "1,2\n---\n3\n4\n";
  EXPECT_THAT(make_input(spec, 1, 2, 0)->values, testing::ElementsAre(1, 2));
  EXPECT_THAT(make_input(spec, 2, 1, 1)->values, testing::ElementsAre(3, 4));
  const Result<Numbers> third = make_input(spec, 1, 1, 2);
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message, HasSubstr("holds 2 matrices, but matrix 3 is needed"));
}

TEST(Csv, NumbersThatDoubleCannotHold_AreRefused) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  for (const char* const cell : {"1e400", "-1e400", "1e-400", "-0.1e-400"}) {
    spec.csv = cell;
    EXPECT_FALSE(make_input(spec, 1, 1, 0)) << cell;
  }
  for (const char* const cell : {"0", "0e9", "-0.0", "1e-30"}) {
    spec.csv = cell;
    EXPECT_TRUE(make_input(spec, 1, 1, 0)) << cell;
  }
}

TEST(Csv, WrongShape_NamesBothShapes) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "1,2\n3,4\n";
  spec.csv_name = "a.csv";
  const Result<Numbers> matrix = make_input(spec, 3, 2, 0);
  ASSERT_FALSE(matrix);
  EXPECT_THAT(matrix.error().message, HasSubstr("a.csv: matrix 1 has 2 rows with 2 values each, "
                                                "but 3 rows with 2 values each are needed"));
}

TEST(Input, ThatTheTypeCannotHold_NamesTheElement) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "1, 2, 300";
  const Result<Numbers> matrix = make_input(spec, 1, 3, 0, {0.0, 255.0, false});
  ASSERT_FALSE(matrix);
  EXPECT_THAT(matrix.error().message, HasSubstr("row 0, column 2 of this input is 300"));
  spec.csv = "1, 2, 0.5";
  EXPECT_FALSE(make_input(spec, 1, 3, 0, {0.0, 255.0, false}));
}

TEST(Input, ThatTheTypeRoundsToInfinity_IsRefusedAndInfinityIsNot) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "inf, 3.4028235e38, 1e39";
  const Result<Numbers> matrix = make_input(spec, 1, 3, 0);
  ASSERT_FALSE(matrix);
  EXPECT_THAT(matrix.error().message,
              HasSubstr("row 0, column 2 of this input is 1e+39, but the buffer's type overflows "
                        "at 3.40282e+38 and above. Choose another input"));
  spec.csv = "nan, inf, 3.4028235e38";
  EXPECT_TRUE(make_input(spec, 1, 3, 0));
}

TEST(Input, KeepsTheDigitsOfFloat64) {
  InputSpec spec;
  spec.pattern = Pattern::Csv;
  spec.csv = "0.1, 123456789";
  EXPECT_THAT(make_input(spec, 1, 2, 0)->values, testing::ElementsAre(0.1, 123456789.0));
  spec.pattern = Pattern::Constant;
  spec.constant = 0.1;
  EXPECT_THAT(make_input(spec, 1, 2, 0)->values, Each(0.1));
}

}  // namespace
}  // namespace tilestep::problem
