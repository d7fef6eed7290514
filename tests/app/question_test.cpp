// Questions on the stage: asked, chosen, answered by keys and clicks; and what is hidden meanwhile.
#include "app/asked_lesson.h"
#include "course/answer_mask.h"
#include "platform/image.h"
#include "ui/widgets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;
using state::Answering;

std::string escaped(const std::string& text) {
  return std::regex_replace(text, std::regex(R"([.\[\]()*+?^$|{}\\])"), R"(\$&)");
}

std::vector<std::regex> tellings_of_number(const course::Value& answer, bool is_counted) {
  const std::string number = escaped(course::text_of(answer));
  const std::string plain = escaped(course::plain_text_of(answer));
  const bool is_small = std::abs(answer.number) < 100.0 &&
                        answer.number == std::trunc(answer.number) && answer.number >= 0.0;
  if (!is_small) {
    return {std::regex("(^|[^\\d.,\\[(])(" + number + "|" + plain +
                       ")($|[^\\d.,\\] )]| (?!B shared|products))")};
  }
  std::vector<std::regex> all{std::regex("= " + plain + "($|[^\\d.,])")};
  if (is_counted) {
    all.emplace_back("(^|[^\\d.,])" + plain +
                     " (pass|sector|finding|time|load|wrong|conflict|lane)");
  }
  return all;
}

// Patterns that reveal a number. Small whole numbers also occur as sizes, indices, lines and
// elements of A and B, so these patterns require a value ("= 3"), or the counted thing if the
// question asks for a count. The number of a choice's expression is a code, which reveals nothing.
std::vector<std::regex> tellings(const lesson::Question& question, const course::Value& answer) {
  const std::set<course::Topic> topics = course::topics_of(question.answer.expression);
  const std::string plain = escaped(course::plain_text_of(answer));
  if (question.kind == lesson::QuestionKind::Choice) {
    return {};
  }
  switch (answer.kind) {
    case course::Value::Kind::Number:
      return tellings_of_number(answer, topics.contains(course::Topic::Counts));
    case course::Value::Kind::Thread:
      return {std::regex("thread " + plain + " (stor|load)")};
    case course::Value::Kind::Cell:
      return {std::regex("(^|[^A-Za-z_])" + plain)};
    case course::Value::Kind::YesNo:
      return topics.contains(course::Topic::Findings)
                 ? std::vector{std::regex("(^|[^t] )finding|is correct|is wrong|[Rr]ace")}
                 : std::vector<std::regex>();
    case course::Value::Kind::Line:
      return {std::regex("line " + plain + "($|\\D)")};
    default:
      return {std::regex(plain)};
  }
}

// Elements of A and B are the operands, so they stay.
std::string without_elements(const std::string& text) {
  static const std::regex kElement("[AB]\\[\\d+\\]\\[\\d+\\] = \\S+");
  return std::regex_replace(text, kElement, "");
}

// The first text that reveals the answer; empty: none does. The question itself may name it.
std::string telling_text(Harness& harness, const AskedLesson& asked) {
  std::string source = harness.view().source.text;
  std::vector<std::string> texts = harness.drawn_texts();
  const std::vector<std::string>& said = ui::said_aloud(harness.memory());
  texts.insert(texts.end(), said.begin(), said.end());
  for (const std::string& text : texts) {
    const bool is_given =
        asked.shown().ask.find(text) != std::string::npos || source.find(text) != std::string::npos;
    for (const std::regex& telling : tellings(*asked.shown().question, *asked.shown().answer)) {
      if (!is_given && std::regex_search(without_elements(text), telling)) {
        return text;
      }
    }
  }
  return {};
}

std::vector<std::string> lesson_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(source_folder() / "assets" / "lessons")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".md") && name != "opening.md") {
      files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class MaskedLesson : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, MaskedLesson, testing::ValuesIn(lesson_files()),
                         [](const auto& of) { return "L" + of.param.substr(0, 2); });

TEST_P(MaskedLesson, NoTextTellsTheAnswerWhileItIsAsked) {
  Harness harness(build_tree_paths(), Settle::EveryFrame, {1920, 1080});
  AskedLesson asked(harness, GetParam());
  for (const lesson::Question& question : asked.lesson().questions) {
    for (const auto page : {state::InspectorPage::Thread, state::InspectorPage::Warp,
                            state::InspectorPage::Memory, state::InspectorPage::Findings}) {
      asked.ask(question, [&](state::AppState& state) {
        state.inspector = page;
        state.inspector_open = true;
      });
      EXPECT_EQ(telling_text(harness, asked), "") << question.name << " at its place";
      harness.workspace().update({state::SeekEnd{}}, 0.0);
      harness.frame();
      harness.frame();
      EXPECT_EQ(telling_text(harness, asked), "") << question.name << " at the end";
    }
    asked.ask(question);
    ASSERT_FALSE(harness.drawn_texts().empty());
  }
}

