// What the focus thread just did to its sum, in the free corner of the block's L.
#pragma once

#include "ui/stage/paint.h"
#include "ui/sum_story.h"

#include <string>

namespace tilestep::ui {

// `thread`: "thread (2,1)". False: nothing, where the statement added no product to the chosen sum
// or there is no room.
bool paint_thread_card(const StagePicture& picture, const std::string& thread,
                       const SumStory& story);

}  // namespace tilestep::ui
