// All panels and pages in windows of three sizes at four scales, in both languages: nothing extends
// beyond its window's edge, and what does not fit can be scrolled to.
#include "app/harness.h"
#include "folders.h"
#include "platform/window.h"
#include "problem/language.h"
#include "state/words.h"
#include "ui/draw.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <functional>
#include <string>
#include <vector>

namespace tilestep::test {
namespace {

constexpr int kFramesToRest = 5;
constexpr float kRounding = 1.5F;  // pixels

struct Page {
  std::string name;
  std::function<void(state::AppState&)> open;
};

std::vector<Page> pages() {
  std::vector<Page> all{
      {"step", [](state::AppState&) {}},
      {"ptx", [](state::AppState& s) { s.source_page = state::SourcePage::Ptx; }},
      {"header", [](state::AppState& s) { s.header_open = true; }},
      {"editing", [](state::AppState& s) { s.editing = true; }},
      {"memory", [](state::AppState& s) { s.show_memory = true; }},
      {"volume", [](state::AppState& s) { s.volume.large = true; }},
      {"keys", [](state::AppState& s) { s.show_keys = true; }},
      {"palette", [](state::AppState& s) { s.show_palette = true; }},
      {"lecture", [](state::AppState& s) { s.lecture = true; }},
      {"register tile", [](state::AppState& s) { s.kernel = "register_tile_2d"; }},
      {"lesson", [](state::AppState& s) { s.course.lesson = "03-two-barriers"; }},
      {"question",
       [](state::AppState& s) {
         s.course.lesson = "03-two-barriers";
         s.course.beat = 2;
       }},
      {"lab",
       [](state::AppState& s) {
         s.course.lesson = "03-two-barriers";
         s.course.beat = 1000;
       }},
      {"lessons", [](state::AppState& s) { s.course.list = true; }},
      {"large", [](state::AppState& s) {
         s.parameters = {{64, 64, 64}, 4};
       }}};
  for (const auto page : {state::InspectorPage::Thread, state::InspectorPage::Warp,
                          state::InspectorPage::Memory, state::InspectorPage::Findings}) {
    all.push_back({fmt::format("inspector {}", static_cast<int>(page)), [page](state::AppState& s) {
                     s.inspector_open = true;
                     s.inspector = page;
                   }});
  }
  for (const auto& word : kWords<state::TimingPage>) {
    const state::TimingPage page = word.value;
    all.push_back({fmt::format("timing {}", word.file), [page](state::AppState& s) {
                     s.tab = state::Tab::Timing;
                     s.timing.page = page;
                   }});
  }
  return all;
}

void expect_everything_in_reach(const std::string& where) {
  const ImGuiViewport& view = *ImGui::GetMainViewport();
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const bool is_shown = window->WasActive && !window->Hidden && !window->IsFallbackWindow;
    const bool is_child = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0;
    if (!is_shown || (window->Flags & ImGuiWindowFlags_Tooltip) != 0) {
      continue;
    }
    const std::string what = where + ": " + window->Name;
    if (!is_child) {
      EXPECT_GE(window->Pos.x, view.Pos.x - kRounding) << what;
      EXPECT_GE(window->Pos.y, view.Pos.y - kRounding) << what;
      EXPECT_LE(window->Pos.x + window->Size.x, view.Pos.x + view.Size.x + kRounding) << what;
      EXPECT_LE(window->Pos.y + window->Size.y, view.Pos.y + view.Size.y + kRounding) << what;
    }
    if ((window->Flags & ImGuiWindowFlags_NoScrollbar) != 0) {
      EXPECT_LE(window->ScrollMax.x, kRounding) << what << " is cut off at the right";
      EXPECT_LE(window->ScrollMax.y, kRounding) << what << " is cut off at the bottom";
    }
  }
}

struct Walk {
  int width = 0;
  int height = 0;
  const char* language = "";
};
class LayoutWalk : public testing::TestWithParam<Walk> {};

TEST_P(LayoutWalk, NothingIsCutOffOrOutOfReach) {
  const auto [width, height, language] = GetParam();
  find_languages(source_folder() / "assets" / "words");
  ASSERT_TRUE(speak(language));
  const workspace::Paths paths = build_tree_paths();
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  platform::Window window(off_screen(width, height));
  for (const Page& page : pages()) {
    for (const float scale : {1.0F, 1.5F, 2.0F, 2.5F}) {
      state::AppState state;
      state.timing.problem = kTimedProblem;
      state.timing.predict = false;
      state.animate = false;
      state.scale = scale;
      state.language = language;
      page.open(state);
      workspace.set_state(state);
      workspace.settle();
      ui::Memory memory;
      window.set_scale(scale);
      for (int i = 0; i < kFramesToRest; ++i) {
        window.frame(0.0, [&] {
          static_cast<void>(
              ui::draw({workspace.state(), workspace.view(), ui::theme(workspace.state().theme),
                        window.fonts(), &window.cells(), memory, 0.0}));
        });
      }
      expect_everything_in_reach(
          fmt::format("{}x{}, {} scale {}, {}", width, height, language, scale, page.name));
    }
  }
  EXPECT_TRUE(speak(kEnglishTag));
}

INSTANTIATE_TEST_SUITE_P(Windows, LayoutWalk,
                         testing::Values(Walk{1280, 720, "en"}, Walk{1920, 1080, "en"},
                                         Walk{2560, 1440, "en"}, Walk{1280, 720, "zh"},
                                         Walk{1920, 1080, "zh"}));

}  // namespace
}  // namespace tilestep::test
