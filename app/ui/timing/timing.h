// The Timing tab: speed relative to cuBLAS in several views, and the reasons for every point. Fills
// the window below the top bar.
#pragma once

#include "analysis/chart.h"
#include "analysis/compare_points.h"
#include "ui/panel.h"

#include <string>
#include <utility>

namespace tilestep::ui {

// The tab's view with one field changed.
template <class Field, class Value>
[[nodiscard]] state::SetTimingView timing_with(const Context& context,
                                               Field state::TimingView::*field, Value value) {
  state::TimingView view = context.state.timing;
  view.*field = std::move(value);
  return {view};
}

// The next item stays on the line if this much room is left, in pixels. `gap`: between the items;
// -1: the style's.
void flow(float width, float gap = -1.0F);
// The width of a button, or of a check box with its label.
[[nodiscard]] float width_of_face(const char* face);

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

// The page of one SM: the warps in time, the schedulers and the data stage below, the states'
// shares beside it.

[[nodiscard]] Commands draw_sm_page(const Context& context, const analysis::ChartRequest& request);

// Explains why one of two points is slower: the factors whose product is the ratio of their times,
// each with its count and a click to its place.

// The question of the selection and its answer, over the plot. Empty if there is none.
void draw_answer(const Context& context, const analysis::ChartRequest& request);

// The column beside the plot. Precondition: context.view.timing.shown->pair.
[[nodiscard]] Commands draw_pair_card(const Context& context);

// "compare with": the neighbors, naive, cuBLAS.
[[nodiscard]] Commands draw_compare_buttons(const Context& context);

// The column beside a plot: the selected point, its explanation, how it was measured.

[[nodiscard]] Commands draw_story(const Context& context, const analysis::ChartRequest& request);

// Predict before seeing: a kernel's measured curve is hidden, the user draws one with the mouse or
// arrow keys, then both are compared.

// Call inside ImPlot::BeginPlot while the curve is hidden: handles the mouse and the arrow keys.
[[nodiscard]] Commands draw_guess_in_plot(const Context& context, const analysis::Chart& chart);

// The card beside the plot: instructions, then the deviation of the drawing. Precondition:
// guess.kernel is set.
[[nodiscard]] Commands draw_guess_card(const Context& context,
                                       const analysis::ChartRequest& request);

// The titles of kernels, and the places of causes, in words and as commands that go there.

// The title for readers; the id if the catalog has none: cuBLAS's is "cublas".
[[nodiscard]] std::string kernel_title(const Context& context, const std::string& id);

// "Show line 29"
[[nodiscard]] std::string seen_face(const analysis::SeenAt& seen);
// One sentence; `name` is the launch's.
[[nodiscard]] std::string seen_tooltip(const analysis::SeenAt& seen, const std::string& name);
[[nodiscard]] Commands go_to_seen(const Context& context, const analysis::SeenAt& seen,
                                  const state::TimedPoint& point);

}  // namespace tilestep::ui
