#include "timing/growing_file.h"

namespace tilestep::timing {

namespace {

// A large file takes longer to write than a small point to measure.
constexpr std::chrono::seconds kBetweenSaves{5};

}  // namespace

Result<void> GrowingFile::append(const Point& point) {
  if (!begun_) {
    return {};
  }
  Result<void> appended = append_point(point, file_);
  if (!appended) {
    saved_ = {};  // the whole file is due: it has the point, too
  }
  return appended;
}

bool GrowingFile::is_due() const {
  return !begun_ || std::chrono::steady_clock::now() - saved_ >= kBetweenSaves;
}

Result<void> GrowingFile::save(const DataSet& data) {
  Result<void> saved = save_dataset(data, file_);
  begun_ = begun_ || saved.has_value();
  saved_ = std::chrono::steady_clock::now();
  return saved;
}

}  // namespace tilestep::timing
