// What a wrong answer reveals, computed from the run.
#include "course/reveal.h"

#include "asking.h"
#include "problem/in_language.h"
#include "problem/language.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tilestep::course {
namespace {

class Reveal : public testing::Test {
 protected:
  // What the answer reveals to a question of a shipped lesson.
  std::string given(const std::string& file, const std::string& name, const Value& value) {
    const auto lesson = lesson::load_lesson(test::source_folder() / "assets/lessons" / file);
    if (!lesson) {
      throw std::runtime_error(lesson.error().message);
    }
    const auto question = std::ranges::find(lesson->questions, name, &lesson::Question::name);
    if (question == lesson->questions.end()) {
      throw std::runtime_error("no question " + name);
    }
    return what_it_is(*question, value, asking_.answers());
  }
  std::string given(const std::string& file, const std::string& name, double number) {
    return given(file, name, number_value(number));
  }
  // A question of its own.
  std::string asked(const std::string& keys, const char* kind, const Value& value) {
    const auto lesson = lesson::parse_lesson(
        "```scene\nname = \"one\"\nkernel = \"tiled\"\nM = 8\nN = 8\nK = 8\nblock_size = 4\n"
        "input = \"distinct\"\nplace = \"phase-start:2\"\n```\n"
        "```question\nname = \"q\"\ntext = \"?\"\nkind = \"" +
            std::string(kind) + "\"\n" + keys + "```\n",
        "l.md");
    if (!lesson) {
      throw std::runtime_error(lesson.error().message);
    }
    return what_it_is(lesson->questions.at(0), value, asking_.answers());
  }
  // In that question's launch, at its place.
  double number_of(const std::string& expression) {
    const auto at = Asking::position("#kernel=tiled&block_size=4&place=phase-start:2");
    return asking_.answers().of(lesson::parse_expression(expression).value(), at).value().number;
  }
  double acc_of(int thread) { return number_of(fmt::format("value(acc, b0, t{})", thread)); }
  double cell_of(const std::string& cell) { return number_of("cell(" + cell + ", b0)"); }
  static Value thread(std::uint32_t index) {
    Value value;
    value.kind = Value::Kind::Thread;
    value.thread = index;
    return value;
  }

