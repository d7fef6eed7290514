// What a value says beyond itself: padding in a shared array, and results that are wrong.
#pragma once

#include "ui/stage/content.h"

namespace tilestep::ui {

// Shared cells whose latest store did not carry an element of a buffer: zeros beyond a matrix's
// edge.
void mark_padding(const ContentInputs& inputs, StageContent& content);

// Stored output cells that differ from the reference by more than the launch's tolerance; NaN
// differs.
void mark_wrong(const ContentInputs& inputs, StageContent& content);

}  // namespace tilestep::ui
