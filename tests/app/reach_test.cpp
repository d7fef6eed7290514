// What everybody can reach: every control by key, the window's words for a screen reader, a window
// in which nothing moves by itself, text in a font for readers with dyslexia.
#include "app/asked_lesson.h"
#include "app/harness.h"
#include "ui/widgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Reach : public testing::Test {
 protected:
  void carry_out(const ui::Commands& commands) {
    harness.workspace().update(commands, 0.0);
    harness.workspace().settle();
    harness.frame();
    harness.frame();
  }
  void press(std::vector<ImGuiKeyChord> keys) {
    EXPECT_TRUE(harness.run([&](ImGuiTestContext& test) {
      for (const ImGuiKeyChord key : keys) {
        test.KeyPress(key);
      }
    }));
  }
  [[nodiscard]] std::vector<std::string> said() { return ui::said_aloud(harness.memory()); }

  Harness harness{build_tree_paths(), Settle::EveryFrame, {1600, 900}};
};

struct Walk {
  std::set<ImGuiID> marked;
  std::set<const ImGuiWindow*> panels;
};

// Walks by F6 through the panels and by Tab through the controls of each.
Walk walk_controls(ImGuiTestContext& test) {
  constexpr int kMost = 400;
  Walk walk;
  const ImGuiContext& g = *test.UiContext;
  test.KeyPress(ImGuiKey_F6);
  while (g.NavWindow != nullptr && walk.panels.insert(g.NavWindow).second) {
    std::set<ImGuiID> here;
    for (int i = 0; i < kMost && here.insert(g.NavId).second; ++i) {
      test.KeyPress(ImGuiKey_Tab);
    }
    walk.marked.merge(here);
    test.KeyPress(ImGuiKey_F6);
  }
  return walk;
}

// Items whose meaning depends on where they are clicked. Keys of their own do what a click does.
constexpr std::array<std::string_view, 8> kOwnKeys{
    "stage",     // Ctrl+G, Alt+arrows, Alt+Shift+arrows, Alt and plus
    "track",     // F10, F11, Home, End, Ctrl+G
    "##code",    // F9 and Shift+F9 on the focus thread's line
    "##rows",    // F10, F11 go to the clock of the stage
    "##clocks",  // the same
    "header",    // H
    "#SCROLLY", "#SCROLLX"};

struct Scene {
  const char* name;
  std::vector<state::Command> commands;
};

TEST_F(Reach, EveryControlCanBeReachedByTabFromItsPanel) {
  state::TimingView plot = harness.state().timing;
  plot.page = state::TimingPage::BlockSize;
  state::TimingView table = plot;
  table.page = state::TimingPage::Ladder;
  const std::vector<Scene> scenes{
      {"stage", {state::SeekStep{40}}},
      {"inspector", {state::SetInspector{state::InspectorPage::Warp}}},
      {"lesson", {state::ShowInspector{false}, state::OpenLesson{"01-one-thread", 3}}},
      {"plot",
       {state::CloseLesson{}, state::SetTab{state::Tab::Timing}, state::SetTimingView{plot}}},
      {"bars", {state::SetTimingView{table}}},
      {"export", {state::SetTab{state::Tab::Step}, state::ShowExport{true}}}};
  for (const Scene& scene : scenes) {
    carry_out(scene.commands);
    EXPECT_TRUE(harness.run([&](ImGuiTestContext& test) {
      const Walk walk = walk_controls(test);
      EXPECT_GE(walk.panels.size(), scene.name == std::string_view("export") ? 1U : 3U)
          << scene.name;
      EXPECT_GE(walk.marked.size(), 8U) << scene.name;
      std::size_t found = 0;
      for (const ImGuiWindow* const panel : walk.panels) {
        ImGuiTestItemList items;
        test.GatherItems(&items, panel->ID);
        for (const ImGuiTestItemInfo& item : items) {
          const std::string_view label(item.DebugLabel);
          const bool is_shown = item.Window == panel && item.RectClipped.GetArea() > 1.0F;
          // A plot: C, Shift+C, and the palette's kernels and BLOCK_SIZEs choose points.
          const bool has_own =
              label.empty() || std::ranges::any_of(kOwnKeys, [label](std::string_view own) {
                return label.starts_with(own);
              });
          if (is_shown && !has_own && (item.ItemFlags & ImGuiItemFlags_Disabled) == 0) {
            ++found;
            EXPECT_TRUE(walk.marked.contains(item.ID))
                << scene.name << ": '" << label << "' in " << panel->Name;
          }
        }
      }
      EXPECT_GE(found, 4U) << scene.name;
      test.KeyPress(ImGuiKey_Escape);
    }));
    EXPECT_FALSE(harness.state().controls_by_key) << scene.name << ": Esc ends it";
  }
}

