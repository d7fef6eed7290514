// Why one of two points is slower: the factors that multiply to the ratio of their times, each with
// what was counted and a click to where it is seen.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// The question that the selection asks and its answer, over the plot. Nothing where none is asked.
void draw_answer(const Context& context, const analysis::ChartRequest& request);

// The column beside the plot. Precondition: context.view.timings->pair.
[[nodiscard]] Commands draw_pair_card(const Context& context);

// "compare with": the neighbours, naive, cuBLAS.
[[nodiscard]] Commands draw_compare_buttons(const Context& context);

}  // namespace tilestep::ui
