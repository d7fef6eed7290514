// The lock of the sizes, the black screen of a lecture, and what is said where a key changes
// nothing.
#pragma once

#include "problem/language.h"
#include "ui/actions.h"
#include "ui/stage/crop.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace tilestep::ui {

inline constexpr Message kAllInView =
    "All of the matrices is in view: no side is longer than 16. Z shows larger ones as a map.";

// One of which a part may be left out.
inline bool has_large_matrix(const Context& c) {
  return c.view.scene == nullptr ||
         std::ranges::any_of(c.view.scene->launch.buffers, [](const problem::Buffer& buffer) {
           return std::max(buffer.rows, buffer.cols) > kReadable;
         });
}

inline Commands toggle_whole(const Context& c) {
  if (!c.state.whole_map && !has_large_matrix(c)) {
    return {state::Say{kAllInView.text()}};
  }
  return {state::ShowWhole{!c.state.whole_map}};
}
inline Commands blank_screen(const Context& c) {
  return {state::Blank{!c.state.blank}};
}
// English, then those that ship, in turn.
inline Commands next_language(const Context&) {
  const std::vector<Language> all = languages();
  const auto now = std::ranges::find(all, spoken_language(), &Language::tag);
  const bool is_last = now == all.end() || std::next(now) == all.end();
  return {state::SetLanguage{is_last ? all.front().tag : std::next(now)->tag}};
}
inline Commands lock_sizes(const Context& c) {
  return {state::LockSizes{!c.state.sizes_locked}};
}

inline constexpr std::array kSettingActions{
    Action{ActionId::BlankScreen, ActionGroup::Arranging, "Black screen",
           "For a lecture: B, or what else is pressed, brings the picture back.", ImGuiKey_B, 0,
           false, blank_screen},
    Action{ActionId::NextLanguage, ActionGroup::Arranging, "Next language",
           "Says everything in the next language: English, 中文.",
           ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_L, 0, false, next_language},
    Action{ActionId::LockSizes, ActionGroup::Working, "Lock M = N = K",
           "One slider then moves all three; again each has its own.", 0, 0, false, lock_sizes},
};

}  // namespace tilestep::ui
