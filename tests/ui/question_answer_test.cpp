#include "stage_scene.h"
#include "ui/lesson/question.h"

#include <gtest/gtest.h>

#include <string>

namespace tilestep::ui {
namespace {

using test::StageScene;

TEST(QuestionAnswer, ANumberIsTyped) {
  std::string given;
  for (const char key : std::string("1-2.5.b0")) {
    given = typed(given, key);
  }
  EXPECT_EQ(given, "-12.0");
  EXPECT_EQ(typed(given, '-'), "12.0");
  EXPECT_EQ(typed("", 'b'), "");
  EXPECT_EQ(typed("5", '/'), "5/");
  EXPECT_EQ(typed("5/1", '/'), "5/1");
  EXPECT_EQ(typed("", '/'), "");
  EXPECT_EQ(typed(std::string(14, '1'), '1').size(), 14U);
}

TEST(QuestionAnswer, ArrowsWalkCells_AndOnToTheNextArray) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const StageShape& shape = scene.shape();
  EXPECT_EQ(moved_cell(shape, "", 1, 0), "A[0][0]");
  EXPECT_EQ(moved_cell(shape, "A[0][0]", 1, 0), "A[0][1]");
  EXPECT_EQ(moved_cell(shape, "A[0][1]", 0, 1), "A[1][1]");
  EXPECT_EQ(moved_cell(shape, "A[1][7]", 1, 0), "B[1][0]");
  EXPECT_EQ(moved_cell(shape, "B[1][0]", -1, 0), "A[1][7]");
  EXPECT_EQ(moved_cell(shape, "A[0][3]", 0, -1), "A[0][3]");
  EXPECT_EQ(moved_cell(shape, "", 1, 0, "Which element of B does it read?"), "B[0][0]");
  EXPECT_EQ(moved_cell(shape, "", 1, 0, "A or B?"), "A[0][0]");
  const auto back = moved_cell(shape, "A[0][0]", -1, 0);
  EXPECT_TRUE(find_element(shape, back)) << back;
}

// The element of A that As[1][2] will hold after the next load: A[1][6], and its arrow ends there.
TEST(QuestionAnswer, AnElementOfABufferLandsWhereTheNextPhaseCopiesIt) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_end_of_phase(1);
  const auto landing = landing_of(scene.inputs(), {scene.sheet("A"), 1, 6});
  ASSERT_TRUE(landing);
  EXPECT_EQ(landing->to.sheet, scene.sheet("As"));
  EXPECT_EQ(landing->to.row, 1);
  EXPECT_EQ(landing->to.col, 2);
  EXPECT_FALSE(landing_of(scene.inputs(), {scene.sheet("A"), 5, 6})) << "another block's";
}

TEST(QuestionAnswer, EveryCellIsFoundByItsName) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const StageShape& shape = scene.shape();
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    if (shape.sheets[i].kind == SheetKind::Threads) {
      continue;
    }
    const CellPlace last{shape.sheets[i].rows - 1, shape.sheets[i].cols - 1};
    const CellHit wanted{static_cast<int>(i), last.row, last.col};
    EXPECT_EQ(find_element(shape, element_of(shape.sheets[i], last)), wanted);
  }
  EXPECT_FALSE(find_element(shape, "A[8][0]"));
  EXPECT_FALSE(find_element(shape, "D[0][0]"));
  EXPECT_FALSE(find_element(shape, "A"));
}

TEST(QuestionAnswer, ArrowsWalkThreadsAndLines) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const problem::Launch& launch = scene.recording().program().launch();
  EXPECT_EQ(moved_thread(launch, "", 0, 1), "(0,0)");
  EXPECT_EQ(moved_thread(launch, "(2,1)", 1, 0), "(3,1)");
  EXPECT_EQ(moved_thread(launch, "(3,1)", 1, 0), "(3,1)");
  EXPECT_EQ(moved_thread(launch, "(3,1)", 0, -1), "(3,0)");
  EXPECT_EQ(find_thread(launch, "(2,1)"), 6U);
  EXPECT_FALSE(find_thread(launch, "(4,0)"));
  EXPECT_EQ(moved_line("", 1, 20, 36), "20");
  EXPECT_EQ(moved_line("20", 1, 5, 36), "21");
  EXPECT_EQ(moved_line("36", 1, 5, 36), "36");
}

TEST(QuestionAnswer, IsToBeSeenAtTheLatestPlaceThatItNames) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const record::Recording& recording = scene.recording();
  lesson::Question question;
  const auto step_of = [&](const std::string& text) {
    question.answer.expression = *lesson::parse_expression(text);
    return step_of_answer(question, recording);
  };
  EXPECT_EQ(step_of("value(acc, b0, t0, phase-start:2) - value(acc, b0, t0, phase-start:1)"),
            recording.phases_of(0)[2].first_step);
  EXPECT_EQ(step_of("count(loads)"), std::nullopt);
  const auto who = [&](const std::string& text) {
    state::Focus from;
    from.thread = 3;
    const state::Focus focus = watched_thread(*lesson::parse_expression(text), from);
    return std::pair(focus.block, focus.thread);
  };
  EXPECT_EQ(who("read(B, b1, t2, phase:0)"), std::pair(1U, 2U));
  EXPECT_EQ(who("cell(C[0][0], end)"), std::pair(0U, 3U));
  question.at.place = {lesson::Place::Kind::Statement, 30};
  EXPECT_EQ(step_of("source(As[1][2], statement:4)"), std::nullopt) << "before it is asked";
}

}  // namespace
}  // namespace tilestep::ui
