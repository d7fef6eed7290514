// Rows and columns of the matrices, drawn when an index of the kernel has just come to mean them:
// the focus thread's, and those of all threads of its block. Pure.
#pragma once

#include "narration/sentence.h"
#include "ui/stage/content.h"

#include <span>

namespace tilestep::ui {

// Frames of these rows and columns: FrameKind::Guide the focus thread's, FrameKind::BlockGuide the
// block's. None where a matrix has no such row or column.
void add_guides(const ContentInputs& inputs, std::span<const narration::Guide> guides,
                StageContent& content);

// The row of A and the column of B that the focus thread's sum goes along, while it takes a
// product: FrameKind::Factors.
void add_factor_lines(const ContentInputs& inputs, StageContent& content);

}  // namespace tilestep::ui
