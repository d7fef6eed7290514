// What the focus thread just did to its sum, in the free corner of the block's L.
#pragma once

#include "ui/stage/paint.h"
#include "ui/sum_story.h"

#include <string>

namespace tilestep::ui {

// `thread`: "thread (2,1)". Nothing where the statement added no product to the chosen sum, and
// where there is no room.
void paint_thread_card(const StagePicture& picture, const std::string& thread,
                       const SumStory& story);

}  // namespace tilestep::ui
