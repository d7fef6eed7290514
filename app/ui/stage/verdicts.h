// What a value says beyond itself: padding in a shared array, and results that are wrong.
#pragma once

#include "ui/stage/content.h"

namespace tilestep::ui {

// The last tile once the barrier has freed it: what the phase stores over and reads no more.
void mark_stale(const ContentInputs& inputs, StageContent& content);
// Shared cells whose latest store did not carry an element of a buffer: zeros beyond a matrix's
// edge.
void mark_padding(const ContentInputs& inputs, StageContent& content);

// What a sheet has to hold in the end; null: there is no reference. Element i of it is cell i.
[[nodiscard]] const problem::ExpectedOutput* expected_of(const ContentInputs& inputs,
                                                         const Sheet& sheet);

// ContentInputs::ends, of the recording's last state.
[[nodiscard]] std::vector<std::vector<double>> ends_of(const record::State& end,
                                                       const StageShape& shape);

// Stored output cells that do not agree with the reference, and never will.
void mark_wrong(const ContentInputs& inputs, StageContent& content);

}  // namespace tilestep::ui
