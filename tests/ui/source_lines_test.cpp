// The source panel's text: header, rows, scrolling, tokens, and the values at the ends of lines.
#include "ui/source/source_lines.h"

#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

TEST(SourceLines, OfALongLineTheElementThatItStoresToStays) {
  const std::string code = "  As[ty][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;";
  EXPECT_EQ(code.substr(0, stored_part(code, 40)), "  As[ty][tx] = ");
  EXPECT_EQ(stored_part(code, 20), 0U);
  EXPECT_EQ(stored_part("  a4 = *reinterpret_cast<const float4*>(&A[row * K + a_col]);", 40), 7U);
  EXPECT_EQ(stored_part("  acc += As[ty][e] * Bs[e][tx];", 40), 0U) << "a variable";
  EXPECT_EQ(stored_part("  __syncthreads();", 40), 0U);
}

TEST(RowStarts, BreakAfterBlanksAndIndentTheRest) {
  const std::string_view code = "    acc += A[row * K + e] * B[e * N + col];";
  EXPECT_EQ(row_starts(code, 80), (std::vector<std::size_t>{0}));
  const std::vector<std::size_t> starts = row_starts(code, 28);
  ASSERT_EQ(starts.size(), 2U) << "28 columns are enough for two rows";
  EXPECT_EQ(code.substr(0, starts[1]), "    acc += A[row * K + e] * ");
  EXPECT_EQ(row_starts(code, 20).size(), 3U) << "12 characters in each row after the first";
  for (const std::size_t start : row_starts(code, 20)) {
    EXPECT_TRUE(start == 0 || code[start - 1] == ' ');
  }
  EXPECT_EQ(row_starts("f(aVeryLongNameWithoutBlanks)", 20), (std::vector<std::size_t>{0, 20}));
  EXPECT_EQ(row_starts(code, 12), (std::vector<std::size_t>{0})) << "no room: it is cut";
}

TEST(QuotedLines, AreThoseWithCodeBetweenBackticks) {
  const std::vector<std::string> lines =
      lines_of("// x += y;\nint row = ty;\n  Cvalue += As[ty][e] * Bs[e][tx];  // sum\nfloat x;\n");
  EXPECT_EQ(quoted_lines(lines, "`Cvalue += As[ty][e] * Bs[e][tx];` What is it?"),
            (std::set<int>{3}));
  EXPECT_EQ(quoted_lines(lines, "Which line needs `As`, and which `int row`?"), (std::set<int>{2}));
  EXPECT_TRUE(quoted_lines(lines, "`x += y;` and an open `float").empty());
}

TEST(Header, IsTheCommentThatAFileBeginsWith) {
  EXPECT_EQ(header_lines(lines_of("// one\n//\n\n// two\nint x;\n")), 4U);
  EXPECT_EQ(header_lines(lines_of("/* one\n * two\n */\n\nint x;\n")), 3U);
  EXPECT_EQ(header_lines(lines_of("// one\nint x;\n")), 0U) << "a single line stays";
  EXPECT_EQ(header_lines(lines_of("int x;\n// one\n// two\n")), 0U);
  EXPECT_EQ(header_lines(lines_of("// one\n// two\n")), 0U) << "nothing would be left";
  EXPECT_EQ(header_lines(lines_of("")), 0U);
}

TEST(Header, IsLabelsAndTheirWords) {
  const std::vector<std::string> lines{
      "// tiled: a block loads",       "// one tile.",       "//", "// The idea     The K products",
      "//              are added up.", "// Costs        2·K"};
  EXPECT_EQ(header_entries(lines, lines.size()),
            (std::vector<HeaderEntry>{{"", "tiled: a block loads one tile."},
                                      {"The idea", "The K products are added up."},
                                      {"Costs", "2·K"}}));
  const std::vector<std::string> block{"/* Adds two", " * vectors. */"};
  EXPECT_EQ(header_entries(block, 2), (std::vector<HeaderEntry>{{"", "Adds two vectors."}}));
}

