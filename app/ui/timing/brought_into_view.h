// When a list scrolls to the row that is chosen.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string>

namespace tilestep::ui {

// What was brought into view last: again where another is wanted, or after a frame without it. For
// a few frames: how much can be scrolled is known a frame later.
class BroughtIntoView {
 public:
  // `grows`: the list gets longer still, so the row may be moved out again.
  bool is_due(const std::string& wanted, bool grows = false) {
    constexpr int kSettles = 4;
    const int now = ImGui::GetFrameCount();
    const bool goes_on = wanted_ == wanted && frame_ + 1 >= now && !grows;
    frames_ = goes_on ? std::min(frames_ + 1, kSettles) : 0;
    wanted_ = wanted;
    frame_ = now;
    return frames_ < kSettles;
  }

 private:
  std::string wanted_;
  int frame_ = -1;
  int frames_ = 0;
};

}  // namespace tilestep::ui
