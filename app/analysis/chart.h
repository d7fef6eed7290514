// The contents of a plot of timings, before anything is drawn: curves, axes, words. The window
// draws a Chart with ImPlot; `tilestep chart` writes the same one as SVG or CSV. Pure.
#pragma once

#include "analysis/gpu_model.h"
#include "analysis/launch_facts.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <span>
#include <string>
#include <vector>

namespace tilestep::analysis {

// The speed of one measured or predicted launch.
struct Mark {
  double x = 0.0;
  double y = 0.0;
  double below = 0.0;                    // distance down to the slow quartile's speed
  double above = 0.0;                    // distance up to the fast quartile's
  const timing::Point* point = nullptr;  // in its data set; null: not measured
  timing::Statistics statistics;         // of the point's samples
  double gflops = 0.0;
  int block_size = 0;
  std::string won{};  // of best_by_size, a sentence: the kernel here, and its margin
};

enum class Role {
  Measured,   // a kernel: markers joined by a line
  Predicted,  // a kernel by the model: a dashed line
  Library,    // cuBLAS: a level line
  Ceiling,    // a limit of the GPU
  Drawn,      // the user's expectation, before the measured curve is shown
};

struct Curve {
  std::string name;     // for a legend
  std::string english;  // the same in English, for files
  std::string kernel;   // catalog id, "cublas"; empty for a ceiling
  std::string dataset;  // where it was measured; empty for predictions and ceilings
  Role role = Role::Measured;
  std::size_t family = 0;   // color: index in ChartRequest::families, one past the end for none
  std::size_t style = 0;    // marker and dash: index in the family, the same in every view
  bool is_wrong = false;    // wrong results: broken on purpose, or a result was not verified
  std::string end;          // text after the name at the line's end: "17.4 %"
  bool is_overlay = false;  // of a data set that is laid over the chosen one
  std::vector<Mark> marks;  // by x
};

struct Axis {
  std::string title;
  bool is_log = false;
  double low = 0.0;
  double high = 1.0;
  std::vector<double> ticks;   // empty: ticks_of() chooses
  double divisor = 1.0;        // labels are the value divided by this: 1000 for TFLOP/s
  std::string name_of_last{};  // written at the last tick instead of its number; empty: the number
};

// Positions of an axis's labels: 1, 2 and 5 times powers of ten; even steps on a logarithmic axis
// with fewer than three of these.
[[nodiscard]] std::vector<double> ticks_of(const Axis& axis);
// The ticks that have room if `most` names fit side by side. On a logarithmic axis powers of ten
// have precedence, then every second one; of sizes close to each other a power of two.
[[nodiscard]] std::vector<double> ticks_with_room(const Axis& axis, double most);
// The label of a tick: "50,000", "0.25", "fixed".
[[nodiscard]] std::string tick_text(const Axis& axis, double tick);
// A speed in the axis's unit, with its significant digits.
[[nodiscard]] std::string speed_text(const Axis& axis, double speed);

// Position of kernels without BLOCK_SIZE on an axis of BLOCK_SIZEs: right of all.
inline constexpr double kFixedTiles = 35.0;

struct Chart {
  std::string title;
  std::string note;  // applies to the whole chart: "median, whiskers: quartiles · …"
  Axis x, y;
  bool is_bars = false;      // one curve per kernel, fastest last: its mark, and its best
  bool is_roofline = false;  // marks of a curve are points of one kernel, not a line
  bool x_is_block_size = false;
  double y_of_gflops = 0.0;  // y of 1 GFLOP/s at the shown size; 0: there is none
  std::vector<Curve> curves;

  [[nodiscard]] bool is_empty() const;
};

// Positions of labels of equal height with the desired middles `wanted` (in any order): as near as
// possible without overlap, and between `top` and `bottom` if they fit there.
[[nodiscard]] std::vector<double> spread_labels(const std::vector<double>& wanted, double height,
                                                double top, double bottom);

// Name and style of a kernel in charts.
struct KernelName {
  std::string id;
  std::string title;      // in English, like the family: use tr() to show them
  std::string family{};   // of the catalog; empty: none
  bool is_wrong = false;  // broken on purpose
  bool is_rung = false;   // of the ladder
};

struct ChartRequest {
  state::TimingView view;
  int block_size = 16;  // for views with a fixed BLOCK_SIZE
  // The chosen data set first, then those laid over it.
  std::vector<const timing::DataSet*> datasets;
  GpuModel gpu;                        // of the chosen data set: peak and ceilings
  GpuModel what_if;                    // for predictions; unknown: `gpu`
  std::string predicted_kernel;        // drawn dashed by BLOCK_SIZE; empty: none
  std::span<const LaunchFacts> facts;  // counted so far
  std::vector<std::string> kernels;    // to show if curves are kernels; empty: all
  std::vector<KernelName> names;       // of all kernels, in their order
  std::vector<std::string> rivals;     // ids of those that compete for best_by_size
  std::vector<std::string> families;   // in their order

