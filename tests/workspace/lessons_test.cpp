// A lesson in the workspace: beats, texts with values, answers, links, the way back, progress.
#include "folders.h"
#include "lesson/variant.h"
#include "lessons_fixture.h"
#include "problem/file.h"
#include "problem/language.h"
#include "temporary_folder.h"
#include "workspace/lesson_controller.h"
#include "workspace/shown_lesson.h"
#include "workspace/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLesson3 = "03-two-barriers";
constexpr int kFirstQuestion = 2;  // "What is Cvalue … after A₁·B₁?"

class Lessons : public test::LessonsFixture {
 protected:
  const ShownLesson& open(int beat = 0) {
    carry_out(state::OpenLesson{kLesson3, beat});
    EXPECT_NE(lesson(), nullptr) << view().messages.refusal;
    return *lesson();
  }
};

TEST_F(Lessons, ABeatShowsItsStateAndKeepsWhatIsTheUsersOwn) {
  carry_out(state::SetTheme{state::Theme::Light});
  carry_out(state::SetScale{1.5F});
  const ShownLesson& shown = open(1);
  EXPECT_EQ(state().kernel, "single_block_ktiles");
  EXPECT_EQ(state().parameters, (problem::Parameters{{3, 3, 9}, 3}));
  EXPECT_GT(state().step, 0U);
  EXPECT_EQ(state().theme, state::Theme::Light);
  EXPECT_EQ(state().scale, 1.5F);
  EXPECT_EQ(state().course.lesson, kLesson3);
  EXPECT_EQ(shown.title, "Load the first pair");
  EXPECT_FALSE(shown.has_wandered);
  EXPECT_TRUE(shown.is_filled);
  EXPECT_NE(shown.text.find("9 threads, 9 cells"), std::string::npos) << shown.text;
  EXPECT_EQ(shown.next, "question");
  EXPECT_NE(shown.next_text.find("Cvalue"), std::string::npos) << shown.next_text;
}

TEST_F(Lessons, EveryBeatIsReachedForwardAndBackAndIsWhereItWas) {
  const std::size_t beats = open().lesson->beats.size();
  std::vector<state::AppState> there;
  for (std::size_t i = 0; i < beats; ++i) {
    ASSERT_EQ(lesson()->beat, i);
    EXPECT_EQ(view().messages.error, "") << i;
    EXPECT_FALSE(lesson()->has_wandered) << i;
    EXPECT_EQ(lesson()->mistake, "") << i;
    there.push_back(state());
    carry_out(state::GoToBeat{static_cast<int>(i) + 1});
  }
  EXPECT_EQ(lesson()->beat, beats - 1) << "beyond the end is the last";
  for (std::size_t i = beats; i-- > 0;) {
    carry_out(state::GoToBeat{static_cast<int>(i)});
    EXPECT_EQ(setup_of(state()), setup_of(there[i])) << i;
    EXPECT_EQ(state().step, there[i].step) << i;
    EXPECT_EQ(state().focus, there[i].focus) << i;
  }
}

TEST_F(Lessons, AQuestionIsJudgedByWhatRuns) {
  const ShownLesson& shown = open(kFirstQuestion);
  ASSERT_NE(shown.question, nullptr);
  ASSERT_TRUE(shown.answer);
  EXPECT_EQ(course::text_of(*shown.answer), "389");
  EXPECT_FALSE(shown.verdict) << "it is asked";
  carry_out(state::GiveAnswer{"206"});
  EXPECT_FALSE(lesson()->verdict) << "it is asked a second time";
  EXPECT_EQ(state().course.answering, state::Answering::Asked);
  EXPECT_TRUE(state().course.hint);
  ASSERT_TRUE(lesson()->missed);
  EXPECT_NE(lesson()->missed->says.find("after all three pairs"), std::string::npos);
  carry_out(state::GiveAnswer{"389"});
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_TRUE(lesson()->verdict->is_right);
  EXPECT_NE(lesson()->right.find("three products, is 389"), std::string::npos) << lesson()->right;
  carry_out(state::AskAgain{});
  carry_out(state::GiveAnswer{"778/2"});
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_TRUE(lesson()->verdict->is_right) << "a fraction";
  carry_out(state::AskAgain{});
  carry_out(state::GiveAnswer{"much"});
  EXPECT_FALSE(lesson()->verdict);
  EXPECT_NE(view().messages.refusal.find("'much' is not a number"), std::string::npos)
      << view().messages.refusal;
  EXPECT_EQ(state().course.answering, state::Answering::Asked) << "it can be given again";
  carry_out(state::ShowAnswer{});
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_EQ(lesson()->verdict->answer_text, "389");
  const Progress kept(paths_.user_state);
  const LessonProgress& progress = kept.of(kLesson3);
  ASSERT_EQ(progress.answers.size(), 1U);
  EXPECT_EQ(progress.answers.begin()->second,
            (LessonProgress::Answer{"206", false, "389", true, true}))
      << "the first two answers count";
}

