// Labs in the workspace: text that is kept, graded rows on the stage, variants, languages.
#include "folders.h"
#include "lesson/variant.h"
#include "lessons_fixture.h"
#include "problem/file.h"
#include "problem/language.h"
#include "workspace/lesson_controller.h"
#include "workspace/shown_lesson.h"
#include "workspace/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

class Labs : public test::LessonsFixture {
 protected:
  static std::string stored(const std::string& file) {
    return problem::read_file(test::source_folder() / "tests/course/labs/lab4_get" / file).value();
  }
  // The lab of lesson 4, its last beat but the recap.
  void open_lab() {
    carry_out(state::OpenLesson{kLesson4, 0});
    ASSERT_NE(lesson(), nullptr) << view().messages.refusal;
    carry_out(state::GoToBeat{static_cast<int>(lesson()->lesson->beats.size()) - 2});
    ASSERT_NE(lesson()->lab, nullptr);
  }
  static constexpr const char* kLesson4 = "04-many-blocks";
};

TEST_F(Labs, WhatIsWrittenIsKeptWhileItIsWritten) {
  open_lab();
  carry_out(state::EditSource{stored("row2.cu")});
  const Progress kept(paths_.user_state);  // as after a kill
  const auto& labs = kept.of(kLesson4).labs;
  ASSERT_EQ(labs.size(), 1U);
  EXPECT_EQ(labs.begin()->second.text, stored("row2.cu"));
}

TEST_F(Labs, TheFirstRowThatFailsIsOnStage_AndAHintFollowsTheSecondFailure) {
  open_lab();
  EXPECT_FALSE(lesson()->grade);
  EXPECT_GT(lesson()->lab_rows.size(), 2U);
  carry_out(state::EditSource{stored("row2.cu")});
  EXPECT_FALSE(lesson()->has_wandered) << "it is what is done here";
  carry_out(state::GradeLab{});
  ASSERT_TRUE(lesson()->grade);
  EXPECT_FALSE(lesson()->grade->is_passed);
  EXPECT_EQ(lesson()->grade->rows_passed, 1U);
  ASSERT_FALSE(lesson()->grade->causes.empty());
  EXPECT_EQ(lesson()->lab_failures, 1);
  EXPECT_EQ(state().parameters, lesson()->lab->rows[1].state.parameters);
  EXPECT_EQ(state().edited_source, stored("row2.cu"));
  carry_out(state::GradeLab{});
  EXPECT_EQ(lesson()->lab_failures, 2);
  EXPECT_NE(lesson()->grade->hint, "");
  carry_out(state::EditSource{stored("solution.cu")});
  EXPECT_TRUE(lesson()->grade->is_old);
  carry_out(state::GradeLab{});
  ASSERT_TRUE(lesson()->grade);
  EXPECT_TRUE(lesson()->grade->is_passed) << lesson()->grade->causes.front();
  EXPECT_TRUE(lesson()->lab_is_passed);
}

TEST_F(Labs, WhatIsWrittenIsKept_FromBeatToBeatAndFromStartToStart) {
  open_lab();
  carry_out(state::EditSource{stored("row1.cu")});
  carry_out(state::GoToBeat{0});
  EXPECT_EQ(state().edited_source, "");
  open_lab();
  EXPECT_EQ(state().edited_source, stored("row1.cu"));
  carry_out(state::CloseLesson{});
  start();
  open_lab();
  EXPECT_EQ(state().edited_source, stored("row1.cu"));
  carry_out(state::ResetSource{});
  carry_out(state::GoToBeat{0});
  open_lab();
  EXPECT_EQ(state().edited_source, "") << "begun anew";
}

TEST_F(Labs, ATextThatNamesAVariant_HasItsRows) {
  open_lab();
  const lesson::Lab& lab = *lesson()->lab;
  const auto launches = [&] {
    std::vector<std::string> all;
    for (const ShownLabRow& row : lesson()->lab_rows) {
      all.push_back(row.launch);
    }
    return all;
  };
  const std::vector<std::string> of_file = launches();
  std::string seed = "a";
  while (lesson::variant_of(lab, seed).rows[1].line == lab.rows[1].line) {
    seed += 'a';
  }
  const std::string text = "// variant = " + seed + "\n" + stored("row2.cu");
  carry_out(state::EditSource{text});
  EXPECT_NE(launches(), of_file);
  carry_out(state::GradeLab{});
  ASSERT_TRUE(lesson()->grade);
  EXPECT_EQ(state().parameters, lesson::variant_of(lab, seed).rows[1].state.parameters);
  carry_out(state::EditSource{stored("row2.cu")});
  EXPECT_EQ(launches(), of_file);
}

TEST_F(Labs, TheStarterCodeIsInTheLanguageThatIsSpoken_AndNothingOfOnesOwn) {
  find_languages(test::source_folder() / "assets" / "words");
  open_lab();
  EXPECT_EQ(state().edited_source, "");
  ASSERT_TRUE(speak("zh"));
  workspace_->settle();
  EXPECT_NE(state().edited_source.find("// TODO 1：它的一行到下一行"), std::string::npos);
  EXPECT_EQ(lesson()->starter, state().edited_source) << "not shown as changed";
  EXPECT_TRUE(Progress(paths_.user_state).of(kLesson4).labs.at("get-sub-matrix").text.empty());
  carry_out(state::EditSource{stored("row1.cu")});
  carry_out(state::ResetSource{});
  EXPECT_NE(state().edited_source.find("// TODO 1：它的一行到下一行"), std::string::npos);
  carry_out(state::GradeLab{});
  ASSERT_TRUE(lesson()->grade);
  EXPECT_EQ(lesson()->grade->rows_passed, 0U);
  EXPECT_TRUE(speak(kEnglishTag));
  workspace_->settle();
  EXPECT_EQ(state().edited_source, "");
}

}  // namespace
}  // namespace tilestep::workspace