  // The GPU of the predictions.
  [[nodiscard]] const GpuModel& predicted_gpu() const { return what_if.is_known() ? what_if : gpu; }
};

// A chart for view.page, a page with a plot. Without a data set, or without the facts
// that it needs, it has fewer curves; this is never an error.
[[nodiscard]] Chart make_chart(const ChartRequest& request);

// The kernel on stage for this point: the kernel behind best_by_size.
[[nodiscard]] const std::string& stage_kernel(const timing::Point& point);

// The measured problem nearest to the wanted one: the same if it was measured, otherwise the
// nearest square one; empty if nothing was measured.
[[nodiscard]] std::optional<problem::Problem> nearest_problem(const timing::DataSet& data,
                                                              problem::Problem wanted);
// The problem that a plot shows: the nearest measured problem, or the wanted one if there is none.
[[nodiscard]] problem::Problem shown_problem(const timing::DataSet* data, problem::Problem wanted);
// All measured problems: square ones by size, then the others.
[[nodiscard]] std::vector<problem::Problem> measured_problems(const timing::DataSet& data);
[[nodiscard]] std::string to_text(problem::Problem problem);  // "4096" or "2048×512×2048"

// One row for each mark, with a heading.
[[nodiscard]] std::string to_csv(const Chart& chart);
// A picture of this many pixels, with a white background and colors that color-blind readers can
// distinguish (Okabe and Ito); curves also differ by marker and dash.
[[nodiscard]] std::string to_svg(const Chart& chart, int width, int height);

// Shared parts of the functions that make charts.

[[nodiscard]] bool is_library(const std::string& kernel);
// Whether the kernel's curve is requested; the ladder has all.
[[nodiscard]] bool is_shown(const ChartRequest& request, const std::string& kernel);
[[nodiscard]] bool is_square(problem::Problem problem);

// Turns GFLOP/s into the view's unit for one data set.
class Scale {
 public:
  Scale(const ChartRequest& request, const timing::DataSet& data);

  // The factor for GFLOP/s of this problem; 0 if there is nothing to compare with.
  [[nodiscard]] double factor(problem::Problem problem) const;

 private:
  state::SpeedUnit unit_;
  const timing::DataSet& data_;
  double peak_;
};

[[nodiscard]] Mark measured_mark(const timing::Point& point, double x, double factor);
// In English; use tr() to show it.
[[nodiscard]] std::string chart_title(const ChartRequest& request, const std::string& kernel);
// A kernel keeps its color, marker and dash whatever is shown: they follow from the catalog.
void set_style(const ChartRequest& request, const std::string& kernel, Curve& curve);
// Without marks, for request.datasets[dataset].
[[nodiscard]] Curve new_curve(const ChartRequest& request, std::size_t dataset,
                              const std::string& kernel);

// The model's curve by BLOCK_SIZE of the requested kernel, with its error in the note.
void add_prediction(const ChartRequest& request, problem::Problem problem, Chart& chart);
// The curve that the user has drawn.
void add_guess(const ChartRequest& request, problem::Problem problem, Chart& chart);
// The level line of the FFMA peak, from one end of the x axis to the other, in the view's unit;
// nothing if the peak is unknown, or nothing compares it.
void add_level_peak(const ChartRequest& request, problem::Problem problem, Chart& chart);
// The fastest rival at each square size, of each shown data set that has no points of best_by_size
// itself; and for those that have, the kernel's name and its margin.
void add_best_by_size(const ChartRequest& request, Chart& chart);
// Appends the share of cuBLAS, or the speed, to the names at the lines' ends.
void name_ends(const ChartRequest& request, Chart& chart);

[[nodiscard]] Chart roofline(const ChartRequest& request);  // chart_svg.cpp

}  // namespace tilestep::analysis
