// The Timing tab: speed against cuBLAS in several views, and the reasons behind every point. Fills
// the window under the top bar.
#pragma once

#include "analysis/chart.h"
#include "analysis/compare_points.h"
#include "ui/panel.h"

#include <string>
#include <utility>

namespace tilestep::ui {

// The tab's view with another value in one of its fields.
template <class Field, class Value>
[[nodiscard]] state::SetTimingView timing_with(const Context& context,
                                               Field state::TimingView::*field, Value value) {
  state::TimingView view = context.state.timing;
  view.*field = std::move(value);
  return {view};
}

// The child window of the page: plot or table.
inline constexpr const char* kPlotChild = "plot";

[[nodiscard]] Commands draw_timing(const Context& context);

// The page that shows kernel by kernel.

[[nodiscard]] Commands draw_ladder(const Context& context, const analysis::Chart& chart);

// The Timing tab's tables: occupancy by BLOCK_SIZE, and counters beside the hardware's.

[[nodiscard]] Commands draw_occupancy_table(const Context& context,
                                            const analysis::ChartRequest& request);
[[nodiscard]] Commands draw_counters_table(const Context& context,
                                           const analysis::ChartRequest& request);

// Why one of two points is slower: the factors that multiply to the ratio of their times, each with
// what was counted and a click to where it is seen.

// The question that the selection asks and its answer, over the plot. Nothing where none is asked.
void draw_answer(const Context& context, const analysis::ChartRequest& request);

// The column beside the plot. Precondition: context.view.timings->pair.
[[nodiscard]] Commands draw_pair_card(const Context& context);

// "compare with": the neighbours, naive, cuBLAS.
[[nodiscard]] Commands draw_compare_buttons(const Context& context);

// The column beside a plot: the selected point, why it is where it is, how it was measured.

[[nodiscard]] Commands draw_story(const Context& context, const analysis::ChartRequest& request);

// Predict before you see: a kernel's measured curve is hidden, the user draws one with the mouse or
// with arrow keys, then both are compared.

// Inside of ImPlot::BeginPlot, while the curve is hidden: takes the mouse and the arrow keys.
[[nodiscard]] Commands draw_guess_in_plot(const Context& context, const analysis::Chart& chart);

// Beside the plot: what to do, then how far the drawing was off. Precondition: guess.kernel.
[[nodiscard]] Commands draw_guess_card(const Context& context,
                                       const analysis::ChartRequest& request);

// What kernels are called, and where a cause is seen, in words and as commands that go there.

// For people; the id where the catalog has none: cuBLAS's is "cublas".
[[nodiscard]] std::string kernel_title(const Context& context, const std::string& id);

// "Show line 29"
[[nodiscard]] std::string seen_face(const analysis::SeenAt& seen);
// One sentence; `name` is the launch's.
[[nodiscard]] std::string seen_tooltip(const analysis::SeenAt& seen, const std::string& name);
[[nodiscard]] Commands go_to_seen(const Context& context, const analysis::SeenAt& seen,
                                  const state::TimedPoint& point);

}  // namespace tilestep::ui
