// Ctrl+C: what can be copied says so where it is drawn; the innermost thing under the mouse is what
// is meant, else what the tab is about.
#pragma once

#include "problem/words.h"
#include "ui/panel.h"

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

namespace tilestep::ui {

// What is said of what was copied, where several places have it.
inline constexpr Message kCopiedSum = "the sum of {}";
inline constexpr Message kCopiedLanes = "{} in every lane";

// Of something that was drawn in this frame.
struct Copyable {
  std::string what;                   // "the sum of C[5][6]": said after "Copied: "
  std::function<std::string()> text;  // made when it is copied, in the frame that offers it
  bool is_main = false;               // where the mouse is over nothing: the last of these
};

// From (left, top) to (right, bottom), window pixels. Does nothing where the window that is being
// drawn is not the one under the mouse, unless it is a main thing.
void offer_copy(const Context& context, ImVec2 from, ImVec2 to, Copyable thing);
// The item drawn last, or the group.
void offer_copy_of_item(const Context& context, Copyable thing);

// Forgets the last frame's.
void begin_copying(const Context& context);
// Puts the chosen thing into the clipboard and says so; nothing where nothing is offered.
[[nodiscard]] Commands copy_this(const Context& context);

// Cells side by side, as spreadsheets paste them: tabs and line breaks in a cell become blanks.
[[nodiscard]] std::string tabbed(const std::vector<std::vector<std::string>>& rows);

}  // namespace tilestep::ui
