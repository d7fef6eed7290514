// A sum as a row of boxes: products that were added, the latest framed, those to come dashed; below
// it the latest step in full.
#pragma once

#include "ui/panel.h"
#include "ui/sum_story.h"

namespace tilestep::ui {

// In sizes of the window's font.
inline constexpr float kSumBoxesHeight = 3.1F;

// `story` has a sum; `at`: top left of the row's numbers.
void draw_sum_boxes(const Context& context, const SumStory& story, ImVec2 at, float width);

}  // namespace tilestep::ui
