// A key keeps its modifiers, however slow the frames are.
#include "platform/chords.h"

#include "platform/off_screen.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilestep {
namespace {

// As on a display: the events of one poll are spread over frames.
class Chords : public ::testing::Test {
 protected:
  Chords() {
    window.frame(0.0, [] {});
    ImGui::GetIO().ConfigInputTrickleEventQueue = true;
  }
  static void ctrl(bool down) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, down);
  }
  static void key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
  // Draws frames until all events are taken, and notes what each frame sees as pressed.
  void frames() {
    for (int i = 0; i < 12; ++i) {
      window.frame(0.0, [this] {
        with_ctrl += ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_3) ? 1 : 0;
        plain += ImGui::IsKeyChordPressed(ImGuiKey_3) ? 1 : 0;
      });
    }
  }

  platform::Window window{test::off_screen_options(320, 200)};
  int with_ctrl = 0;
  int plain = 0;
};

TEST_F(Chords, AKeyKeepsAModifierThatIsLetGoInTheSameFrame) {
  ctrl(true);
  window.frame(0.0, [] {});
  key(ImGuiKey_3, true);  // the rest arrives while a slow frame is drawn
  ctrl(false);
  key(ImGuiKey_3, false);
  frames();
  EXPECT_EQ(with_ctrl, 1);
  EXPECT_EQ(plain, 0);
}

TEST_F(Chords, KeysWaitForAFieldThatIsAboutToHaveThem) {
  key(ImGuiKey_3, true);
  key(ImGuiKey_3, false);
  ImGui::GetIO().AddInputCharacter('3');
  window.hold_keys(true);
  frames();
  EXPECT_EQ(plain, 0);
  window.hold_keys(false);
  frames();
  EXPECT_EQ(plain, 1);
}

TEST_F(Chords, AKeyDoesNotGetAModifierThatIsPressedAfterIt) {
  key(ImGuiKey_3, true);
  ctrl(true);
  key(ImGuiKey_3, false);
  ctrl(false);
  frames();
  EXPECT_EQ(with_ctrl, 0);
  EXPECT_EQ(plain, 1);
}

TEST_F(Chords, SeveralInOneFrameAllArrive) {
  for (int i = 0; i < 3; ++i) {
    ctrl(true);
    key(ImGuiKey_3, true);
    ctrl(false);
    key(ImGuiKey_3, false);
  }
  key(ImGuiKey_3, true);
  key(ImGuiKey_3, false);
  frames();
  EXPECT_EQ(with_ctrl, 3);
  EXPECT_EQ(plain, 1);
}

// A program that types sends its events in one poll.
TEST_F(Chords, TenPressesOfOneKeyAreTen) {
  for (int i = 0; i < 10; ++i) {
    key(ImGuiKey_3, true);
    key(ImGuiKey_3, false);
  }
  frames();
  frames();
  EXPECT_EQ(plain, 10);
}

TEST_F(Chords, NothingIsLeftBehind) {
  ctrl(true);
  key(ImGuiKey_3, true);
  ctrl(false);
  key(ImGuiKey_3, false);
  frames();
  EXPECT_FALSE(ImGui::IsKeyDown(ImGuiKey_3));
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
  EXPECT_TRUE(ImGui::GetCurrentContext()->InputEventsQueue.empty());
}

}  // namespace
}  // namespace tilestep