TEST(Rows, AFoldedHeaderIsOne) {
  EXPECT_EQ(rows_of(5, 3, 0), (Rows{0, 4, 5}));
  EXPECT_EQ(rows_of(5, 3, 2), (Rows{0, -1, -2, 4, 5}));
  EXPECT_EQ(rows_of(2, 0, 0), (Rows{1, 2}));
  EXPECT_EQ(row_of(rows_of(5, 3, 0), 5), 2U);
  EXPECT_EQ(row_of(rows_of(5, 3, 0), 2), 0U) << "of a folded line the header";
}

TEST(Scrolling, KeepsTheCurrentRowInTheMiddleThird_ButAtTheEnds) {
  constexpr std::size_t kRows = 100;
  for (const float room : {3.0F, 5.0F, 11.0F, 40.0F}) {
    float top = 0.0F;
    for (std::size_t row = 0; row < kRows; row += 7) {
      const float before = top;
      top = scrolled_to(top, row, room, kRows);
      EXPECT_GE(top, 0.0F);
      EXPECT_LE(top + room, static_cast<float>(kRows));
      const float at = static_cast<float>(row) - top;
      const bool is_end = top == 0.0F || top + room == static_cast<float>(kRows);
      EXPECT_TRUE(is_end ||
                  (at >= std::floor(room / 3.0F) && at + 1.0F <= std::ceil(2.0F * room / 3.0F)))
          << row << " at " << at << " of " << room;
      EXPECT_EQ(scrolled_to(top, row, room, kRows), top) << "moved from " << before;
    }
  }
  EXPECT_EQ(scrolled_to(0.0F, 3, 40.0F, 10), 0.0F) << "all of it is in sight";
}

TEST(Code, EndsBeforeItsComment) {
  EXPECT_EQ(code_of("  __syncthreads();  // both"), "  __syncthreads();");
  EXPECT_EQ(code_of("x = \"//\";"), "x = \"//\";");
  EXPECT_EQ(code_of("// all"), "");
}

TEST(Tokens, CoverTheLine) {
  const std::string line = "  float acc = 0.0f * f(As[ty][e]);  // sum";
  std::size_t names = 0;
  std::size_t at = 0;
  for (const TokenAt& token : tokens_of(line)) {
    EXPECT_GE(token.from, at);
    EXPECT_GT(token.to, token.from);
    at = token.to;
    names += token.is_name ? 1U : 0U;
  }
  EXPECT_EQ(at, line.size());
  EXPECT_EQ(names, 4U) << "acc, As, ty, e";
}

class Values : public testing::Test {
 protected:
  std::map<int, LineValue> at(std::uint64_t step) {
    const narration::SourceMap source(recording_->program().launch().source);
    const record::State state = recording_->state_at(step);
    const insight::BlockSums sums(*recording_, 1);
    return line_values({.source = source,
                        .program = recording_->program(),
                        .state = state,
                        .sums = &sums,
                        .block = 1,
                        .thread = 6});
  }
  // The line of the text that holds `code`.
  int line_of(const std::string& code) const {
    const auto lines = lines_of(recording_->program().launch().source);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(code) != std::string::npos) {
        return static_cast<int>(i) + 1;
      }
    }
    return 0;
  }

  test::Simulated simulated_;
  std::shared_ptr<const record::Recording> recording_ =
      record::Recording::make(simulated_.program("tiled", {8, 8, 8}, 4), {}).value();
};

TEST_F(Values, StandAtTheLinesThatAssignedThem) {
  const std::uint64_t third_product = recording_->statement_starts()[18];
  const auto values = at(third_product);
  EXPECT_EQ(values.at(line_of("int tx =")).text, "2");
  EXPECT_EQ(values.at(line_of("int row =")).text, "1");
  EXPECT_EQ(values.at(line_of("int col =")).text, "6");
  EXPECT_EQ(values.at(line_of("for (int e")).text, "e = 2");
  EXPECT_EQ(values.at(line_of("float acc")).role, insight::ValueRole::Sum);
  EXPECT_EQ(values.at(line_of("int tx =")).role, insight::ValueRole::None);
}

TEST_F(Values, AreNotShownBeforeTheyAreAssigned) {
  EXPECT_TRUE(at(0).empty());
}

}  // namespace
}  // namespace tilestep::ui
