// Data sets on disk.
#include "problem/file.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <sstream>
#include <system_error>

namespace tilestep::timing {

namespace {

std::filesystem::path points_beside(const std::filesystem::path& file) {
  std::filesystem::path beside = file;
  beside += ".points";
  return beside;
}

// A line that was cut off by a kill is the last, and no point.
void add_points_beside(const std::filesystem::path& file, DataSet& data) {
  const Result<std::string> text = problem::read_file(points_beside(file));
  std::istringstream lines(text.value_or(""));
  for (std::string line; std::getline(lines, line);) {
    auto point = parse_point(line);
    if (point && data.find(point->kernel, point->problem, point->block_size) == nullptr) {
      data.points.push_back(std::move(*point));
    }
  }
}

}  // namespace

Result<void> append_point(const Point& point, const std::filesystem::path& file) {
  return problem::append_to_file(points_beside(file), to_json(point) + '\n');
}

Result<DataSet> load_dataset(const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<DataSet> data = parse_dataset(*text, file.filename().string());
  if (data) {
    data->name = file.stem().string();
    add_points_beside(file, *data);
  }
  return data;
}

const Result<DataSet>& UnreadDataSet::read() const {
  if (!data_) {
    data_ = load_dataset(file_);
  }
  return *data_;
}

Result<void> save_dataset(const DataSet& data, const std::filesystem::path& file) {
  std::error_code error;
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
      return fail(tr("{}: the folder cannot be created: {}. Choose another one.",
                     file.parent_path().string(), error.message()));
    }
  }
  if (Result<void> written = problem::write_file(file, to_json(data)); !written) {
    return written;
  }
  std::filesystem::remove(points_beside(file), error);
  return {};
}

}  // namespace tilestep::timing
