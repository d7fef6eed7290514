// A whole phase on stage once it is over: all that it read, stored and added up, where its tiles
// came from, and what the focus thread had of it. Pure; painted by phase_paint.h.
#pragma once

#include "ui/stage/content.h"

namespace tilestep::ui {

// The phase that is shown as a whole; null: a statement is.
[[nodiscard]] const record::Phase* shown_phase(const ContentInputs& inputs);
// What has happened since this step is lit.
[[nodiscard]] std::uint64_t lit_since(const ContentInputs& inputs);

// Marks of every cell that the focus block touched, and of threads that did nothing.
void mark_phase(const ContentInputs& inputs, StageContent& content);
// Ribbons, the tile before this one, the focus thread's own cells. After add_frames().
void add_phase_frames(const ContentInputs& inputs, StageContent& content);
// Of a single statement: the cells that the focus thread stored.
void add_focus_stores(const ContentInputs& inputs, StageContent& content);
// What sums were when the phase began.
void add_sums_before(const ContentInputs& inputs, StageContent& content);
// A race between two activities of the phase, which no barrier separates.
[[nodiscard]] bool has_fault_line(const ContentInputs& inputs);

}  // namespace tilestep::ui
