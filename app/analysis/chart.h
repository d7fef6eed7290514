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
};

enum class Role {
  Measured,   // a kernel, by markers joined by a line
  Predicted,  // a kernel by the model: a dashed line
  Library,    // cuBLAS: a level line
  Ceiling,    // what the GPU cannot exceed
};

struct Curve {
  std::string name;     // for a legend
  std::string kernel;   // catalog id, "cublas"; empty for a ceiling
  std::string dataset;  // it was measured in; empty for predictions and ceilings
  Role role = Role::Measured;
  std::size_t style = 0;    // colour and marker: one number for one kernel in every view
  bool is_overlay = false;  // of a data set that is laid over the chosen one
  std::vector<Mark> marks;  // by x
};

struct Axis {
  std::string title;
  bool is_log = false;
  double low = 0.0;
  double high = 1.0;
  std::vector<double> ticks;  // empty: ticks_of() chooses
};

// Where the axis is labelled: 1, 2 and 5 times powers of ten; even steps on a logarithmic axis that
// has less than three of these.
[[nodiscard]] std::vector<double> ticks_of(const Axis& axis);

struct Chart {
  std::string title;
  std::string note;  // what holds for all of it: "median, whiskers: quartiles · …"
  Axis x, y;
  bool is_bars = false;      // one curve a kernel, fastest last: its mark, and its best
  bool is_roofline = false;  // marks of a curve are points of one kernel, not a line
  bool x_is_block_size = false;
  std::vector<Curve> curves;

  [[nodiscard]] bool is_empty() const;
};

struct ChartRequest {
  state::TimingView view;
  int block_size = 16;  // of the views in which it does not vary
  // The chosen data set first, then those laid over it.
  std::vector<const timing::DataSet*> datasets;
  GpuModel gpu;                        // of the chosen one: peak and ceilings
  std::string predicted_kernel;        // drawn dashed by BLOCK_SIZE; empty: none
  std::span<const LaunchFacts> facts;  // counted so far
  std::vector<std::string> kernels;    // to show where kernels are curves; empty: all
  std::vector<std::pair<std::string, std::string>> titles;  // kernel id → name for people
};

// A chart for view.page, one of the four that are plots. Without a data set, or without the facts
// that it needs, its curves are fewer; it is never an error.
[[nodiscard]] Chart make_chart(const ChartRequest& request);

// The measured problem nearest to the wanted one: the same if it is there, else the nearest square
// one; nothing where nothing was measured.
[[nodiscard]] std::optional<problem::Problem> nearest_problem(const timing::DataSet& data,
                                                              problem::Problem wanted);
// All that were measured: square ones by size, then the others.
[[nodiscard]] std::vector<problem::Problem> measured_problems(const timing::DataSet& data);
[[nodiscard]] std::string to_text(problem::Problem problem);  // "4096" or "2048×512×2048"

// One row for each mark, with a heading.
[[nodiscard]] std::string to_csv(const Chart& chart);
// A picture of this many pixels, with white ground and colours that colour-blind readers can tell
// apart (Okabe and Ito); curves also differ by marker and dash.
[[nodiscard]] std::string to_svg(const Chart& chart, int width, int height);

}  // namespace tilestep::analysis
