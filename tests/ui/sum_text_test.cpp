#include "ui/sum_text.h"

#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

problem::Launch launch_of_abc() {
  problem::Launch launch;
  launch.buffers.resize(3);
  launch.buffers[0].name = "A";
  launch.buffers[1].name = "B";
  launch.buffers[2].name = "C";
  return launch;
}

insight::Term term(float a, float b, int e, bool shared = true) {
  insight::Term term;
  term.a = {0, 1, e, a, shared ? "As[1][" + std::to_string(e) + "]" : "", 0};
  term.b = {1, e, 2, b, shared ? "Bs[" + std::to_string(e) + "][2]" : "", 0};
  return term;
}

insight::Accumulation sum_of(std::vector<insight::Term> terms, float value) {
  insight::Accumulation accumulation;
  accumulation.variable = "acc";
  accumulation.terms = std::move(terms);
  accumulation.value = value;
  return accumulation;
}

TEST(SumText, SaysTheLatestTermByNameAndWhatItAdds) {
  const SumText text =
      sum_text(sum_of({term(6, 2, 0), term(4, 5, 1), term(-1, 5, 2)}, 27), launch_of_abc());
  EXPECT_EQ(text.head, "acc =");
  EXPECT_EQ(text.terms, (std::vector<std::string>{"6·2", "+ 4·5"}));
  EXPECT_EQ(text.last, "+ As[1][2]·Bs[2][2]");
  EXPECT_EQ(text.result, "= 32 + (−1)·5 = 27");
}

TEST(SumText, TakesTheLatestProductApart) {
  const SumText text = sum_text(sum_of({term(6, 2, 0), term(-1, 5, 1)}, 7), launch_of_abc());
  ASSERT_TRUE(text.latest);
  EXPECT_EQ(text.latest->a_place, "As[1][1]");
  EXPECT_EQ(text.latest->a_value, "−1");
  EXPECT_EQ(text.latest->product, "(−1)·5 = −5");
  EXPECT_EQ(text.latest->addition, "12 − 5 = 7");
  EXPECT_EQ(sum_text(sum_of({term(6, 2, 0)}, 13), launch_of_abc()).latest->addition, "")
      << "no equation that does not hold";
}

TEST(SumText, NamesTheMatrixWhereNoSharedMemoryIsBetween) {
  const SumText text = sum_text(sum_of({term(6, 2, 0, false)}, 12), launch_of_abc());
  EXPECT_TRUE(text.terms.empty());
  EXPECT_EQ(text.last, "A[1][0]·B[0][2]");
  EXPECT_EQ(text.result, "= 6·2 = 12");
}

TEST(SumText, AConstantFactorIsItsValue) {
  insight::Term padded = term(0, 5, 0);
  padded.a = {0xffffffffU, 0, 0, 0.0F, "", 0};
  EXPECT_EQ(sum_text(sum_of({padded}, 0), launch_of_abc()).last, "0·Bs[0][2]");
}

TEST(SumText, BeginsWithTheInitialValueWhenThereIsOne) {
  insight::Accumulation accumulation = sum_of({term(6, 2, 0)}, 13);
  accumulation.initial = 1.0F;
  const SumText text = sum_text(accumulation, launch_of_abc());
  EXPECT_EQ(text.terms, (std::vector<std::string>{"1"}));
  EXPECT_EQ(text.last, "+ As[1][0]·Bs[0][2]");
  EXPECT_EQ(text.result, "= 1 + 6·2 = 13");
}

TEST(SumText, SubtractsWhatIsSubtracted) {
  insight::Term taken = term(3, 2, 1);
  taken.times = -1.0;
  const SumText text = sum_text(sum_of({term(6, 2, 0), taken}, 6), launch_of_abc());
  EXPECT_EQ(text.last, "− As[1][1]·Bs[1][2]");
  EXPECT_EQ(text.result, "= 12 − 3·2 = 6");
  EXPECT_EQ(sum_line(sum_of({taken}, -6)), "acc = − 3·2 = −6");
  taken.times = 2.0;
  EXPECT_EQ(sum_line(sum_of({term(6, 2, 0), taken}, 24)), "acc = 6·2 + 2·3·2 = 24");
}

TEST(SumText, SaysWhereRoundingMakesAnotherNumber) {
  EXPECT_EQ(sum_line(sum_of({term(0.1F, 3, 0)}, 0.31F)), "acc = 0.1·3 ≈ 0.31");
  EXPECT_EQ(sum_text(sum_of({term(6, 2, 0), term(0.1F, 3, 1)}, 12.5F), launch_of_abc()).result,
            "= 12 + 0.1·3 ≈ 12.5");
}

