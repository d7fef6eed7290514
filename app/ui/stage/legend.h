// What the signs on the stage mean: only those that can be seen at this step.
#pragma once

#include "ui/stage/paint.h"

#include <string>
#include <vector>

namespace tilestep::ui {

struct LegendItem {
  CellStyle style;
  std::string text;  // "read", "stored"
};
[[nodiscard]] std::vector<LegendItem> legend_items(const StagePicture& picture);

// As many rows of items as fit into the rectangle, at its foot. Returns their height.
float paint_legend(const StagePicture& picture, ImVec2 from, ImVec2 size,
                   std::vector<CellInstance>& instances);

}  // namespace tilestep::ui