TEST_F(Lessons, AfterTwoWrongAnswersTheCorrectOneIsShown) {
  open(kFirstQuestion);
  carry_out(state::GiveAnswer{"12"});
  ASSERT_TRUE(lesson()->missed);
  EXPECT_EQ(lesson()->missed->says, "12 is A[1][6].") << "no words of the lesson's";
  carry_out(state::GiveAnswer{"1000"});
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_FALSE(lesson()->verdict->is_right);
  EXPECT_NE(lesson()->verdict->says.find("1000 is too large."), std::string::npos)
      << lesson()->verdict->says;
  EXPECT_EQ(lesson()->verdict->answer_text, "389");
  EXPECT_EQ(state().course.answering, state::Answering::Given);
  const LessonProgress progress = Progress(paths_.user_state).of(kLesson3);
  EXPECT_EQ(progress.answers.begin()->second,
            (LessonProgress::Answer{"12", false, "1000", false, true}));
}

TEST_F(Lessons, YesAndNoHaveNoSecondTry) {
  open();
  const auto& beats = lesson()->lesson->beats;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    if (lesson()->lesson->name_of(beats[i]) == "lucky-size") {
      carry_out(state::GoToBeat{static_cast<int>(i)});
    }
  }
  carry_out(state::GiveAnswer{"no"});
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_FALSE(lesson()->missed);
  EXPECT_THAT(lesson()->verdict->says, ::testing::HasSubstr("B.width equals SubMatrixSize here"));
}

TEST_F(Lessons, AnAnswerThatWasShownIsNotUnderstood) {
  open(kFirstQuestion);
  carry_out(state::ShowAnswer{});
  carry_out(state::AskAgain{});
  carry_out(state::GiveAnswer{"389"});
  const LessonProgress progress = Progress(paths_.user_state).of(kLesson3);
  EXPECT_FALSE(progress.answers.begin()->second.is_understood);
}

TEST_F(Lessons, ASessionOfASecondTryExplainsTheFirst) {
  open(kFirstQuestion);
  carry_out(state::GiveAnswer{"206"});
  state::AppState kept = state();
  carry_out(state::CloseLesson{});
  carry_out(state::OpenLesson{"3", kFirstQuestion});
  kept.course.given.clear();
  workspace_->set_state(std::move(kept), std::nullopt);
  workspace_->settle();
  ASSERT_TRUE(lesson()->missed);
  EXPECT_NE(lesson()->missed->says.find("after all three pairs"), std::string::npos);
}

TEST_F(Lessons, TheRecapSaysWhatWasUnderstoodAndWhatIsNext) {
  open(kFirstQuestion);
  carry_out(state::GiveAnswer{"389"});
  const auto last = static_cast<int>(lesson()->lesson->beats.size()) - 1;
  carry_out(state::GoToBeat{last});
  EXPECT_EQ(lesson()->understood, std::vector<std::string>{"the sum of one pair of sub-matrices"});
  EXPECT_TRUE(lesson()->again.empty());
  EXPECT_EQ(lesson()->next_lesson, "04-many-blocks");
}

TEST_F(Lessons, ALineAndYesOrNoAreJudged) {
  const auto& beats = open().lesson->beats;
  const lesson::Lesson& of = *lesson()->lesson;
  int judged = 0;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    if (beats[i].kind != lesson::BeatKind::Question) {
      continue;
    }
    carry_out(state::GoToBeat{static_cast<int>(i)});
    ASSERT_TRUE(lesson()->answer) << lesson()->mistake;
    carry_out(state::GiveAnswer{course::plain_text_of(*lesson()->answer)});
    ASSERT_TRUE(lesson()->verdict) << of.name_of(beats[i]) << view().messages.refusal;
    EXPECT_TRUE(lesson()->verdict->is_right) << of.name_of(beats[i]);
    ++judged;
  }
  EXPECT_EQ(judged, 5);
}