TEST(SumText, PrintsNoEquationWhereNotAllIsProducts) {
  insight::Accumulation open = sum_of({term(6, 2, 0)}, 19);
  open.complete = false;
  const SumText text = sum_text(open, launch_of_abc());
  EXPECT_EQ(text.last, "As[1][0]·Bs[0][2] + terms that are not products");
  EXPECT_EQ(text.result, "= 19");
  EXPECT_EQ(sum_line(open), "acc = 6·2 + terms that are not products = 19");
}

SumText boxes(std::size_t products) {
  SumText sum;
  sum.head = "acc =";
  for (std::size_t i = 0; i + 1 < products; ++i) {
    sum.terms.emplace_back(i == 0 ? "6·2" : "+ 4·5");
  }
  sum.last_numbers = "+ 7·1";
  return sum;
}
// The number of characters in a row of these.
float width_of(const SumText& sum, const SumBoxes& shown) {
  float width = static_cast<float>(sum_columns(sum.latest_term())) + kSumBoxPad + kSumSignRoom;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    if (i < shown.front || i >= sum.terms.size() - shown.back) {
      width += static_cast<float>(sum_columns(sum.terms[i])) + kSumBoxPad + kSumSignRoom;
    }
  }
  return width + static_cast<float>(shown.coming) * (kSumComingBox + kSumSignRoom);
}

TEST(SumBoxes, ShowEverythingThatFits) {
  const SumBoxes shown = fit_boxes(boxes(3), 5, 60);
  EXPECT_EQ(shown.front + shown.back, 2U);
  EXPECT_EQ(shown.coming, 5U);
}

TEST(SumBoxes, LeaveOutWhatIsToComeBeforeAnyProduct) {
  const SumText sum = boxes(3);
  const SumBoxes shown = fit_boxes(sum, 61, 60);
  EXPECT_EQ(shown.front + shown.back, 2U);
  EXPECT_GT(shown.coming, 0U);
  EXPECT_LT(shown.coming, 61U);
  EXPECT_LE(width_of(sum, shown) + static_cast<float>(sum_columns(to_come(61))), 60.0F);
}

TEST(SumBoxes, KeepTheFirstAndTheLatest) {
  const SumText sum = boxes(40);
  const SumBoxes shown = fit_boxes(sum, 24, 60);
  EXPECT_EQ(shown.front, 1U);
  EXPECT_GT(shown.back, 1U);
  EXPECT_LT(shown.back, 38U);
  EXPECT_EQ(shown.coming, 0U);
  EXPECT_LE(width_of(sum, shown) + static_cast<float>(sum_columns(to_come(24) + kSumEllipsis)),
            60.0F);
}

TEST(SumBoxes, SayWhatIsToComeWhereWordsFit) {
  EXPECT_TRUE(fit_boxes(boxes(3), 61, 60).says_coming);
  EXPECT_FALSE(fit_boxes(boxes(3), 0, 60).says_coming);
  const SumText sum = boxes(3);
  for (std::size_t budget = 0; budget < 60; ++budget) {
    const SumBoxes shown = fit_boxes(sum, 61, budget);
    if (shown.says_coming) {
      EXPECT_LE(width_of(sum, shown) + static_cast<float>(sum_columns(to_come(61))),
                static_cast<float>(budget));
    }
  }
}

TEST(SumBoxes, HideNoLaterProductWithoutASign) {
  const SumText sum = boxes(1);
  bool is_cut = false;
  for (std::size_t budget = 13; budget < 20; ++budget) {
    const SumBoxes shown = fit_boxes(sum, 2, budget);
    EXPECT_TRUE(shown.coming == 2 || shown.says_coming || shown.cut_short) << budget;
    is_cut = is_cut || shown.cut_short;
    EXPECT_LE(width_of(sum, shown) + (shown.cut_short ? 4.0F : 0.0F), static_cast<float>(budget));
  }
  EXPECT_TRUE(is_cut);
}

TEST(SumBoxes, SurviveNoRoomAtAll) {
  const SumBoxes shown = fit_boxes(boxes(3), 5, 0);
  EXPECT_FALSE(shown.says_coming);
  EXPECT_EQ(shown.front + shown.back + shown.coming, 0U);
}

}  // namespace
}  // namespace tilestep::ui
