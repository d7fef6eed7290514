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
[[nodiscard]] std::string title_of(const ChartRequest& request, const std::string& kernel);
// A kernel keeps its style whatever is shown: its place in the catalog.
[[nodiscard]] std::size_t style_of(const ChartRequest& request, const std::string& kernel);
// Without marks, of request.datasets[dataset].
[[nodiscard]] Curve new_curve(const ChartRequest& request, std::size_t dataset,
                              const std::string& kernel);

[[nodiscard]] Chart roofline(const ChartRequest& request);  // chart_roofline.cpp

}  // namespace tilestep::analysis
