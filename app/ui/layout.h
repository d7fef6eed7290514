// Where panels stand: a top bar, and under it either the docked panels of the Step tab (source,
// stage, inspector, timeline) or the Timing tab. The default layout is built when none was
// restored; its proportions follow the window's size.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Height of the top bar for a font size, in pixels.
[[nodiscard]] float top_bar_height(float font_size);

[[nodiscard]] Commands draw_layout(const Context& context);

// Text at the right end of the current panel's title row (where docked panels have their tab),
// dimmed, cut short where there is no room. For a panel to call about itself.
void draw_title_note(const Context& context, const char* text);

}  // namespace tilestep::ui
