// Where two stages, their sources, the card between them and their timeline stand. Pure.
#pragma once

#include "ui/stage/geometry.h"

#include <array>

namespace tilestep::ui {

struct ComparePlan {
  std::array<Box, 2> sides;    // side by side; one above the other in a high window
  std::array<Box, 2> sources;  // empty where there is no room; of side 2 alone in narrow windows
  Box card;                    // what differs; empty in low windows
  Box timeline;
  Box instrument;         // above the timeline
  bool is_short = false;  // the timeline has no row of buttons
};
// `edits`: side 1's text is being written and needs lines. In a lecture the stages have all of the
// height but for the phases.
[[nodiscard]] ComparePlan plan_compare(const Box& room, float font, bool edits,
                                       bool is_lecture = false, float instrument = 0.0F);

}  // namespace tilestep::ui
