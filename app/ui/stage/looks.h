// How wide the cells of a launch are and whose numbers they hold: what does not change with steps.
#pragma once

#include "insight/trace/accumulators.h"
#include "record/recording.h"
#include "ui/stage/sheet.h"

namespace tilestep::ui {

// Sheet::digits, by what buffers hold at the end of the run.
void find_digits(const record::State& end, StageShape& shape);
// Sheet::role, by where values came from; without sums yet the L's own.
void find_roles(const insight::BlockSums* sums, const simt::Program& program, StageShape& shape);

}  // namespace tilestep::ui