TEST_F(Lessons, WhoWandersIsToldAndReturns) {
  open(1);
  const state::AppState home = state();
  for (const state::Command& away : {state::Command{state::Step{state::Unit::Statement, +1}},
                                     {state::FocusThread{0, 5}},
                                     {state::SetParameters{{{4, 4, 8}, 2}}},
                                     {state::SelectKernel{"naive"}},
                                     {state::SetTab{state::Tab::Timing}}}) {
    carry_out(away);
    EXPECT_TRUE(lesson()->has_wandered);
    carry_out(state::ReturnToBeat{});
    EXPECT_FALSE(lesson()->has_wandered);
    EXPECT_EQ(setup_of(state()), setup_of(home));
    EXPECT_EQ(state().step, home.step);
    EXPECT_EQ(state().tab, home.tab);
  }
  carry_out(state::SetScale{2.0F});
  EXPECT_FALSE(lesson()->has_wandered) << "how large it is shown is one's own";
}

TEST_F(Lessons, ALinkChangesTheBeatsState) {
  open(1);
  carry_out(state::FollowLink{"#cell=As[0][2]"});
  EXPECT_EQ(state().focus.cell_of, "As");
  EXPECT_EQ(state().focus.cell_col, 2);
  EXPECT_TRUE(lesson()->has_wandered);
  carry_out(state::FollowLink{"#kernel=naive&block_size=2"});
  EXPECT_EQ(state().kernel, "naive");
  EXPECT_EQ(state().focus.cell_of, "") << "of the beat, not of the link before";
  carry_out(state::FollowLink{"#no_such_key=1"});
  EXPECT_EQ(state().kernel, "naive");
  EXPECT_NE(view().messages.refusal, "");
}

TEST_F(Lessons, ABrokenFileIsNamedWithItsLineAndWhatWasOpenStays) {
  open(1);
  const state::AppState before = state();
  const fs::path broken = folder_.path() / "broken.md";
  ASSERT_TRUE(problem::write_file(broken, "# L\n\n```scene\nname = \"a\"\nkernle = \"x\"\n```\n"));
  for (const state::Command& command :
       {state::Command{state::OpenLesson{broken.string()}}, {state::OpenFile{broken.string()}}}) {
    carry_out(command);
    EXPECT_NE(view().messages.refusal.find("broken.md:5"), std::string::npos)
        << view().messages.refusal;
    EXPECT_EQ(state(), before);
    ASSERT_NE(lesson(), nullptr);
    EXPECT_EQ(lesson()->title, "Load the first pair");
  }
  carry_out(state::OpenLesson{"99"});
  EXPECT_NE(view().messages.refusal.find("no lesson '99'"), std::string::npos)
      << view().messages.refusal;
  EXPECT_EQ(state(), before);
}

TEST_F(Lessons, TheListKnowsTheUsersOwnAndHowFarOneIs) {
  fs::create_directories(paths_.user_data / "lessons");
  ASSERT_TRUE(problem::write_file(paths_.user_data / "lessons/mine.md",
                                  "# Mine\n\n```lesson\nid = \"mine\"\n```\n\n## One\n\n"
                                  "```scene\nname = \"one\"\n```\nWords.\n"));
  ASSERT_TRUE(problem::write_file(paths_.user_data / "lessons/torn.md", "# Torn\n\n```scene\n"));
  open(1);
  carry_out(state::ShowLessons{});
  ASSERT_NE(view().lessons, nullptr);
  const auto& all = *view().lessons;
  const auto named = [&all](const std::string& name) {
    return std::ranges::find(all, name, &LessonEntry::lesson);
  };
  ASSERT_NE(named(kLesson3), all.end());
  EXPECT_EQ(named(kLesson3)->seen, 1U);
  EXPECT_EQ(named(kLesson3)->at, 1U);
  EXPECT_NE(named(kLesson3)->goal, "");
  EXPECT_GT(named(kLesson3)->minutes, 0.0);
  ASSERT_NE(named("mine"), all.end());
  EXPECT_EQ(named("mine")->beats, 1U);
  EXPECT_EQ(all.back().title, "torn");
  EXPECT_NE(all.back().mistake, "");
  EXPECT_EQ(all.front().lesson, "opening") << "the film comes first";
  EXPECT_TRUE(all.front().is_film);
}

