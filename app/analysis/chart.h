// What a plot of timings shows, before anything is drawn: curves, axes, words. The window draws a
// Chart with ImPlot; `tilestep chart` writes the same one as SVG or CSV. Pure.
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
  double below = 0.0;                    // down to the slow quartile's speed
  double above = 0.0;                    // up to the fast quartile's
  const timing::Point* point = nullptr;  // in its data set; null: not measured
  timing::Statistics statistics;         // of the point's samples
  double gflops = 0.0;
  int block_size = 0;
  std::string won{};  // of best_by_size, a sentence: what it is here, and by how much that won
};

enum class Role {
  Measured,   // a kernel, by markers joined by a line
  Predicted,  // a kernel by the model: a dashed line
  Library,    // cuBLAS: a level line
  Ceiling,    // what the GPU cannot exceed
  Drawn,      // what the user expects, before the measured curve is seen
};

struct Curve {
  std::string name;     // for a legend
  std::string english;  // the same in English, for files
  std::string kernel;   // catalog id, "cublas"; empty for a ceiling
  std::string dataset;  // it was measured in; empty for predictions and ceilings
  Role role = Role::Measured;
  std::size_t family = 0;   // colour: its place in ChartRequest::families, one beyond for none
  std::size_t style = 0;    // marker and dash: its place in the family, the same in every view
  bool is_wrong = false;    // its results are: broken on purpose, or one was not verified
  std::string end;          // what is said behind the name where the line ends: "17.4 %"
  bool is_overlay = false;  // of a data set that is laid over the chosen one
  std::vector<Mark> marks;  // by x
};

struct Axis {
  std::string title;
  bool is_log = false;
  double low = 0.0;
  double high = 1.0;
  std::vector<double> ticks;   // empty: ticks_of() chooses
  double divisor = 1.0;        // what is written is the value over this: 1000 for TFLOP/s
  std::string name_of_last{};  // written at the last tick instead of its number; empty: the number
};

// Where the axis is labelled: 1, 2 and 5 times powers of ten; even steps on a logarithmic axis that
// has less than three of these.
[[nodiscard]] std::vector<double> ticks_of(const Axis& axis);
// Those of them that have room, where `most` names fit side by side: of a logarithmic axis first
// the powers of ten, then every second one; of sizes that are near each other a power of two.
[[nodiscard]] std::vector<double> ticks_with_room(const Axis& axis, double most);
// What is written there: "50,000", "0.25", "fixed".
[[nodiscard]] std::string tick_text(const Axis& axis, double tick);
// A speed in the axis's unit, with as many digits as it is worth.
[[nodiscard]] std::string speed_text(const Axis& axis, double speed);

// Where kernels without BLOCK_SIZE are on an axis of BLOCK_SIZEs: right of all.
inline constexpr double kFixedTiles = 35.0;

struct Chart {
  std::string title;
  std::string note;  // what holds for all of it: "median, whiskers: quartiles · …"
  Axis x, y;
  bool is_bars = false;      // one curve a kernel, fastest last: its mark, and its best
  bool is_roofline = false;  // marks of a curve are points of one kernel, not a line
  bool x_is_block_size = false;
  double y_of_gflops = 0.0;  // y of 1 GFLOP/s at the shown size; 0: there is none
  std::vector<Curve> curves;

  [[nodiscard]] bool is_empty() const;
};

// Where labels of one height go that would like to be at `wanted` (their middles, in any order):
// as near as they can without one over the other, and between `top` and `bottom` if they fit there.
[[nodiscard]] std::vector<double> spread_labels(const std::vector<double>& wanted, double height,
                                                double top, double bottom);

// A kernel as charts call and draw it.
struct KernelName {
  std::string id;
  std::string title;      // in English, as the family is: tr() where they are shown
  std::string family{};   // of the catalog; empty: none
  bool is_wrong = false;  // broken on purpose
  bool is_rung = false;   // of the ladder
};