class QuestionKeys : public testing::Test {
 protected:
  QuestionKeys() : harness_(build_tree_paths(), Settle::EveryFrame, {1600, 900}) {}
  [[nodiscard]] const state::LessonView& course() { return harness_.state().course; }
  void press(std::vector<ImGuiKeyChord> keys) {
    EXPECT_TRUE(harness_.run([&](ImGuiTestContext& test) {
      for (const ImGuiKeyChord key : keys) {
        test.KeyPress(key);
      }
    }));
  }
  Harness harness_;
};

TEST_F(QuestionKeys, ANumberIsTyped_GivenByEnter_AndTriedAgain) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one");
  const auto page = harness_.state().inspector;
  press({ImGuiKey_3, ImGuiKey_8, ImGuiKey_7, ImGuiKey_Backspace, ImGuiKey_8});
  EXPECT_EQ(course().given, "388");
  EXPECT_EQ(course().answering, Answering::Asked);
  EXPECT_EQ(harness_.state().inspector, page);  // which uses the digit keys
  EXPECT_FALSE(harness_.state().volume.large);
  press({ImGuiKey_Enter});
  EXPECT_EQ(course().answering, Answering::Given);
  ASSERT_TRUE(asked.shown().verdict);
  EXPECT_FALSE(asked.shown().verdict->is_right);
  press({ImGuiKey_Enter});
  EXPECT_EQ(course().answering, Answering::Asked);
  EXPECT_EQ(course().given, "");
  for (const char digit : course::plain_text_of(*asked.shown().answer)) {
    press({ImGuiKey_0 + (digit - '0')});
  }
  press({ImGuiKey_Enter});
  ASSERT_TRUE(asked.shown().verdict);
  EXPECT_TRUE(asked.shown().verdict->is_right);
}

TEST_F(QuestionKeys, HShowsTheHint_AndNotTheHeaderOfTheSource) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one");
  press({ImGuiKey_H});
  EXPECT_TRUE(course().hint);
  EXPECT_FALSE(harness_.state().header_open);
  EXPECT_NE(harness_.drawn().find("product by product"), std::string::npos) << harness_.drawn();
}

TEST_F(QuestionKeys, AHallSeesNoHint) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one", [](state::AppState& state) { state.lecture = true; });
  press({ImGuiKey_H});
  EXPECT_FALSE(course().hint);
  EXPECT_FALSE(harness_.state().header_open);
  EXPECT_EQ(harness_.drawn().find("product by product"), std::string::npos);
}

TEST_F(QuestionKeys, InALecture_DigitsCountHands_AndEnterReveals) {
  AskedLesson asked(harness_, "08-banks.md");
  asked.ask("worst-size", [](state::AppState& state) { state.lecture = true; });
  press({ImGuiKey_5, ImGuiKey_5, ImGuiKey_2});
  EXPECT_EQ(course().answering, Answering::Asked);
  EXPECT_EQ(course().votes, (std::vector<int>{0, 1, 0, 0, 2}));
  press({ImGuiKey_Backspace});
  EXPECT_EQ(course().votes, (std::vector<int>{0, 0, 0, 0, 2})) << "the latest hand is taken back";
  press({ImGuiKey_Enter});
  EXPECT_EQ(course().answering, Answering::Given) << "the most common answer";
  EXPECT_EQ(course().given, "5");
  EXPECT_NE(harness_.drawn().find("Votes: "), std::string::npos) << harness_.drawn();
}

TEST_F(QuestionKeys, AFractionIsTyped) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one");
  press({ImGuiKey_7, ImGuiKey_7, ImGuiKey_8, ImGuiKey_Slash, ImGuiKey_2});
  EXPECT_EQ(course().given, "778/2");
}

TEST_F(QuestionKeys, AQuestionIsAnsweredOverTheTimingsToo) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one", [](state::AppState& state) { state.tab = state::Tab::Timing; });
  press({ImGuiKey_3, ImGuiKey_8, ImGuiKey_9, ImGuiKey_Enter});
  EXPECT_EQ(course().answering, Answering::Given);
  ASSERT_TRUE(asked.shown().verdict);
  EXPECT_TRUE(asked.shown().verdict->is_right);
}

TEST_F(QuestionKeys, ACellIsChosenByArrows) {
  AskedLesson asked(harness_, "04-many-blocks.md");
  asked.ask("next-tile");
  const std::uint64_t step = harness_.state().step;
  press({ImGuiKey_RightArrow, ImGuiKey_RightArrow, ImGuiKey_DownArrow});
  EXPECT_EQ(course().given, "A[1][1]");
  EXPECT_EQ(harness_.state().step, step);  // arrows step elsewhere
  press({ImGuiKey_Enter});
  ASSERT_TRUE(asked.shown().verdict);
  EXPECT_FALSE(asked.shown().verdict->is_right);
}

TEST_F(QuestionKeys, AThreadAndALineAreChosenByArrows) {
  AskedLesson shared(harness_, "02-shared.md");
  shared.ask("who-brought-it");
  press({ImGuiKey_DownArrow, ImGuiKey_DownArrow});
  EXPECT_EQ(course().given, "(0,1)");
  press({ImGuiKey_Enter});
  ASSERT_TRUE(shared.shown().verdict);
  EXPECT_TRUE(shared.shown().verdict->is_right);
}

