#include "ui/text.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <string>

namespace tilestep::ui {
namespace {

TEST(LineBreaks, AreBetweenIdeographsAndNotBesideMarks) {
  EXPECT_TRUE(may_break_between(U'线', U'程'));
  EXPECT_TRUE(may_break_between(U'行', U'A')) << "between Chinese and a name";
  EXPECT_FALSE(may_break_between(U'程', U'，')) << "a closing mark stays with its word";
  EXPECT_FALSE(may_break_between(U'（', U'共'));
  EXPECT_FALSE(may_break_between(U'a', U'b'));
}

// Dear ImGui's own font has no ideographs: each is as wide as its substitute.
class Drawn : public testing::Test {
 protected:
  Drawn() : imgui_(ImGui::CreateContext()) {
    ImGui::GetIO().DisplaySize = {800.0F, 600.0F};
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::NewFrame();
  }
  void TearDown() override {
    ImGui::EndFrame();
    ImGui::DestroyContext(imgui_);
  }
  ImGuiContext* imgui_;
};

TEST_F(Drawn, ChineseGoesOnInTheNextLineWhereItDoesNotFit) {
  const float four = ImGui::CalcTextSize("线程线程").x + 0.5F;
  EXPECT_EQ(with_line_breaks("线程等待同步，然后", four), "线程等待\n同步，然\n后");
  EXPECT_EQ(with_line_breaks("线程等待，然后", four), "线程等\n待，然后");
  EXPECT_EQ(with_line_breaks("线程\n等待", four), "线程\n等待");
}

TEST_F(Drawn, EnglishIsLeftAsItIs) {
  EXPECT_EQ(with_line_breaks("a text that is much wider than that", 20.0F),
            "a text that is much wider than that");
}

}  // namespace
}  // namespace tilestep::ui
