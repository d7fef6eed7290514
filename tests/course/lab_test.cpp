// Grading one text: the messages, and the state that the stage opens.
#include "course/lab.h"

#include "asking.h"
#include "insight/events/event.h"
#include "lesson/lesson.h"
#include "problem/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::course {
namespace {

namespace fs = std::filesystem;

class GradingOf : public testing::Test {
 protected:
  GradingOf() {
    auto read = lesson::load_lesson(test::source_folder() / "assets" / "lessons" / "05-edges.md");
    if (!read) {
      throw std::runtime_error(read.error().message);
    }
    lesson_ = std::move(*read);
  }

  [[nodiscard]] const lesson::Lab& lab() const { return lesson_.labs.at(0); }
  static std::string stored(const std::string& name) {
    return problem::read_file(test::source_folder() / "tests" / "course" / "labs" / "lab5_samples" /
                              name)
        .value();
  }
  LabGrade grade(const std::string& text) { return grade_lab(lab(), text, asking_.answers()); }

  Asking asking_;
  lesson::Lesson lesson_;
};

TEST_F(GradingOf, ARightTextPassesEveryRow) {
  const LabGrade grade = this->grade(stored("solution.cu"));
  EXPECT_TRUE(grade.passed());
  EXPECT_EQ(grade.outcome(), LabOutcome::Passed);
  EXPECT_EQ(grade.rows, 7U);
  EXPECT_EQ(grade.rows_passed, 7U);
}

TEST_F(GradingOf, AnElementThatNobodyStored_IsNamedAndChosenOnTheStage) {
  const std::string text = stored("row1.cu");
  const LabGrade grade = this->grade(text);
  ASSERT_EQ(grade.outcome(), LabOutcome::Wrong);
  EXPECT_EQ(grade.causes.front().sentence,
            "No thread stored C[0][0], expected 88. 64 of 64 elements are wrong.");
  EXPECT_EQ(grade.rows_passed, 0U);
  const state::AppState& state = grade.counterexample.state;
  EXPECT_EQ(state.kernel, lab().kernel);
  EXPECT_EQ(state.edited_source, text);
  EXPECT_EQ(state.parameters, lab().rows[0].state.parameters);
  EXPECT_EQ(state.focus.cell_name, "C[0][0]");
  EXPECT_EQ(grade.counterexample.place.kind, lesson::Place::Kind::End);
}

TEST_F(GradingOf, AFinding_IsToldFirst_AndTheStageOpensWhereItStrikes) {
  const LabGrade grade = this->grade(stored("row2.cu"));
  ASSERT_EQ(grade.outcome(), LabOutcome::Found);
  EXPECT_EQ(grade.rows_passed, 1U);
  const lesson::Position& at = grade.counterexample;
  EXPECT_EQ(at.state.schedule, lab().rows[1].state.schedule);
  EXPECT_EQ(at.state.warp_size, lab().rows[1].state.warp_size);
  auto& run = asking_.answers().run_of(at);
  const insight::Finding& finding = run.check()->findings.front();
  EXPECT_EQ(grade.causes.front().sentence, finding.sentence);
  EXPECT_EQ(grade.causes.front().line, static_cast<int>(finding.parties.back().line));
  const problem::Launch& launch = run.prepared()->launch;
  EXPECT_EQ(at.state.focus.thread, launch.block.linear(finding.parties.back().thread));
  ASSERT_EQ(at.place.kind, lesson::Place::Kind::Step);
  EXPECT_EQ(at.place.number,
            insight::end_of_statement(**run.recording(), insight::step_of(finding)));
  // Thread (0,3) reads beyond B.
  EXPECT_EQ(this->grade(stored("row4.cu")).counterexample.state.focus.thread, 12U);
}

TEST_F(GradingOf, AWrongElement_HasTheThreadThatStoredItInFocus) {
  std::string text = stored("solution.cu");
  const std::string store = "C[c + wB * ty + tx] = Csub;";
  text.replace(text.find(store), store.size(),
               "C[c + wB * ty + tx] = bx == 1 && by == 1 && ty == 2 ? 0.0f : Csub;");
  const LabGrade grade = this->grade(text);
  ASSERT_EQ(grade.outcome(), LabOutcome::Wrong);
  EXPECT_TRUE(grade.causes.front().sentence.starts_with("C[6][4] is 0, expected "));
  EXPECT_EQ(grade.counterexample.state.focus.cell_name, "C[6][4]");
  EXPECT_EQ(grade.counterexample.state.focus.block, 3U);
  EXPECT_EQ(grade.counterexample.state.focus.thread, 8U);
}

TEST_F(GradingOf, ABrokenCondition_IsToldWithBothNumbers) {
  const LabGrade grade = this->grade(stored("row7.cu"));
  ASSERT_EQ(grade.outcome(), LabOutcome::Condition);
  EXPECT_EQ(grade.causes.front().sentence,
            "Stores of C are 2244; at most 561 = M * N are allowed. Line 29 has most of them.");
  EXPECT_EQ(grade.rows_passed, 6U);
}

TEST_F(GradingOf, ABrokenConditionOnConflicts_OpensTheStageOnTheFirst_WithItsMemory) {
  const auto banks =
      lesson::load_lesson(test::source_folder() / "assets" / "lessons" / "08-banks.md");
  ASSERT_TRUE(banks);
  const lesson::Lab& pad = banks->labs.at(0);
  const LabGrade grade = grade_lab(pad, problem::read_file(pad.kernel).value(), asking_.answers());
  ASSERT_EQ(grade.outcome(), LabOutcome::Condition);
  const lesson::Position& at = grade.counterexample;
  ASSERT_EQ(at.place.kind, lesson::Place::Kind::Step);
  EXPECT_TRUE(at.state.show_memory);
  auto& run = asking_.answers().run_of(at);
  const insight::EventAnswer first =
      insight::find_event(**run.recording(), {.kind = record::EventKind::BankConflict, .from = 0});
  EXPECT_EQ(at.place.number, first.stop);
}

TEST_F(GradingOf, WhatDoesNotCompile_IsToldWithItsLine) {
  std::string text = stored("solution.cu");
  text.replace(text.find("float Csub"), 10, "flaot Csub");
  const LabGrade grade = this->grade(text);
  ASSERT_EQ(grade.outcome(), LabOutcome::NotCompiled);
  EXPECT_EQ(grade.causes.front().line, 15);
  EXPECT_EQ(grade.causes.front().sentence, "Line 15: identifier \"flaot\" is undefined");
  EXPECT_EQ(grade.counterexample.state.edited_source, text);
}

TEST_F(GradingOf, WhatTheLabCannotLaunch_IsASentence) {
  EXPECT_EQ(grade("__global__ void mine() {}\n").outcome(), LabOutcome::NotCompiled);
  EXPECT_TRUE(
      grade("__global__ void mine() {}\n")
          .causes.front()
          .sentence.starts_with("Keep the kernel's original name, template and parameters"));
  EXPECT_EQ(grade("template <int B>\n__global__ void lab5_samples(float* C) {}\n").outcome(),
            LabOutcome::Refused);
}

TEST_F(GradingOf, AnEmptyTextIsNotTheLabsOwn) {
  for (const char* const text : {"", " \n\t"}) {
    EXPECT_EQ(grade(text).outcome(), LabOutcome::NotCompiled);
    EXPECT_EQ(grade(text).causes.front().sentence, "The text is empty.");
  }
  EXPECT_EQ(grade(stored("solution.cu") + std::string(1, '\0')).outcome(), LabOutcome::Unreadable);
}

TEST_F(GradingOf, WhatWasCancelledIsCutOff_AndGradedTheNextTime) {
  std::atomic<bool> cancel = true;
  compile::Compiler compiler{compile::CacheOptions{}};
  Answers answers({compiler, test::repository_catalog(), nullptr, &cancel}, lesson_.follow());
  const std::string text = stored("solution.cu");
  const LabGrade cut = grade_lab(lab(), text, answers);
  EXPECT_EQ(cut.outcome(), LabOutcome::CutOff);
  EXPECT_FALSE(cut.causes.front().sentence.empty());
  cancel = false;
  EXPECT_TRUE(grade_lab(lab(), text, answers).passed());
}

TEST_F(GradingOf, ProgressIsTold_RowByRow) {
  std::vector<std::size_t> compiled;
  std::vector<LabProgress::Stage> last_row;
  const auto note = [&](const LabProgress& now) {
    if (now.stage == LabProgress::Stage::Compiling) {
      compiled.push_back(now.row);
      last_row.clear();
    }
    last_row.push_back(now.stage);
  };
  EXPECT_FALSE(grade_lab(lab(), stored("row3.cu"), asking_.answers(), note).passed());
  EXPECT_EQ(compiled, (std::vector<std::size_t>{0, 1, 2}));
  using enum LabProgress::Stage;
  EXPECT_EQ(last_row, (std::vector{Compiling, Running, Placing}));
}

TEST_F(GradingOf, ALaunchIsNamedByWhatIsUnusualInIt) {
  const auto text = [&](std::size_t row) {
    return launch_text(lab().rows[row].state, test::repository_catalog());
  };
  EXPECT_EQ(text(0), "8×8×8, BLOCK_SIZE 4");
  EXPECT_EQ(text(1), "8×8×8, BLOCK_SIZE 4, warp 1 runs ahead, 4 lanes per warp");
  EXPECT_EQ(text(2), "10×7×8, BLOCK_SIZE 4, sequential");
  state::AppState alone = lab().rows[0].state;
  alone.warp_size = 1;
  EXPECT_EQ(launch_text(alone, test::repository_catalog()),
            "8×8×8, BLOCK_SIZE 4, one lane per warp");
}

TEST(WordsOfConditions, HaveBothNumbersAndTheRelation) {
  Asking asking;
  const auto at = Asking::position("#kernel=naive&M=4&N=4&K=4&block_size=4");
  const auto in_all_languages = [&](const std::string& condition) {
    return broken_condition(lesson::parse_expression(condition).value(), at, asking.answers())
        .sentence;
  };
  EXPECT_EQ(in_all_languages("count(loads.A) <= 32"),
            "Loads of A are 64; at most 32 are allowed. Line 15 has most of them.");
  EXPECT_EQ(in_all_languages("count(loads.A) < 64"),
            "Loads of A are 64; fewer than 64 are allowed. Line 15 has most of them.");
  EXPECT_EQ(in_all_languages("count(loads) >= 200"),
            "Loads of global memory are 128; at least 200 are required.");
  EXPECT_EQ(in_all_languages("count(flops) > 128"),
            "Floating-point operations are 128; more than 128 are required.");
  EXPECT_EQ(in_all_languages("count(shared_loads.conflicts) + count(shared_stores.conflicts) == 1"),
            "Bank conflicts of loads from shared memory plus bank conflicts of stores to shared "
            "memory are 0, expected 1.");
  EXPECT_EQ(in_all_languages("count(stores.C) != M * N"),
            "Stores of C are 16, which is not allowed.");
  EXPECT_EQ(in_all_languages("error.max > 1"),
            "The largest relative error is 0; more than 1 is required.");
  EXPECT_EQ(in_all_languages("cell(A[0][0], end) == 99"),
            "A[0][0] is " +
                asking.ask("#kernel=naive&M=4&N=4&K=4&block_size=4", "cell(A[0][0], end)") +
                ", expected 99.");
  EXPECT_EQ(in_all_languages("wrong() == 0 && no"), "wrong() == 0 && no does not hold.");
}

// The left side of a condition in words, for every shipped lab.
TEST(WordsOfConditions, AreThereForEveryLab) {
  std::size_t conditions = 0;
  for (const auto& entry : fs::directory_iterator(test::source_folder() / "assets" / "lessons")) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    const auto lesson = lesson::load_lesson(entry.path());
    ASSERT_TRUE(lesson) << lesson.error().message;
    for (const lesson::Lab& lab : lesson->labs) {
      for (const lesson::LabRow& row : lab.rows) {
        for (const lesson::Formula& condition : row.require) {
          const lesson::Expression& left = condition.expression.parts.at(0);
          EXPECT_NE(words_of_expression(left), left.source) << lab.name;
          ++conditions;
        }
      }
    }
  }
  EXPECT_GE(conditions, 20U);
}

TEST(WordsOfConditions, NameKernelsOfOtherLaunches) {
  const auto words = [](const std::string& text) {
    return words_of_expression(lesson::parse_expression(text).value());
  };
  EXPECT_EQ(words("with(kernel = tiled, count(loads.A))"), "loads of A of tiled");
  EXPECT_EQ(words("with(block_size = 2, count(loads.A))"), "with(block_size = 2, count(loads.A))");
  EXPECT_EQ(words("cell(table[0][1], end)"), "table[0][1]");
  EXPECT_EQ(words("1.1 * K"), "1.1 * K");
}

}  // namespace
}  // namespace tilestep::course
