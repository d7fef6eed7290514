// An idle window draws no frames: it may sleep until there is input or a result.
#include "app/harness.h"

#include <gtest/gtest.h>

namespace tilestep::test {
namespace {

constexpr double kLong = 60.0;
constexpr int kSettled = 12;  // frames until the editor has found its line and tables their widths

void press(Harness& harness, ImGuiKeyChord chord) {
  EXPECT_TRUE(harness.run([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); }));
}

// Frames until the window may sleep; gives up after ten seconds.
int frames_to_rest(Harness& harness) {
  int frames = 0;
  while (harness.rest_seconds() < kLong && frames < 600) {
    harness.frame();
    ++frames;
  }
  return frames;
}

TEST(Idle, TheWindowSleepsWhenNothingMoves) {
  Harness harness;
  EXPECT_LT(frames_to_rest(harness), kSettled);
  const std::uint64_t step = harness.state().step;
  for (int i = 0; i < 30; ++i) {
    harness.frame();
    EXPECT_GE(harness.rest_seconds(), kLong) << "frame " << i << " asked for another";
  }
  EXPECT_EQ(harness.state().step, step);
}

TEST(Idle, CellsOnTheirWayKeepItAwakeUntilTheyArrive) {
  Harness harness;
  press(harness, ImGuiKey_F10);  // load tile 0: its last statement is the barrier
  press(harness, ImGuiMod_Shift | ImGuiKey_F11);
  press(harness, ImGuiMod_Shift | ImGuiKey_F11);
  frames_to_rest(harness);
  press(harness, ImGuiKey_F11);  // the store to Bs: its cells move
  EXPECT_EQ(harness.rest_seconds(), 0.0);
  const int frames = frames_to_rest(harness);
  EXPECT_GT(frames, 10);
  EXPECT_LT(frames, 60) << "the movement takes about half a second";
}

TEST(Idle, ASlowFrameIsNotTheLastBeforeThePhaseIsThere) {
  Harness harness;
  frames_to_rest(harness);
  press(harness, ImGuiKey_F10);
  harness.frame();
  EXPECT_EQ(harness.rest_seconds(), 0.0) << "it plays";
  harness.wait(5.0);
  EXPECT_EQ(harness.rest_seconds(), 0.0) << "its end is not drawn yet";
  harness.frame();
  EXPECT_LT(frames_to_rest(harness), kSettled);
}

TEST(Idle, WithoutAnimationAStepIsOneFrame) {
  Harness harness;
  press(harness, ImGuiMod_Ctrl | ImGuiKey_M);
  press(harness, ImGuiKey_F10);
  EXPECT_LT(frames_to_rest(harness), kSettled);
}

TEST(Idle, PlayingKeepsItAwakeAndTheEndOfTheRunLetsItSleep) {
  Harness harness;
  press(harness, ImGuiKey_End);
  press(harness, ImGuiMod_Shift | ImGuiKey_F11);
  press(harness, ImGuiKey_Space);
  EXPECT_EQ(harness.rest_seconds(), 0.0);
  EXPECT_LT(frames_to_rest(harness), 120);
  EXPECT_FALSE(harness.state().playing);
}

}  // namespace
}  // namespace tilestep::test
