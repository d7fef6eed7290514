#include "timing/dataset_csv.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csv.h>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tilestep::timing {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(std::string_view line) {
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

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// Where the columns stand; -1: not there.
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
        return wrong("block_size", tr("an integer, 0 or more"));
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
      return wrong(what, tr("an integer, 1 or more"));
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
      columns.emplace(cells_of(line));
      if (const char* missing = columns->missing()) {
        return fail(
            tr("{}: line {}: the heading has no column {}. It needs kernel, M, N, "
               "K (or size), ms and may have block_size.",
               name, line_number, missing));
      }
      reader.emplace(*columns, name);
      continue;
    }
    if (const auto read = reader->read(cells_of(line), line_number); !read) {
      return tl::unexpected(read.error());
    }
  }
  if (!reader) {
    return fail(tr("{}: is empty.", name));
  }
  DataSet data;
  data.name = name;
  data.provenance = provenance;
  data.points = reader->take();
  return data;
}

namespace {

// Readers drop blanks around a cell without quotes, and lines that begin with #.
bool is_plain(std::string_view text) {
  return text.find_first_of(",\"\n") == std::string_view::npos && !text.starts_with('#') &&
         trimmed(text).size() == text.size();
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell(2 * text.size() + 2, '\0');  // were all of it quotes
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
