// The focus thread's accumulation as a sum: "acc = 6·2 + 4·5 + … + As[1][2]·Bs[2][2] = 78 + -1·5 =
// 73".
#pragma once

#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

// `note`: "thread (1,2) of block (1,0) → C[1][6]".
void draw_sum_strip(const Context& context, const std::string& note, ImVec2 from, ImVec2 size);

// Height the strip wants for a height of a line of text.
[[nodiscard]] float sum_strip_height(float font);

}  // namespace tilestep::ui
