// What the timing plot shows: a data set, cut to one size, as series over BLOCK_SIZE. Pure.
#pragma once

#include "timing/dataset.h"

#include <string>
#include <vector>

namespace tilestep::ui {

struct SeriesPoint {
  const timing::Point* point = nullptr;  // in the data set
  timing::Statistics statistics;
  double gflops = 0.0;  // of the median
  double below = 0.0;   // down to the slow quartile's speed
  double above = 0.0;   // up to the fast quartile's
};

struct Series {
  std::string kernel;               // catalog id
  std::vector<SeriesPoint> points;  // by BLOCK_SIZE; only measured ones
};

struct TimingPlot {
  std::vector<Series> kernels;  // in the data set's order
  SeriesPoint cublas;           // point is null when it was not measured
  SeriesPoint cublas_tf32;      // likewise; on tensor cores
};

[[nodiscard]] TimingPlot make_plot(const timing::DataSet& data, int size);

// The data set a view means: by name, otherwise the first; null when there is none.
[[nodiscard]] const timing::DataSet* find_dataset(const std::vector<timing::DataSet>& datasets,
                                                  const std::string& name);
// The measured size nearest to the wanted one; 0 when nothing was measured.
[[nodiscard]] int nearest_size(const timing::DataSet& data, int wanted);

// What follows from a point's launch alone, each a sentence: warps and idle lanes of a block, the
// share of the last tiles that is padding.
struct Remark {
  bool good = true;
  std::string about;
  std::string sentence;
};
[[nodiscard]] std::vector<Remark> remarks(const timing::Point& point);

}  // namespace tilestep::ui