TEST_F(Lessons, ANewStartGoesOnWhereOneWas) {
  open(4);
  carry_out(state::Step{state::Unit::Statement, +1});
  const state::AppState left = state();
  start();
  workspace_->set_state(left);
  workspace_->settle();
  ASSERT_NE(lesson(), nullptr);
  EXPECT_EQ(lesson()->beat, 4U);
  EXPECT_EQ(state().step, left.step) << "the stage stays";
  EXPECT_TRUE(lesson()->has_wandered);
  carry_out(state::ReturnToBeat{});
  EXPECT_FALSE(lesson()->has_wandered);
  carry_out(state::CloseLesson{});
  EXPECT_EQ(lesson(), nullptr);
}

TEST_F(Lessons, TheTimeOfAQuestionIsKept_WithoutLongPauses) {
  open(kFirstQuestion);
  const std::string question = lesson()->question->name;
  workspace_->update({}, 10.0);
  workspace_->update({}, 25.5);
  workspace_->update({state::GiveAnswer{"389"}}, 30.0);
  workspace_->settle();
  ASSERT_TRUE(lesson()->verdict);
  EXPECT_EQ(Progress(paths_.user_state).of(kLesson3).seconds.at(question), 30.0);
  workspace_->update({}, 60.0);
  carry_out(state::GoToBeat{state().course.beat + 1});
  EXPECT_EQ(Progress(paths_.user_state).of(kLesson3).seconds.at(question), 30.0) << "it is over";
  const std::string scene = lesson()->lesson->name_of(lesson()->lesson->beats[lesson()->beat]);
  workspace_->update({}, 9999.0);
  workspace_->update({state::GoToBeat{state().course.beat + 1}}, 9999.0);
  workspace_->settle();
  EXPECT_EQ(Progress(paths_.user_state).of(kLesson3).seconds.at(scene), kLongestPause);
}

TEST_F(Lessons, ProgressIsHandedInUnderAName) {
  open(kFirstQuestion);
  carry_out(state::GiveAnswer{"389"});
  Progress progress(paths_.user_state);
  EXPECT_EQ(progress.student(), "");
  const HandedIn mine = progress.hand_in("Ann Example");
  const auto read = read_handed_in(text_of(mine), "ann.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->student, "Ann Example");
  EXPECT_EQ(read->lessons, mine.lessons);
  EXPECT_EQ(read->lessons.at(kLesson3).answers.size(), 1U);
  EXPECT_EQ(Progress(paths_.user_state).student(), "Ann Example") << "known the next time";
  EXPECT_EQ(Progress(paths_.user_state).of(kLesson3), mine.lessons.at(kLesson3));
}

TEST_F(Lessons, WhatSomebodyHasEditedOrAnotherFileIsNotTaken) {
  open(kFirstQuestion);
  carry_out(state::GiveAnswer{"206"});
  const std::string text = text_of(Progress(paths_.user_state).hand_in("Ann"));
  const auto message = [](const std::string& one) {
    const auto read = read_handed_in(one, "x.json");
    return read ? std::string() : read.error().message;
  };
  const auto with = [&text](const std::string& before, const std::string& after) {
    std::string other = text;
    const std::size_t at = other.find(before);
    EXPECT_NE(at, std::string::npos) << text;
    return other.replace(at, before.size(), after);
  };
  EXPECT_EQ(message(text), "");
  EXPECT_NE(message(with("\"206\"", "\"389\"")).find("was changed after"), std::string::npos);
  EXPECT_NE(message(with("\"Ann\"", "\"Bob\"")).find("was changed after"), std::string::npos);
  EXPECT_NE(message(with("\"version\": 1", "\"version\": 2")).find("Update Tilestep"),
            std::string::npos);
  EXPECT_NE(message("{}").find("is not a progress that was handed in"), std::string::npos);
  EXPECT_NE(message("[1").find("is not a progress that was handed in"), std::string::npos);
}

TEST_F(Lessons, AnOlderProgressWithoutTimesAndNameIsRead) {
  fs::create_directories(paths_.user_state);
  ASSERT_TRUE(problem::write_file(
      paths_.user_state / "progress.json",
      R"({"format": 1, "lessons": {"old": {"version": "v", "at": "b", "beats": ["b"], "labs": {},
          "answers": {"q": {"given": "1", "right": true}}}}})"));
  const Progress progress(paths_.user_state);
  EXPECT_EQ(progress.mistake(), "");
  EXPECT_TRUE(progress.of("old").answers.at("q").is_understood);
  EXPECT_TRUE(progress.of("old").seconds.empty());
  EXPECT_EQ(progress.student(), "");
}

