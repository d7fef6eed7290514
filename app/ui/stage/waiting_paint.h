// Warps that wait at a barrier: a white double bar at the rows of each; where everybody has come,
// the bar closes around the block's threads.
#pragma once

#include "ui/stage/paint.h"

namespace tilestep::ui {

// `state`: on stage; `statement`: just executed, or null.
void paint_waiting(const StagePicture& picture, const record::State& state,
                   const record::Activity* statement);

}  // namespace tilestep::ui
