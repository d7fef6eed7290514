#include "timing/dataset.h"

#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csv.h>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <tuple>
#include <type_traits>

namespace tilestep::timing {
namespace {

// Quantile of sorted values, R type 7: linear between the two order statistics around (n -
// 1)·fraction.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = static_cast<double>(sorted.size() - 1) * fraction;
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

std::filesystem::path points_beside(const std::filesystem::path& file) {
  std::filesystem::path beside = file;
  beside += ".points";
  return beside;
}

// The last line is ignored if a kill has cut it off.
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

// The data set's text with empty lines for the points of other kernels, so that all other lines
// keep their numbers.
std::string text_about(const std::vector<std::string>& kernels, std::string_view json) {
  constexpr std::string_view kPoint = "    {\"kernel\":\"";  // as written by to_json
  std::string kept;
  std::optional<std::size_t> behind_last;  // of the points that are kept
  while (!json.empty()) {
    const std::string_view line = json.substr(0, json.find('\n'));
    json.remove_prefix(std::min(line.size() + 1, json.size()));
    if (!line.starts_with(kPoint)) {
      kept += line;
    } else if (const auto name = line.substr(kPoint.size());
               std::ranges::find(kernels, name.substr(0, name.find('"'))) != kernels.end()) {
      if (behind_last) {
        kept.insert(*behind_last, ",");
      }
      kept += line.substr(0, line.ends_with(',') ? line.size() - 1 : line.size());
      behind_last = kept.size();
    }
    kept += '\n';
  }
  return kept;
}

// A large file takes longer to write than a small point to measure.
constexpr std::chrono::seconds kBetweenSaves{5};

using Cells = std::vector<std::string>;

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<Number>) {
    read = problem::read_number(text.data(), text.data() + text.size(), value);
  } else {
    read = std::from_chars(text.data(), text.data() + text.size(), value);
  }
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// Indices of the columns; -1: missing.
struct Columns {
  int kernel = -1, m = -1, n = -1, k = -1, size = -1, block_size = -1, ms = -1;

  explicit Columns(const Cells& head) {
    for (std::size_t i = 0; i < head.size(); ++i) {
      const int at = static_cast<int>(i);
      kernel = head[i] == "kernel" ? at : kernel;
      m = head[i] == "M" ? at : m;
      n = head[i] == "N" ? at : n;
      k = head[i] == "K" ? at : k;
      size = head[i] == "size" ? at : size;
      block_size = head[i] == "block_size" ? at : block_size;
      ms = head[i] == "ms" ? at : ms;
    }
  }
  [[nodiscard]] const char* missing() const {
    const bool has_size = size >= 0 || (m >= 0 && n >= 0 && k >= 0);
    return kernel < 0 ? "kernel" : !has_size ? tr("M, N and K (or size)") : ms < 0 ? "ms" : nullptr;
  }
};

class Reader {
 public:
  Reader(const Columns& columns, const std::string& name) : columns_(columns), name_(name) {}

  Result<void> read(const Cells& cells, int line) {
    cells_ = cells;
    line_ = line;
    Point row;
    const std::string_view kernel = cell(columns_.kernel);
    row.kernel = std::string(kernel);
    const auto size = columns_.size >= 0 ? positive(columns_.size, "size") : Result<int>(1);
    const auto m = columns_.size >= 0 ? size : positive(columns_.m, "M");
    const auto n = columns_.size >= 0 ? size : positive(columns_.n, "N");
    const auto k = columns_.size >= 0 ? size : positive(columns_.k, "K");
    for (const auto* part : {&m, &n, &k}) {
      if (!*part) {
        return tl::unexpected(part->error());
      }
    }
    row.problem = {*m, *n, *k};
    if (columns_.block_size >= 0) {
      const auto block_size = number<int>(cell(columns_.block_size));
      if (!block_size || *block_size < 0) {
        return wrong("block_size", tr("an integer, at least 0"));
      }
      row.block_size = *block_size;
    }
    const auto ms = number<double>(cell(columns_.ms));
    if (kernel.empty()) {
      return wrong("kernel", tr("a name"));
    }
    if (!ms || !(*ms > 0.0)) {
      return wrong("ms", tr("a number of milliseconds above 0"));
    }
    add(std::move(row), *ms);
    return {};
  }
  std::vector<Point> take() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i].samples_ms = std::move(samples_[i]);
    }
    return std::move(points_);
  }

 private:
  [[nodiscard]] std::string_view cell(int column) const {
    const auto at = static_cast<std::size_t>(column);
    return at < cells_.size() ? std::string_view(cells_[at]) : std::string_view();
  }
  [[nodiscard]] tl::unexpected<Error> wrong(const char* column, const char* expected) const {
    return fail(tr("{}: line {}, column {}: expected {}.", name_, line_, column, expected));
  }
  [[nodiscard]] Result<int> positive(int column, const char* what) const {
    const auto value = number<int>(cell(column));
    if (!value || *value < 1) {
      return wrong(what, tr("an integer, at least 1"));
    }
    return *value;
  }
  void add(Point row, double ms) {
    const problem::Problem& size = row.problem;
    const auto [same, is_new] = places_.try_emplace(
        Key{row.kernel, size.M, size.N, size.K, row.block_size}, points_.size());
    const std::size_t at = same->second;
    if (is_new) {
      points_.push_back(std::move(row));
      samples_.emplace_back();
    }
    samples_[at].push_back(ms);
  }

  const Columns& columns_;
  const std::string& name_;
  Cells cells_;
  int line_ = 0;
  using Key = std::tuple<std::string, int, int, int, int>;
  std::map<Key, std::size_t> places_;  // in points_
  std::vector<Point> points_;
  std::vector<std::vector<double>> samples_;  // of each point, as read so far
};

}  // namespace

