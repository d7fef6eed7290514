// The editor used by keys, with the rest of the window around it.
#include "app/harness.h"
#include "ui/actions.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <functional>
#include <string>

namespace tilestep::test {
namespace {

constexpr ImGuiKeyChord kCtrl = ImGuiMod_Ctrl;

class Editing : public ::testing::Test {
 protected:
  Editing() {
    EXPECT_TRUE(run([](ImGuiTestContext& ctx) {
      ctx.KeyPress(kCtrl | ImGuiKey_E);
      ctx.Yield(3);
    }));
  }
  bool run(const std::function<void(ImGuiTestContext&)>& steps) { return harness.run(steps); }
  void press(ImGuiKeyChord chord) {
    EXPECT_TRUE(run([chord](ImGuiTestContext& ctx) {
      ctx.KeyPress(chord);
      ctx.Yield(3);
    }));
  }
  void type(const char* text) {
    EXPECT_TRUE(run([text](ImGuiTestContext& ctx) {
      ctx.KeyChars(text);
      ctx.Yield(3);
    }));
  }
  [[nodiscard]] const std::string& text() const { return harness.state().edited_source; }
  [[nodiscard]] bool has(const std::string& words) const {
    return text().find(words) != std::string::npos;
  }

  Harness harness;
};

TEST_F(Editing, OneUndoTakesBackWhatWasTypedInOneGo) {
  press(kCtrl | ImGuiKey_Home);
  type("// one");
  ASSERT_TRUE(has("// one"));
  harness.wait(5.0);
  press(ImGuiKey_Enter);
  harness.wait(5.0);
  type("// two");
  ASSERT_TRUE(has("// two"));
  press(kCtrl | ImGuiKey_Z);
  EXPECT_FALSE(has("// two") || has("// tw"));
  EXPECT_TRUE(has("// one"));
  press(kCtrl | ImGuiKey_Y);
  EXPECT_TRUE(has("// two"));
}

TEST_F(Editing, ALineIsIndentedAsTheOneBefore) {
  press(kCtrl | ImGuiKey_End);
  type("  a\nb");
  EXPECT_TRUE(has("  a\n  b"));
}

TEST_F(Editing, AllOfItCanBeDeletedAndTypedAnew) {
  press(kCtrl | ImGuiKey_A);
  press(ImGuiKey_Delete);
  EXPECT_EQ(text(), "\n") << "an empty text is not the file's own";
  type("x");
  EXPECT_TRUE(text() == "x" || text() == "x\n") << text();
  press(kCtrl | ImGuiKey_Z);
  harness.wait(5.0);
  press(kCtrl | ImGuiKey_Z);
  EXPECT_TRUE(has("__global__")) << "what was deleted comes back";
}

TEST_F(Editing, KeepsTheKeyboardWhateverIsClicked) {
  EXPECT_TRUE(run([](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({900.0F, 400.0F});  // the stage
    ctx.MouseClick();
    ctx.Yield(4);
    ctx.KeyChars("// kept");
    ctx.Yield(2);
  }));
  EXPECT_TRUE(has("// kept"));
}

TEST_F(Editing, EscapeLeavesAndKeepsTheText) {
  type("// kept\n");
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().editing);
  EXPECT_TRUE(has("// kept"));
}

TEST_F(Editing, CtrlFFindsAndReplaces) {
  press(kCtrl | ImGuiKey_F);
  EXPECT_TRUE(harness.state().show_find);
  type("acc");
  press(ImGuiKey_Enter);
  type("acc");  // the field still has the keyboard
  EXPECT_EQ(text(), "") << "nothing of that went into the kernel";
  EXPECT_TRUE(run([](ImGuiTestContext& ctx) {
    ctx.SetRef("Source###source");
    ctx.ItemInputValue("find bar/##find", "acc");
    ctx.ItemInputValue("find bar/##replace", "sum");
    ctx.ItemClick("find bar/All");
    ctx.Yield(3);
  }));
  EXPECT_TRUE(has("sum += As"));
  EXPECT_FALSE(has("acc +="));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_find);
  EXPECT_TRUE(harness.state().editing) << "the first Escape closes the bar alone";
  press(kCtrl | ImGuiKey_Z);
  EXPECT_FALSE(has("sum += As")) << "one undo takes all of it back";
}

TEST_F(Editing, CtrlSOfACatalogKernelAsksForAName) {
  type("// mine\n");
  press(kCtrl | ImGuiKey_S);
  EXPECT_TRUE(harness.state().show_save_as);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(harness.state().show_save_as);
  EXPECT_TRUE(harness.state().editing);
  EXPECT_TRUE(has("// mine"));
}

TEST_F(Editing, ResetBringsTheFilesTextAndCtrlZYours) {
  type("// mine\n");
  ASSERT_TRUE(has("// mine"));
  harness.workspace().update({state::ResetSource{}}, 50.0);
  EXPECT_EQ(text(), "");
  harness.workspace().update({state::Undo{}}, 60.0);
  EXPECT_TRUE(has("// mine"));
}

// The address sanitizer detects reads beyond the end of a line.
TEST_F(Editing, TheCaretStaysInTheTextThatUndoAndRedoBringBack) {
  press(kCtrl | ImGuiKey_End);
  type("\n// a line that is longer than the one before it");
  for (int i = 0; i < 3; ++i) {
    harness.workspace().update({state::ResetSource{}}, 50.0 + i);
    press(ImGuiKey_End);
    press(kCtrl | ImGuiKey_Z);
    press(ImGuiKey_UpArrow);
    press(ImGuiKey_End);
    press(kCtrl | ImGuiKey_Y);
    press(ImGuiKey_DownArrow);
    press(kCtrl | ImGuiKey_Z);
    press(ImGuiKey_Home);
  }
  EXPECT_TRUE(has("// a line that is longer"));
}

TEST_F(Editing, DifferenceAndPtxStandBesideTheText) {
  type("// mine\n");
  press(kCtrl | ImGuiKey_D);
  EXPECT_EQ(harness.state().source_page, state::SourcePage::Difference);
  press(kCtrl | ImGuiKey_P);
  EXPECT_EQ(harness.state().source_page, state::SourcePage::Ptx);
  press(kCtrl | ImGuiKey_E);
  type("// more\n");
  EXPECT_TRUE(has("// more")) << "the text can be typed beside its PTX";
}

}  // namespace
}  // namespace tilestep::test