TEST_F(QuestionKeys, EscShowsTheAnswerWithoutOne) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("which-barrier");
  press({ImGuiKey_DownArrow, ImGuiKey_DownArrow});
  EXPECT_FALSE(course().given.empty());
  press({ImGuiKey_Escape});
  EXPECT_EQ(course().answering, Answering::Shown);
}

TEST_F(QuestionKeys, YesNoAndChoicesAreOneKey) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("lucky-size");
  press({ImGuiKey_N});
  EXPECT_EQ(course().given, "no");
  EXPECT_EQ(course().answering, Answering::Given);
  asked.ask("lucky-size");
  press({ImGuiKey_1});
  EXPECT_EQ(course().given, "yes");
  AskedLesson banks(harness_, "08-banks.md");
  banks.ask("worst-size");
  press({ImGuiKey_5});
  EXPECT_EQ(course().given, "5");
  ASSERT_TRUE(banks.shown().verdict);
  EXPECT_TRUE(banks.shown().verdict->is_right);
}

TEST_F(QuestionKeys, AboveAPageWithAStage_TheQuestionIsWrittenOnce) {
  AskedLesson asked(harness_, "15-one-sm.md");
  for (const bool lecture : {false, true}) {
    asked.ask("warps-of-scheduler", [lecture](state::AppState& state) {
      state.lecture = lecture;
      state.timing.sm.stage = true;
    });
    const std::string drawn = harness_.drawn();
    const std::string ask = "Four schedulers share them";
    EXPECT_NE(drawn.find("block (0,0)"), std::string::npos) << "no stage: " << drawn;
    EXPECT_NE(drawn.find(ask), std::string::npos) << drawn;
    EXPECT_EQ(drawn.find(ask), drawn.rfind(ask)) << drawn;
  }
}

TEST_F(QuestionKeys, InALecture_EscShowsTheAnswer_AndTheLectureGoesOn) {
  AskedLesson asked(harness_, "04-many-blocks.md");
  asked.ask("how-often", [](state::AppState& state) { state.lecture = true; });
  press({ImGuiKey_2, ImGuiKey_Escape});
  EXPECT_EQ(course().answering, Answering::Shown);
  EXPECT_TRUE(harness_.state().lecture);
}

TEST_F(QuestionKeys, GWatchesItHappen_AndStopsWhereTheAnswerIs) {
  AskedLesson asked(harness_, "03-two-barriers.md");
  asked.ask("after-one");
  press({ImGuiKey_Escape, ImGuiKey_G});
  EXPECT_TRUE(harness_.state().playing);
  for (int i = 0; i < 3000 && harness_.state().playing; ++i) {
    harness_.frame();
  }
  EXPECT_FALSE(harness_.state().playing);
  const auto& recording = *harness_.view().run.scene->recording;
  EXPECT_EQ(harness_.state().step, lesson::resolve({lesson::Place::Kind::Phase, 2}, recording, 0));
}

// Written if TILESTEP_PICTURES names a folder: each kind, asked, chosen, wrong, correct, shown.
TEST_F(QuestionKeys, EveryStateIsDrawn) {
  const char* const folder = std::getenv("TILESTEP_PICTURES");
  struct Picture {
    const char* file;
    const char* question;
    const char* wrong;
  };
  for (const Picture& of : {Picture{"03-two-barriers.md", "after-one", "206"},
                            Picture{"04-many-blocks.md", "next-tile", "A[5][2]"},
                            Picture{"02-shared.md", "who-brought-it", "(2,1)"},
                            Picture{"03-two-barriers.md", "which-barrier", "28"},
                            Picture{"03-two-barriers.md", "lucky-size", "no"},
                            Picture{"08-banks.md", "worst-size", "1"}}) {
    AskedLesson asked(harness_, of.file);
    platform::Image before;
    const bool has_cursor = of.wrong != std::string("no") && of.wrong != std::string("1");
    for (const char* const is : {"asked", "chosen", "wrong", "right", "shown"}) {
      if (std::string(is) == "chosen" && !has_cursor) {
        continue;  // one key gives the answer
      }
      asked.ask(of.question, [&](state::AppState& state) {
        const std::string name = is;
        state.course.answering = name == "asked" || name == "chosen" ? Answering::Asked
                                 : name == "shown"                   ? Answering::Shown
                                                                     : Answering::Given;
        const bool is_choice = std::string(of.question) == "worst-size";
        state.course.given = name == "right"
                                 ? (is_choice ? "5" : course::plain_text_of(*asked.shown().answer))
                             : name == "asked" || name == "shown" ? ""
                                                                  : of.wrong;
      });
      const platform::Image image = harness_.window().read_pixels();
      EXPECT_TRUE(before.width == 0 || different_pixels(before, image) > 100) << of.question << is;
      before = image;
      if (folder != nullptr) {
        platform::write_png(image,
                            fs::path(folder) / (std::string(of.question) + "-" + is + ".png"));
      }
    }
  }
}

}  // namespace
}  // namespace tilestep::test