Statistics statistics(const std::vector<double>& samples_ms) {
  Statistics result;
  if (samples_ms.empty()) {
    return result;
  }
  std::vector<double> sorted = samples_ms;
  std::ranges::sort(sorted);
  result.median_ms = quantile(sorted, 0.5);
  result.q1_ms = quantile(sorted, 0.25);
  result.q3_ms = quantile(sorted, 0.75);
  result.min_ms = sorted.front();
  result.max_ms = sorted.back();
  result.samples = sorted.size();
  return result;
}

double gflops(double flops, double milliseconds) {
  return milliseconds > 0.0 ? flops / (milliseconds * 1e6) : 0.0;
}

double gflops(problem::Problem problem, double milliseconds) {
  return gflops(2.0 * problem.M * problem.N * problem.K, milliseconds);
}

double gflops(const Point& point, double milliseconds) {
  return point.flops > 0.0 ? gflops(point.flops, milliseconds)
                           : gflops(point.problem, milliseconds);
}

const Point* DataSet::find(const std::string& kernel, problem::Problem problem,
                           int block_size) const {
  const auto it = std::ranges::find_if(points, [&](const Point& point) {
    return point.block_size == block_size && point.problem == problem && point.kernel == kernel;
  });
  return it == points.end() ? nullptr : &*it;
}

double DataSet::median_ms(const std::string& kernel, problem::Problem problem,
                          int block_size) const {
  const Point* const point = find(kernel, problem, block_size);
  return point == nullptr ? 0.0 : point->median_ms();
}

std::vector<std::string> DataSet::kernels() const {
  std::vector<std::string> ids;
  bool cublas = false;
  for (const Point& point : points) {
    if (point.kernel == kCublas) {
      cublas = true;
    } else if (std::ranges::find(ids, point.kernel) == ids.end()) {
      ids.push_back(point.kernel);
    }
  }
  if (cublas) {
    ids.emplace_back(kCublas);
  }
  return ids;
}

// Data sets on disk.

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

Result<DataSet> load_dataset_of(const std::vector<std::string>& kernels,
                                const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<DataSet> data = parse_dataset(text_about(kernels, *text), file.filename().string());
  if (data) {
    data->name = file.stem().string();
  }
  return data;
}

Result<void> GrowingFile::append(const Point& point) {
  if (!begun_) {
    return {};
  }
  Result<void> appended = append_point(point, file_);
  if (!appended) {
    saved_ = {};  // the whole file is due, and it includes the point
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

Result<DataSet> parse_csv(const std::string& text, const Provenance& provenance,
                          const std::string& name) {
  std::optional<Columns> columns;
  std::optional<Reader> reader;
  int line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    ++line_number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (!columns) {
      columns.emplace(csv_cells(line));
      if (const char* missing = columns->missing()) {
        return fail(
            tr("{}: line {}: the header has no column {}. It needs kernel, M, N, K (or size) and "
               "ms; block_size is optional.",
               name, line_number, missing));
      }
      reader.emplace(*columns, name);
      continue;
    }
    if (const auto read = reader->read(csv_cells(line), line_number); !read) {
      return tl::unexpected(read.error());
    }
  }
  if (!reader) {
    return fail(tr("{} is empty.", name));
  }
  DataSet data;
  data.name = name;
  data.provenance = provenance;
  data.points = reader->take();
  return data;
}

namespace {

// Readers drop blanks around an unquoted cell, and lines that begin with #.
bool is_plain(std::string_view text) {
  return text.find_first_of(",\"\n") == std::string_view::npos && !text.starts_with('#') &&
         trimmed(text).size() == text.size();
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line) {
  using Cells = std::vector<std::string>;
  Cells cells;
  const auto add = [](void* cell, std::size_t bytes, void* to) {
    static_cast<Cells*>(to)->emplace_back(static_cast<const char*>(cell), bytes);
  };
  csv_parser parser;
  csv_init(&parser, 0);
  csv_parse(&parser, line.data(), line.size(), add, nullptr, &cells);
  csv_fini(&parser, add, nullptr, &cells);
  csv_free(&parser);
  return cells;
}

std::string csv_cell(std::string_view text) {
  std::string cell(2 * text.size() + 2, '\0');  // enough even if all of it were quotes
  cell.resize(csv_write(cell.data(), cell.size(), text.data(), text.size()));
  return cell;
}

std::string to_csv(const DataSet& data) {
  std::string out = "kernel,M,N,K,block_size,ms\n";
  for (const Point& point : data.points) {
    const std::string kernel = is_plain(point.kernel) ? point.kernel : csv_cell(point.kernel);
    for (const double ms : point.samples_ms) {
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{}\n", kernel, point.problem.M,
                     point.problem.N, point.problem.K, point.block_size, ms);
    }
  }
  return out;
}

}  // namespace tilestep::timing
