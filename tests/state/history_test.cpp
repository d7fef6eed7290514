// Undo, redo, back and forward: by equality of states over random sequences of commands.
#include "state/history.h"

#include "state/apply.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tilestep::state {
namespace {

class Player {
 public:
  explicit Player(unsigned seed) : random_(seed) {}

  AppState state;
  History history;

  void run(const Command& command, double pause = 1.0) {
    now_ += pause;
    const AppState before = state;
    state = apply(state, command, {});
    history.note(before, state, command, now_);
  }
  // A command that is remembered as a change, or any.
  Command change() {
    switch (upto(17)) {
      case 0:
        return SelectKernel{upto(2) == 0 ? "naive" : "k" + std::to_string(upto(9))};
      case 1:
        return SetParameters{{{upto(40) + 1, upto(40) + 1, upto(40) + 1}, upto(8) + 1}};
      case 2:
        return SetWarpSize{1 << upto(5)};
      case 3:
        return EditSource{std::string(static_cast<std::size_t>(upto(9)), 'x')};
      case 4:
        return ToggleBreakpoint{upto(30)};
      case 5:
        return SetCondition{upto(30), "tx == 1"};
      case 6:
        return SetWatch{"acc + " + std::to_string(upto(9))};
      case 7:
        return SetTheme{upto(1) == 0 ? Theme::Dark : Theme::Light};
      case 8:
        return SetScale{0.6F + 0.1F * static_cast<float>(upto(20))};
      case 9:
        return SetNumberForm{upto(1) == 0 ? NumberForm::Hex : NumberForm::Exact};
      case 10:
        return SetInput{
            problem::input_of(upto(1) == 0 ? problem::Pattern::Ramp : problem::Pattern::Identity)};
      case 11:
        return SetSchedule{{simt::ScheduleKind::RunAhead, static_cast<std::uint32_t>(upto(3)), 0}};
      case 12:
        return LockSizes{upto(1) == 0};
      case 13:
        return compare_with("k" + std::to_string(upto(3)));
      case 14:
        return SwapSides{};
      case 15:
        return SetBuild{upto(1) == 0 ? problem::Build::Step : problem::Build::Fast};
      case 16:
        return SetLanguage{upto(1) == 0 ? "en" : "zh"};
      default:
        return SetAnimate{upto(1) == 0};
    }
  }
  Command any() {
    switch (upto(12)) {
      case 9:
        return lesson();
      case 10:
        return ShowInspector{upto(1) == 0};
      case 11:
        return ShowLecture{upto(1) == 0};
      case 12:
        return ShowHeader{upto(1) == 0};
      case 0:
        return SeekStep{static_cast<std::uint64_t>(upto(500))};
      case 1:
        return FocusThread{0, static_cast<std::uint32_t>(upto(15))};
      case 2:
        return FocusSum{upto(3)};
      case 3:
        return SetCamera{{static_cast<float>(upto(3)), 1.0F, 2.0F}};
      case 4:
        return ShowKeys{upto(1) == 0};
      case 5:
        return SetTab{upto(1) == 0 ? Tab::Step : Tab::Timing};
      default:
        return change();
    }
  }
  // Commands of a lesson; the states of its beats are made by the workspace.
  Command lesson() {
    switch (upto(6)) {
      case 0:
        return OpenLesson{"0" + std::to_string(upto(3)), upto(9)};
      case 1:
        return GoToBeat{upto(20) - 5};
      case 2:
        return ChooseAnswer{std::to_string(upto(9))};
      case 3:
        return GiveAnswer{std::to_string(upto(9))};
      case 4:
        return ShowAnswer{};
      case 5:
        return AskAgain{};
      case 6:
        return ShowHint{};
      default:
        return ShowNotes{upto(1) == 0};
    }
  }
  Command compare_with(const std::string& kernel) {
    Compare compare{state.comparison};
    compare.comparison.on = upto(2) > 0;
    compare.comparison.second.kernel = kernel;
    compare.comparison.second.build = problem::Build::Fast;
    return compare;
  }
  int upto(int most) { return std::uniform_int_distribution(0, most)(random_); }

