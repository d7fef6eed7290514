// The focus thread's accumulation as a sum: "acc = 6·2 + 4·5 + … + As[1][2]·Bs[2][2] = 78 + -1·5 =
// 73".
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"
#include "ui/sum_story.h"

#include <string>

namespace tilestep::ui {

// `note`: "thread (1,2) of block (1,0)". Short: the sum alone.
void draw_sum_strip(const Context& context, const std::string& note, const SumStory& story,
                    ImVec2 from, ImVec2 size, bool is_short);

// For a hall: the element, its terms in numbers, and the value large.
void draw_large_sum(const Context& context, const SumStory& story, const Box& box);

}  // namespace tilestep::ui