TEST_F(Lessons, PracticeAsksOfTheRunOnStage_AndGoesOnWithoutEnd) {
  carry_out(state::SelectKernel{"tiled"});
  carry_out(state::OpenLesson{"practice"});
  ASSERT_NE(lesson(), nullptr) << view().messages.refusal;
  ASSERT_NE(lesson()->question, nullptr);
  EXPECT_EQ(state().kernel, "tiled");
  EXPECT_EQ(lesson()->mistake, "");
  const auto beats = static_cast<int>(lesson()->lesson->beats.size());
  carry_out(state::GiveAnswer{course::plain_text_of(*lesson()->answer)});
  ASSERT_TRUE(lesson()->verdict) << view().messages.refusal;
  EXPECT_TRUE(lesson()->verdict->is_right);
  carry_out(state::GoToBeat{beats - 1});
  EXPECT_NE(lesson()->next, "");
  const std::string last = lesson()->ask;
  carry_out(state::GoToBeat{beats});
  EXPECT_EQ(lesson()->beat, 0U);
  EXPECT_NE(lesson()->ask, last);
  EXPECT_TRUE(Progress(paths_.user_state).of("practice").beats.empty()) << "it is no course";
}

TEST_F(Lessons, PracticeDoesNotBeginWithTheQuestionAskedLast) {
  carry_out(state::SelectKernel{"tiled"});
  const auto catalog = std::make_shared<const problem::Catalog>(*view().kernels.catalog);
  const auto first = make_practice(state(), 7, "", catalog, compiler_);
  ASSERT_TRUE(first) << first.error().message;
  const std::string ask = first->questions.front().ask.in();
  const auto next = make_practice(state(), 7, ask, catalog, compiler_);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_NE(next->questions.front().ask.in(), ask);
  EXPECT_EQ(next->questions.size(), first->questions.size());
}

TEST(ProgressFile, AnUnreadableOneIsPutAside) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(problem::write_file(folder.path() / "progress.json", "{\"format\": 1, \"less"));
  Progress progress(folder.path());
  EXPECT_NE(progress.mistake(), "");
  EXPECT_TRUE(fs::exists(folder.path() / "progress.unread.json"));
  EXPECT_TRUE(progress.see_beat("a", "1", "one"));
  EXPECT_TRUE(Progress(folder.path()).of("a").beats.contains("one"));
}

TEST(ProgressFile, TwoWindowsAddToIt) {
  const test::TemporaryFolder folder;
  Progress one(folder.path());
  Progress other(folder.path());
  ASSERT_TRUE(one.see_beat("a", "1", "x"));
  ASSERT_TRUE(other.see_beat("a", "1", "y"));
  ASSERT_TRUE(one.note_answer("b", "1", "q", "3", true));
  const Progress all(folder.path());
  EXPECT_EQ(all.of("a").beats, (std::set<std::string>{"x", "y"}));
  EXPECT_TRUE(all.of("b").answers.at("q").is_right);
}

TEST(ProgressFile, AnOlderOneHasFirstAnswersOnly) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(problem::write_file(
      folder.path() / "progress.json",
      R"({"format": 1, "lessons": {"a": {"version": "1", "at": "q", "beats": ["q"], "labs": {},
          "answers": {"q": {"given": "3", "right": true}, "r": {"given": "4", "right": false}}}}})"));
  Progress progress(folder.path());
  ASSERT_EQ(progress.mistake(), "");
  EXPECT_TRUE(progress.of("a").answers.at("q").is_understood);
  ASSERT_TRUE(progress.note_answer("a", "1", "r", "5", true));
  EXPECT_FALSE(progress.of("a").answers.at("r").is_understood) << "its answer was shown";
}

}  // namespace
}  // namespace tilestep::workspace
