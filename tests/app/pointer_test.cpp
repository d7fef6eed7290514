// The pointer on the stage: shows a cell's tooltip, but none while keys step.
#include "app/harness.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

namespace tilestep::test {
namespace {

bool tooltip_is_shown() {
  const ImGuiWindow* window = ImGui::FindWindowByName("##Tooltip_00");
  return window != nullptr && window->Active && !window->Hidden;
}

class Pointer : public ::testing::Test {
 protected:
  void move(ImVec2 to) {
    EXPECT_TRUE(harness.run([to](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(to);
      ctx.Yield(2);
    }));
  }
  // A point on the stage with a tooltip.
  ImVec2 cell() {
    const ImGuiWindow* stage = ImGui::FindWindowByName("Stage###stage");
    for (float y = 0.2F; y < 0.8F; y += 0.1F) {
      for (float x = 0.1F; x < 0.9F; x += 0.1F) {
        const ImVec2 at(stage->Pos.x + x * stage->Size.x, stage->Pos.y + y * stage->Size.y);
        move(at);
        if (tooltip_is_shown()) {
          return at;
        }
      }
    }
    ADD_FAILURE() << "no cell of the stage tells anything";
    return {};
  }

  Harness harness;
};

TEST_F(Pointer, TellsAboutACellAndKeepsQuietWhileKeysStep) {
  const ImVec2 at = cell();
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_F10); }));
  for (int i = 0; i < 3; ++i) {
    harness.frame();
    EXPECT_FALSE(tooltip_is_shown()) << "the tooltip hides what the step did";
  }
  move({at.x + 5.0F, at.y});
  EXPECT_TRUE(tooltip_is_shown());
}

// The same over a button of the top bar: after a key press the pointer's tooltip is hidden.
TEST_F(Pointer, AButtonsTooltipGoesWhenAKeyIsPressedAndComesBackWithTheMouse) {
  const auto point_at = [this](float aside) {
    EXPECT_TRUE(harness.run([aside](ImGuiTestContext& ctx) {
      ctx.MouseMove("//###top/**/Timing");
      ctx.MouseMoveToPos({ImGui::GetMousePos().x + aside, ImGui::GetMousePos().y});
      ctx.Yield(60);
    }));
  };
  point_at(0.0F);
  ASSERT_TRUE(tooltip_is_shown());
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_F11); }));
  for (int i = 0; i < 60; ++i) {
    harness.frame();
    EXPECT_FALSE(tooltip_is_shown()) << i;
  }
  point_at(3.0F);
  EXPECT_TRUE(tooltip_is_shown());
}

// The axis below the marks takes a press on one of them.
TEST_F(Pointer, AClickOnAMarkOfTheTimelineGoesThere) {
  const ImGuiWindow* timeline = ImGui::FindWindowByName("Timeline###timeline");
  ASSERT_NE(timeline, nullptr);
  const float y = timeline->Pos.y + 1.2F * ImGui::GetStyle().FontSizeBase;
  std::uint64_t before = harness.state().step;
  int marks = 0;
  for (float x = timeline->Pos.x + 120.0F; x < timeline->Pos.x + timeline->Size.x; x += 6.0F) {
    move({x, y});
    if (!tooltip_is_shown()) {
      continue;
    }
    ++marks;
    EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) { ctx.MouseClick(ImGuiMouseButton_Left); }));
    EXPECT_NE(harness.state().step, before) << "at " << x;
    before = harness.state().step;
    x += 40.0F;  // to the next one
  }
  EXPECT_GT(marks, 3);
}

// Also if the PTX is scrolled far down, to the next instruction.
TEST_F(Pointer, ExplainsTheOpcodesOfThePtx) {
  harness.workspace().update({state::SetSourcePage{state::SourcePage::Ptx}}, 0.0);
  EXPECT_TRUE(harness.run([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiKey_End);
    ctx.Yield(30);
  }));
  const auto& windows = ImGui::GetCurrentContext()->Windows;
  const auto* const found = std::ranges::find_if(windows, [](const ImGuiWindow* window) {
    return std::string(window->Name).find("made text") != std::string::npos;
  });
  ASSERT_NE(found, windows.end());
  const ImGuiWindow& made = **found;
  int tooltips = 0;
  for (float y = 0.1F; y < 0.95F; y += 0.04F) {
    for (float x = 0.1F; x < 0.5F; x += 0.04F) {
      move({made.Pos.x + x * made.Size.x, made.Pos.y + y * made.Size.y});
      tooltips += tooltip_is_shown() ? 1 : 0;
    }
  }
  EXPECT_GT(tooltips, 5);
}

TEST_F(Pointer, EscapeClosesAMenu) {
  const auto is_open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); };
  bool opened = false;
  bool closed = false;
  EXPECT_TRUE(harness.run([&](ImGuiTestContext& ctx) {
    ctx.ItemClick("//###timeline/**/events");
    opened = is_open();
    ctx.KeyPress(ImGuiKey_Escape);
    closed = !is_open();
  }));
  EXPECT_TRUE(opened);
  EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace tilestep::test