  Asking asking_;
};

constexpr const char* kLesson1 = "01-one-thread.md";
constexpr const char* kLesson3 = "03-two-barriers.md";

// Numbers of the run.

TEST_F(Reveal, TheSameVariableOfAnotherThread) {
  EXPECT_EQ(asked("answer = \"value(acc, b0, t0)\"\n", "number", number_value(acc_of(1))),
            fmt::format("{} is acc of thread (1,0) of block (0,0).", acc_of(1)));
}

TEST_F(Reveal, TheSameVariableInAnotherPhase) {
  EXPECT_EQ(given(kLesson3, "after-one", 206),
            "206 is Cvalue of thread (0,0) at the start of phase 6 (write back).");
  EXPECT_EQ(given(kLesson3, "after-one", 0),
            "0 is Cvalue of thread (0,0) at the start of phase 1 (multiply tile 0).");
}

TEST_F(Reveal, AnElementAndAnotherElementOfTheSameArray) {
  EXPECT_EQ(given(kLesson3, "after-one", 12), "12 is A[1][6].");
  const std::string other =
      asked("answer = \"cell(As[0][0])\"\n", "number", number_value(cell_of("As[1][2]")));
  EXPECT_EQ(other, fmt::format("{} is As[1][2].", cell_of("As[1][2]")));
}

// Counts of the launch.

TEST_F(Reveal, TheSameCountOfAnotherBuffer) {
  EXPECT_EQ(asked("answer = \"count(loads.A)\"\n", "number", number_value(64)),
            "64 is the number of stores to global memory.");
  EXPECT_EQ(given("07-coalescing.md", "naive-a", 4),
            "4 is the number of sectors per access of a warp to B.");
}

TEST_F(Reveal, ACountPerBlockOrOfTheWholeLaunch) {
  EXPECT_EQ(given("06-traffic.md", "tiles-a", 32),
            "32 is the number of loads of A, counted for one block.");
  EXPECT_EQ(given("02-shared.md", "loads-each", 18),
            "18 is the number of loads from global memory, counted for the whole launch.");
}

TEST_F(Reveal, TheAnswerWithAnotherBlockSizeOrSize) {
  EXPECT_EQ(given("04-many-blocks.md", "how-often", 4), "4 would be the answer with BLOCK_SIZE 2.");
  EXPECT_EQ(given("04-many-blocks.md", "how-often", 3), "3 would be the answer with N = 9.");
}

TEST_F(Reveal, TheOtherLanesOrCells) {
  EXPECT_EQ(given(kLesson1, "lanes-off", 8), "8 is the number of active lanes.");
  EXPECT_EQ(given("05-edges.md", "zeros", 6),
            "6 is the number of the other cells, which hold an element.");
}

TEST_F(Reveal, ASizeOfTheLaunchWithWhatWasAsked) {
  EXPECT_EQ(given(kLesson1, "loads-of-one", 9),
            "9 is the number of threads. The question asks for the number of loads of A[0][0] in "
            "the whole launch.");
}

TEST_F(Reveal, WhatHoldsForAnOption) {
  EXPECT_EQ(given("05-edges.md", "which-k", 8),
            "With K = 8, the number of wrong elements of C is 0.");
}

TEST_F(Reveal, OneTooMany_AndOtherwiseWhatWasAsked) {
  EXPECT_EQ(given("11-block-size.md", "how-many-blocks", 7),
            "7 is one too many. The question asks for the number of blocks that one SM holds.");
  EXPECT_EQ(given(kLesson3, "after-one", 1000),
            "1000 is too large. The question asks for Cvalue of thread (0,0).");
}

// The search runs more launches than are kept, and still knows the question's own run.
TEST_F(Reveal, AfterASearchThroughManyLaunches) {
  EXPECT_EQ(
      given("05-edges.md", "zeros", 1000),
      "1000 is too large. The question asks for the number of cells of As filled with zeros.");
  EXPECT_EQ(given("05-edges.md", "who-stores", 1000),
            "1000 is too large. The question asks for the number of active lanes of one warp.");
  EXPECT_EQ(asked("answer = \"value(acc, b0, t0)\"\n", "number", number_value(-99999)),
            "−99,999 is too small. The question asks for acc of thread (0,0) of block (0,0).");
}

TEST_F(Reveal, YesOrNoHoldsForAnotherLaunch) {
  EXPECT_EQ(given(kLesson3, "lucky-size", yes_no_value(false)),
            "“no” would be correct with BLOCK_SIZE 4.");
}

// Cells, threads, lines.

TEST_F(Reveal, WhoReadsAChosenCell) {
  EXPECT_EQ(given(kLesson1, "first-b", cell_value("B[0][0]")),
            "Thread (0,0) reads B[0][0] in this statement.");
  EXPECT_EQ(given(kLesson1, "first-b", cell_value("B[1][1]")),
            "Thread (1,0) reads B[1][1] in another statement.");
  EXPECT_EQ(given(kLesson1, "first-b", cell_value("A[0][1]")),
            "A[0][1] is read 3 times in this launch, first by thread (0,0).");
}

TEST_F(Reveal, WhereAChosenCellGoes) {
  const char* const file = "04-many-blocks.md";
  EXPECT_EQ(given(file, "next-tile", cell_value("A[2][6]")),
            "At that point, A[2][6] is in As[2][2].");
  EXPECT_EQ(given(file, "next-tile", cell_value("A[5][2]")),
            "A[5][2] is in As[1][2] of block (0,1) at the start of phase 1 (multiply tile 0).");
}

TEST_F(Reveal, WhoStoresAChosenCell) {
  EXPECT_EQ(given("04-many-blocks.md", "which-element", cell_value("C[9][6]")),
            "Thread (2,1) of block (1,2) stores C[9][6].");
}

TEST_F(Reveal, WhatAChosenThreadDid) {
  EXPECT_EQ(given("02-shared.md", "who-brought-it", thread(4)),
            "Thread (1,1) loaded A[1][1] and stored it in As[1][1].");
  EXPECT_EQ(asked("answer = \"thread(1, 1)\"\n", "thread", thread(2)).substr(0, 37),
            "At this moment, thread (2,0) of block");
}

TEST_F(Reveal, WhatAChosenLineDoes) {
  EXPECT_EQ(given(kLesson3, "which-barrier", line_value(28)), "Line 28 reads A and stores to As.");
  EXPECT_EQ(given(kLesson3, "which-barrier", line_value(30)),
            "Line 30 is a barrier: all threads of the block wait there.");
  EXPECT_EQ(given(kLesson3, "which-barrier", line_value(25)),
            "Line 25 is executed, but reads and stores no element.");
  EXPECT_EQ(given(kLesson3, "which-barrier", line_value(2)), "No thread executes line 2.");
}

TEST_F(Reveal, InAnotherLanguage) {
  find_languages(test::source_folder() / "assets" / "words");
  const InLanguage chinese("zh");
  const std::string says = given(kLesson3, "which-barrier", line_value(30));
  EXPECT_EQ(says.find("Line"), std::string::npos) << says;
  EXPECT_NE(says.find("30"), std::string::npos) << says;
}

TEST_F(Reveal, AYesNoQuestionHasOneTry) {
  lesson::Question question;
  question.kind = lesson::QuestionKind::YesNo;
  EXPECT_FALSE(has_second_try(question));
  question.kind = lesson::QuestionKind::Choice;
  question.choices.resize(2);
  EXPECT_FALSE(has_second_try(question));
  question.choices.resize(3);
  EXPECT_TRUE(has_second_try(question));
}

}  // namespace
}  // namespace tilestep::course