TEST_F(Reach, WhileTheControlsHaveTheKeysTheStageStays) {
  carry_out({state::SeekStep{40}});
  press({ImGuiKey_F6, ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_Tab});
  EXPECT_TRUE(harness.state().controls_by_key);
  EXPECT_EQ(harness.state().step, 40U);
  EXPECT_FALSE(harness.state().comparison.on);
  press({ImGuiKey_Escape, ImGuiKey_RightArrow});
  EXPECT_FALSE(harness.state().controls_by_key);
  EXPECT_GT(harness.state().step, 40U);
}

TEST_F(Reach, SpacePressesTheMarkedControl) {
  carry_out({state::OpenLesson{"01-one-thread", 0}});
  EXPECT_TRUE(harness.run([](ImGuiTestContext& test) {
    const ImGuiContext& g = *test.UiContext;
    for (int i = 0; i < 20; ++i) {  // to the buttons below the lesson's text
      test.KeyPress(ImGuiKey_F6);
      if (std::string_view(g.NavWindow->Name).find("###walk") != std::string_view::npos) {
        break;
      }
    }
    test.KeyPress(ImGuiKey_Space);
  }));
  EXPECT_EQ(harness.state().course.beat, 1);
}

TEST_F(Reach, TheStageMovesAndGrowsByKeys) {
  EXPECT_EQ(harness.state().camera, state::Camera{}) << "it fits";
  press({ImGuiMod_Alt | ImGuiKey_Equal, ImGuiMod_Alt | ImGuiKey_Equal});
  const state::Camera larger = harness.state().camera;
  EXPECT_GT(larger.zoom, 0.0F);
  press({ImGuiMod_Alt | ImGuiMod_Shift | ImGuiKey_RightArrow});
  EXPECT_GT(harness.state().camera.x, larger.x) << "what is right of it";
  EXPECT_EQ(harness.state().camera.y, larger.y);
  press({ImGuiMod_Alt | ImGuiMod_Shift | ImGuiKey_UpArrow});
  EXPECT_LT(harness.state().camera.y, larger.y);
  press({ImGuiMod_Alt | ImGuiKey_Minus, ImGuiMod_Alt | ImGuiKey_Minus,
         ImGuiMod_Alt | ImGuiKey_Minus});
  EXPECT_EQ(harness.state().camera, state::Camera{}) << "all of it again";
}

TEST_F(Reach, TheSentenceOfTheStatementIsSaid) {
  carry_out({state::SeekStep{40}});
  const std::vector<std::string> first = said();
  ASSERT_FALSE(first.empty());
  EXPECT_THAT(harness.drawn(), HasSubstr(first.front().substr(0, 12)));
  press({ImGuiKey_F10});
  carry_out({});
  EXPECT_NE(said(), first);
}

