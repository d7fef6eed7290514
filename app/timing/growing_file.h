// The file of a data set that is being measured: every point is on disk before the next one
// starts, without writing the file again each time.
#pragma once

#include "timing/dataset.h"

#include <chrono>
#include <filesystem>
#include <utility>

namespace tilestep::timing {

// Points stand in a line beside the file as they come, and in it some seconds later. Not for
// several threads at once.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Before the first save there is no file to stand beside: that save takes the point along.
  [[nodiscard]] Result<void> append(const Point& point);
  // Before the first save, when the last is some seconds ago, and when a point was not appended.
  [[nodiscard]] bool is_due() const;
  // The whole file (save_dataset).
  [[nodiscard]] Result<void> save(const DataSet& data);

 private:
  std::filesystem::path file_;
  bool begun_ = false;
  std::chrono::steady_clock::time_point saved_;
};

}  // namespace tilestep::timing
