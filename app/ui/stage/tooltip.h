// What a cell has to tell: value, who brought it there, when, from where.
#pragma once

#include "ui/stage/content.h"
#include "ui/stage/geometry.h"

#include <string>
#include <vector>

namespace tilestep::ui {

struct CellStory {
  std::string title;               // "As[1][2] = -1"
  std::vector<std::string> lines;  // "stored by thread (1,2) of block (1,0)", …
};
[[nodiscard]] CellStory cell_story(const ContentInputs& inputs, const StageContent& content,
                                   CellHit hit);

// "As[1][2]"; a thread's cell: "acc of thread (1,2)".
[[nodiscard]] std::string cell_name(const ContentInputs& inputs, CellHit hit);

}  // namespace tilestep::ui