TEST_F(Reach, AQuestionIsSaidWithItsKeysAndWithoutItsAnswer) {
  AskedLesson asked(harness, "01-one-thread.md");
  const lesson::Question& question = asked.lesson().questions.front();
  asked.ask(question);
  harness.frame();
  EXPECT_THAT(said(), Contains(HasSubstr("Click the element of B")));
  EXPECT_THAT(said(), Contains(HasSubstr("Arrow keys choose")));
  const std::string answer = course::plain_text_of(*asked.shown().answer);
  EXPECT_THAT(said(), Not(Contains(HasSubstr(answer))));
  press({ImGuiKey_RightArrow});
  EXPECT_THAT(said(), Contains(HasSubstr("Chosen: ")));
  press({ImGuiKey_Escape});
  harness.frame();
  harness.frame();
  EXPECT_THAT(said(), Contains(HasSubstr(answer))) << "shown by Esc";
}

TEST_F(Reach, ALessonsTextIsSaid) {
  carry_out({state::OpenLesson{"01-one-thread", 0}});
  EXPECT_THAT(said(), Contains("Nine threads, nine elements"));
  EXPECT_THAT(said(), Contains(HasSubstr("the two outer loops are gone")));
}

TEST_F(Reach, ThePointOfAPlotIsSaidWithItsReasons) {
  state::TimingView view = harness.state().timing;
  view.page = state::TimingPage::BlockSize;
  view.selected_kernel = "tiled";
  view.selected_block_size = 32;
  carry_out({state::SetTab{state::Tab::Timing}, state::SetTimingView{view}});
  EXPECT_THAT(said(), Contains(HasSubstr("BLOCK_SIZE 32")));
  EXPECT_THAT(said(), Contains(HasSubstr("% of cuBLAS")));
  EXPECT_THAT(said(), Contains(HasSubstr("is the bottleneck: ")));
}

TEST_F(Reach, WithoutAnimationEveryChangeIsThereAtOnce) {
  carry_out({state::SetAnimate{false}});
  const auto is_at_rest = [this] {
    harness.frame();
    return !harness.memory().wants_frames();
  };
  for (int i = 0; i < 20 && !is_at_rest(); ++i) {  // the timeline's marks
  }
  for (const ImGuiKeyChord key : {ImGuiKeyChord{ImGuiKey_F10}, ImGuiKeyChord{ImGuiKey_F11},
                                  ImGuiKeyChord{ImGuiKey_End}, ImGuiKeyChord{ImGuiKey_Home}}) {
    press({key});
    EXPECT_TRUE(is_at_rest()) << ImGui::GetKeyName(static_cast<ImGuiKey>(key));
  }
  carry_out({state::SetParameters{{{8, 8, 8}, 2}}});
  EXPECT_TRUE(is_at_rest()) << "the numbers below the stage change at once";
  EXPECT_FALSE(ImGui::GetIO().ConfigInputTextCursorBlink);
}

TEST_F(Reach, WithoutAnimationAFilmWaitsForPageDown) {
  carry_out({state::SetAnimate{false}, state::OpenLesson{"opening", 0}});
  EXPECT_FALSE(harness.state().course.film);
  carry_out({state::SetAnimate{true}, state::OpenLesson{"opening", 0}});
  EXPECT_TRUE(harness.state().course.film);
}

TEST_F(Reach, OpenDyslexicIsAnotherFontForEveryTextButCode) {
  const ui::Fonts before = harness.window().fonts();
  harness.window().set_typeface(state::Typeface::OpenDyslexic);
  harness.frame();
  const ui::Fonts& now = harness.window().fonts();
  EXPECT_THAT(harness.window().warnings(), testing::IsEmpty());
  EXPECT_NE(now.text, before.text);
  EXPECT_NE(now.bold, before.bold);
  EXPECT_EQ(now.mono, before.mono);
  EXPECT_EQ(ImGui::GetIO().FontDefault, now.text);
  for (const char* const letters : {"a", "g", "Σ", "·", "→", "线"}) {
    unsigned int letter = 0;
    ImTextCharFromUtf8(&letter, letters, nullptr);
    EXPECT_TRUE(now.text->IsGlyphInFont(static_cast<ImWchar>(letter))) << letters;
  }
  harness.window().set_typeface(state::Typeface::Roboto);
  harness.frame();
  EXPECT_EQ(harness.window().fonts().text, before.text);
}

}  // namespace
}  // namespace tilestep::test