struct ChartRequest {
  state::TimingView view;
  int block_size = 16;  // of the views in which it does not vary
  // The chosen data set first, then those laid over it.
  std::vector<const timing::DataSet*> datasets;
  GpuModel gpu;                        // of the chosen one: peak and ceilings
  GpuModel what_if;                    // that predictions are for; not known: `gpu`
  std::string predicted_kernel;        // drawn dashed by BLOCK_SIZE; empty: none
  std::span<const LaunchFacts> facts;  // counted so far
  std::vector<std::string> kernels;    // to show where kernels are curves; empty: all
  std::vector<KernelName> names;       // of all kernels, in their order
  std::vector<std::string> rivals;     // ids of those that compete for best_by_size
  std::vector<std::string> families;   // in theirs

  // What predictions are for.
  [[nodiscard]] const GpuModel& predicted_gpu() const { return what_if.is_known() ? what_if : gpu; }
};

// A chart for view.page, one of the four that are plots. Without a data set, or without the facts
// that it needs, its curves are fewer; it is never an error.
[[nodiscard]] Chart make_chart(const ChartRequest& request);

// What is on the stage where this point is shown: the kernel that best_by_size was there.
[[nodiscard]] const std::string& stage_kernel(const timing::Point& point);

// The measured problem nearest to the wanted one: the same if it is there, else the nearest square
// one; nothing where nothing was measured.
[[nodiscard]] std::optional<problem::Problem> nearest_problem(const timing::DataSet& data,
                                                              problem::Problem wanted);
// What a plot shows for the wanted one: the nearest measured problem, or it itself where there is
// none.
[[nodiscard]] problem::Problem shown_problem(const timing::DataSet* data, problem::Problem wanted);
// All that were measured: square ones by size, then the others.
[[nodiscard]] std::vector<problem::Problem> measured_problems(const timing::DataSet& data);
[[nodiscard]] std::string to_text(problem::Problem problem);  // "4096" or "2048×512×2048"

// One row for each mark, with a heading.
[[nodiscard]] std::string to_csv(const Chart& chart);
// A picture of this many pixels, with white ground and colours that colour-blind readers can tell
// apart (Okabe and Ito); curves also differ by marker and dash.
[[nodiscard]] std::string to_svg(const Chart& chart, int width, int height);

// What the makers of charts share.

[[nodiscard]] bool is_library(const std::string& kernel);
// Whether its curve is asked for; the ladder has all.
[[nodiscard]] bool is_shown(const ChartRequest& request, const std::string& kernel);
[[nodiscard]] bool is_square(problem::Problem problem);

// Turns GFLOP/s into the view's unit for one data set.
class Scale {
 public:
  Scale(const ChartRequest& request, const timing::DataSet& data);

  // What GFLOP/s of this problem are multiplied by; 0 where there is nothing to compare with.
  [[nodiscard]] double factor(problem::Problem problem) const;

 private:
  state::SpeedUnit unit_;
  const timing::DataSet& data_;
  double peak_;
};

[[nodiscard]] Mark measured_mark(const timing::Point& point, double x, double factor);
// In English: tr() where it is shown.
[[nodiscard]] std::string chart_title(const ChartRequest& request, const std::string& kernel);
// A kernel keeps its colour, marker and dash whatever is shown: they follow from the catalog.
void set_style(const ChartRequest& request, const std::string& kernel, Curve& curve);
// Without marks, of request.datasets[dataset].
[[nodiscard]] Curve new_curve(const ChartRequest& request, std::size_t dataset,
                              const std::string& kernel);

// The model's curve by BLOCK_SIZE of the kernel that is asked for, with its error in the note.
void add_prediction(const ChartRequest& request, problem::Problem problem, Chart& chart);
// What the user has drawn.
void add_guess(const ChartRequest& request, problem::Problem problem, Chart& chart);
// The level line of the FFMA peak, from one end of the x axis to the other, in the view's unit;
// nothing where the peak is not known, or nothing compares it.
void add_level_peak(const ChartRequest& request, problem::Problem problem, Chart& chart);
// The fastest rival at each square size, of each data set that is shown and has no points of
// best_by_size itself; and which kernel it is, and by how much it won, of those that have.
void add_best_by_size(const ChartRequest& request, Chart& chart);
// Behind the names where lines end: the share of cuBLAS, or the speed.
void name_ends(const ChartRequest& request, Chart& chart);

[[nodiscard]] Chart roofline(const ChartRequest& request);  // chart_svg.cpp

}  // namespace tilestep::analysis
