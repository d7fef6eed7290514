// What the makers of charts share.
#pragma once

#include "analysis/chart.h"

#include <string>

namespace tilestep::analysis {

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
[[nodiscard]] std::string title_of(const ChartRequest& request, const std::string& kernel);
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

[[nodiscard]] Chart roofline(const ChartRequest& request);  // chart_roofline.cpp

}  // namespace tilestep::analysis