 private:
  std::mt19937 random_;
  double now_ = 0.0;
};

constexpr int kRows = 50;
constexpr int kCommands = 200;  // 10,000 in total

TEST(History, UndoingEveryChangeLeadsBackToTheBeginning) {
  for (unsigned seed = 0; seed < kRows; ++seed) {
    Player player(seed);
    const AppState first = player.state;
    for (int i = 0; i < kCommands; ++i) {
      player.run(player.change());
    }
    const AppState last = player.state;
    while (const auto undone = player.history.undo(player.state)) {
      player.state = *undone;
    }
    EXPECT_EQ(player.state, first) << seed;
    while (const auto redone = player.history.redo(player.state)) {
      player.state = *redone;
    }
    EXPECT_EQ(player.state, last) << seed;
  }
}

TEST(History, WhatIsUndoneAndDoneAgainIsAsItWas) {
  for (unsigned seed = 0; seed < kRows; ++seed) {
    Player player(seed);
    for (int i = 0; i < kCommands; ++i) {
      player.run(player.any());
      const AppState here = player.state;
      if (const auto undone = player.history.undo(player.state)) {
        player.state = *player.history.redo(*undone);
        ASSERT_EQ(player.state, here) << seed << ", command " << i;
      }
      if (const auto back = player.history.back(player.state)) {
        player.state = *player.history.forward(*back);
        ASSERT_EQ(player.state, here) << seed << ", command " << i;
      }
    }
  }
}

TEST(History, UndoingAThemeMovesNobody) {
  Player player(0);
  player.run(SetTheme{Theme::Light});
  player.run(SeekStep{40});
  player.state = *player.history.undo(player.state);
  EXPECT_EQ(player.state.theme, Theme::Dark);
  EXPECT_EQ(player.state.step, 40U);
}

TEST(History, UndoingAKernelLeadsToItsPlace) {
  Player player(0);
  player.run(SeekStep{40});
  player.run(SelectKernel{"naive"});
  EXPECT_FALSE(player.history.back(player.state)) << "places of another run";
  player.run(SeekStep{7});
  player.state = *player.history.undo(player.state);
  EXPECT_EQ(player.state.kernel, "tiled");
  EXPECT_EQ(player.state.step, 40U);
}

TEST(History, OneDragOfASliderIsOneChange) {
  Player player(0);
  for (int block = 5; block <= 16; ++block) {
    player.run(SetParameters{{{8, 8, 8}, block}}, 0.05);
  }
  player.run(SetParameters{{{8, 8, 8}, 20}}, 2.0);
  player.state = *player.history.undo(player.state);
  EXPECT_EQ(player.state.parameters.block_size, 16);
  player.state = *player.history.undo(player.state);
  EXPECT_EQ(player.state.parameters.block_size, 4);
  EXPECT_FALSE(player.history.undo(player.state));
}

TEST(History, BackGoesToThePlaceBefore) {
  Player player(0);
  player.run(SeekStep{40});
  player.run(FocusThread{1, 6});
  player.run(SetTheme{Theme::Light});
  player.state = *player.history.back(player.state);
  EXPECT_EQ(player.state.focus.thread, 0U);
  EXPECT_EQ(player.state.step, 40U);
  EXPECT_EQ(player.state.theme, Theme::Light);
  player.state = *player.history.back(player.state);
  EXPECT_EQ(player.state.step, 0U);
  player.run(SeekStep{5});
  EXPECT_FALSE(player.history.forward(player.state)) << "another way was taken";
}

TEST(History, HowItIsLookedAtIsAPlace_AndNoChange) {
  Player player(0);
  player.run(SetTheme{Theme::Light});
  for (const Command& view :
       {Command(ShowLecture{true}), Command(SetInspector{InspectorPage::Warp}),
        Command(SetSourcePage{SourcePage::Ptx}), Command(ShowWhole{true}),
        Command(ShowHeader{true}), Command(ShowMemory{true}), Command(SetTab{Tab::Timing})}) {
    EXPECT_EQ(remembered(view), Remembered::Place);
    player.run(view);
  }
  EXPECT_EQ(player.history.go(Undo{}, player.state)->sentence, "Undone: colors.");
  player.state = *player.history.back(player.state);
  EXPECT_EQ(player.state.tab, Tab::Step);
  EXPECT_TRUE(player.state.show_memory);
}

TEST(History, NamesWhatItTakesBack) {
  Player player(0);
  const auto said = [&player](const Command& command) {
    auto step = player.history.go(command, player.state);
    if (step->state) {
      player.state = *step->state;
    }
    return step->sentence;
  };
  EXPECT_EQ(said(Undo{}), "Nothing to undo.");
  player.run(SelectKernel{"naive"});
  player.run(SetParameters{{{9, 9, 9}, 3}});
  player.run(SetTheme{Theme::Light});
  Comparison both = player.state.comparison;
  both.on = true;
  player.run(Compare{both});
  both.on = false;
  player.run(Compare{both});
  EXPECT_EQ(said(Undo{}), "Undone: closing the second run (press = to close it again).");
  EXPECT_TRUE(player.state.comparison.on);
  EXPECT_EQ(said(Redo{}), "Redone: closing the second run.");
  EXPECT_EQ(said(Undo{}), "Undone: closing the second run (press = to close it again).");
  EXPECT_EQ(said(Undo{}), "Undone: opening the second run.");
  EXPECT_EQ(said(Redo{}), "Redone: opening the second run.");
  EXPECT_EQ(said(Undo{}), "Undone: opening the second run.");
  EXPECT_EQ(said(Undo{}), "Undone: colors.");
  EXPECT_EQ(said(Undo{}), "Undone: sizes 9,9,9/3 → 8,8,8/4.");
  EXPECT_EQ(said(Redo{}), "Redone: sizes 8,8,8/4 → 9,9,9/3.");
  EXPECT_EQ(said(Undo{}), "Undone: sizes 9,9,9/3 → 8,8,8/4.");
  EXPECT_EQ(said(Undo{}), "Undone: kernel naive → tiled.");
  player.run(SeekStep{40});
  EXPECT_EQ(said(GoBack{}), "") << "a place is seen";
}

TEST(History, AStrokeThatEndsWhereItBeganIsNoChange) {
  Player player(0);
  player.run(SelectKernel{"naive"});
  player.run(SetTheme{Theme::Light});
  player.run(SetTheme{Theme::Dark}, 0.1);
  EXPECT_EQ(player.history.go(Undo{}, player.state)->sentence, "Undone: kernel naive → tiled.");
}

// Every undo has a message.
TEST(History, HasASentenceForEveryChange) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Player player(seed);
    for (int i = 0; i < 30; ++i) {
      player.run(player.change());
    }
    while (auto step = player.history.go(Undo{}, player.state)) {
      if (!step->state) {
        break;
      }
      EXPECT_TRUE(step->sentence.starts_with("Undone: ") || *step->state == player.state)
          << seed << ": " << step->sentence;
      player.state = *step->state;
    }
  }
}

TEST(History, IsNoLongerThanItMayBe) {
  Player player(0);
  for (int i = 0; i < 1000; ++i) {
    player.run(ToggleBreakpoint{i + 1});
  }
  std::size_t undone = 0;
  while (const auto state = player.history.undo(player.state)) {
    player.state = *state;
    ++undone;
  }
  EXPECT_EQ(undone, History::kMost);
  EXPECT_EQ(player.state.breakpoints.size(), 1000U - History::kMost);
}

}  // namespace
}  // namespace tilestep::state
