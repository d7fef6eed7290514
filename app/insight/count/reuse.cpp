#include "insight/count/reuse.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace tilestep::insight {
namespace {

constexpr std::size_t kMostProducts = 256;
constexpr std::uint64_t kMostPairs = 1ULL << 22;

// Repeats each entry `count` times at distances of `step`. False: part of it would be out of range.
bool spread(std::vector<std::uint64_t>& line, std::int64_t step, std::uint32_t count) {
  const auto size = static_cast<std::int64_t>(line.size());
  const std::int64_t reach = step * (std::int64_t{count} - 1);
  std::vector<std::uint64_t> sums(line.size());
  for (std::int64_t n = 0; n < size; ++n) {
    const std::int64_t i = step > 0 ? n : size - 1 - n;
    const auto at = static_cast<std::size_t>(i);
    if (line[at] != 0 && (i + reach < 0 || i + reach >= size)) {
      return false;
    }
    const std::int64_t before = i - step;
    const std::int64_t gone = i - step * count;
    sums[at] = line[at];
    if (before >= 0 && before < size) {
      sums[at] += sums[static_cast<std::size_t>(before)];
    }
    if (gone >= 0 && gone < size) {
      sums[at] -= line[static_cast<std::size_t>(gone)];
    }
  }
  line = std::move(sums);
  return true;
}

std::size_t hash_of_line(const std::vector<std::uint64_t>& line) {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(line.data()), line.size() * sizeof line[0]});
}

// How many places have which values in all lines.
std::map<std::vector<std::uint64_t>, std::uint64_t> kinds(
    const std::vector<const std::vector<std::uint64_t>*>& lines, std::size_t size) {
  std::map<std::vector<std::uint64_t>, std::uint64_t> found;
  std::vector<std::uint64_t> key(lines.size());
  std::uint64_t* latest = nullptr;
  for (std::size_t i = 0; i < size; ++i) {
    bool same = latest != nullptr;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      same = same && key[k] == (*lines[k])[i];
      key[k] = (*lines[k])[i];
    }
    latest = same ? latest : &found[key];
    ++*latest;
  }
  return found;
}

}  // namespace

std::uint64_t Reuse::elements() const {
  std::uint64_t all = 0;
  for (const auto& [reads, elements] : elements_by_reads) {
    all += elements;
  }
  return all;
}

std::uint64_t Reuse::reads() const {
  std::uint64_t all = 0;
  for (const auto& [reads, elements] : elements_by_reads) {
    all += reads * elements;
  }
  return all;
}

std::uint64_t Reuse::least() const {
  return elements_by_reads.empty() ? 0 : elements_by_reads.begin()->first;
}

std::uint64_t Reuse::most() const {
  return elements_by_reads.empty() ? 0 : elements_by_reads.rbegin()->first;
}

double Reuse::mean() const {
  const std::uint64_t all = elements();
  return all == 0 ? 0.0 : static_cast<double>(reads()) / static_cast<double>(all);
}

ReadCounts::ReadCounts(const problem::Buffer& buffer)
    : rows_(static_cast<std::size_t>(buffer.rows)),
      cols_(static_cast<std::size_t>(buffer.cols)),
      pitch_(static_cast<std::size_t>(std::max(buffer.pitch, 1))),
      reads_(rows_ * pitch_) {}

void ReadCounts::add_runs(const std::vector<ElementRun>& runs, std::int64_t shift,
                          std::uint64_t times) {
  for (const ElementRun& run : runs) {
    assert(run.first + shift >= 0);
    const auto first = static_cast<std::size_t>(run.first + shift);
    const std::size_t last = std::min(first + run.count, reads_.size());
    const auto reads = static_cast<std::uint32_t>(run.reads * times);
    for (std::size_t element = first; element < last; ++element) {
      reads_[element] += reads;
    }
  }
}

// Blocks whose reads have the same place are counted together.
void ReadCounts::add(const BlockMeter::Footprint& footprint, const BlockRange& range) {
  for (const auto& [motion, unsorted] : footprint) {
    std::vector<ElementRun> runs = unsorted;
    merge_runs(runs);
    BlockRange moving = range;
    moving.last[kIterations] = motion.iterations - 1;
    std::uint64_t times = 1;
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (motion.shift[i] == 0) {
        times *= moving.last[i] - moving.first[i] + 1;
        moving.last[i] = moving.first[i];
      }
    }
    AxisPoint at = moving.first;
    do {
      std::int64_t by = 0;
      for (std::size_t i = 0; i < kAxes; ++i) {
        by += motion.shift[i] * (std::int64_t{at[i]} - range.first[i]);
      }
      add_runs(runs, by, times);
    } while (next_point(moving, at));
  }
}

Reuse ReadCounts::reuse() const {
  Reuse reuse;
  std::uint64_t* last = nullptr;
  std::uint32_t last_reads = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t col = 0; col < cols_; ++col) {
      const std::uint32_t reads = reads_[row * pitch_ + col];
      if (last == nullptr || reads != last_reads) {
        last = &reuse.elements_by_reads[reads];
        last_reads = reads;
      }
      ++*last;
    }
  }
  return reuse;
}

ReadProducts::ReadProducts(const problem::Buffer& buffer)
    : rows_(static_cast<std::size_t>(buffer.rows)),
      cols_(static_cast<std::size_t>(buffer.cols)),
      pitch_(static_cast<std::size_t>(std::max(buffer.pitch, 1))) {}

void ReadProducts::add(const BlockMeter::Footprint& footprint, const BlockRange& range) {
  for (const auto& [motion, runs] : footprint) {
    if (!is_lost_) {
      add_motion(motion, runs, range);
    }
  }
}

void ReadProducts::add_motion(const ElementMotion& motion, std::vector<ElementRun> runs,
                              BlockRange range) {
  merge_runs(runs);
  const auto pitch = static_cast<std::int64_t>(pitch_);
  std::map<std::int64_t, std::vector<Piece>> by_row;
  for (const ElementRun& run : runs) {
    for (std::int64_t at = run.first; at < run.first + run.count;) {
      const std::int64_t end = std::min(run.first + run.count, (at / pitch + 1) * pitch);
      by_row[at / pitch].push_back({static_cast<std::uint32_t>(at % pitch),
                                    static_cast<std::uint32_t>(end - at), run.reads});
      at = end;
    }
  }
  std::map<std::vector<Piece>, Line> alike;  // rows with the same reads
  for (auto& [row, pieces] : by_row) {
    Line& rows = alike[std::move(pieces)];
    rows.resize(rows_);
    if (row < 0 || row >= static_cast<std::int64_t>(rows_)) {
      is_lost_ = true;
      return;
    }
    rows[static_cast<std::size_t>(row)] = 1;
  }
  range.last[kIterations] = motion.iterations - 1;
  for (const auto& [pieces, rows] : alike) {
    Product product{rows, Line(pitch_), 0, 0};
    for (const Piece& piece : pieces) {
      std::fill_n(product.cols.begin() + piece.first, piece.count, piece.reads);
    }
    for (std::size_t i = 0; i < kAxes && !is_lost_; ++i) {
      const std::uint32_t blocks = range.last[i] - range.first[i] + 1;
      const std::int64_t shift = motion.shift[i];
      if (blocks == 1) {
        continue;
      }
      if (shift == 0) {
        for (std::uint64_t& reads : product.cols) {
          reads *= blocks;
        }
      } else if (shift % pitch == 0) {
        is_lost_ = !spread(product.rows, shift / pitch, blocks);
      } else {
        is_lost_ = !spread(product.cols, shift, blocks);
      }
    }
    add_product(std::move(product));
  }
}

// Joins products with the same rows, or with the same columns.
void ReadProducts::add_product(Product product) {
  if (is_lost_) {
    return;
  }
  const auto add_line = [](const Line& from, Line& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] += from[i];
    }
  };
  product.rows_hash = hash_of_line(product.rows);
  product.cols_hash = hash_of_line(product.cols);
  for (Product& other : products_) {
    if (other.rows_hash == product.rows_hash && other.rows == product.rows) {
      add_line(product.cols, other.cols);
      other.cols_hash = hash_of_line(other.cols);
      return;
    }
    if (other.cols_hash == product.cols_hash && other.cols == product.cols) {
      add_line(product.rows, other.rows);
      other.rows_hash = hash_of_line(other.rows);
      return;
    }
  }
  products_.push_back(std::move(product));
  is_lost_ = products_.size() > kMostProducts;
}

Reuse ReadProducts::reuse() const {
  Reuse reuse;
  std::vector<const Line*> row_lines;
  std::vector<const Line*> col_lines;
  for (const Product& product : products_) {
    row_lines.push_back(&product.rows);
    col_lines.push_back(&product.cols);
  }
  const auto rows = kinds(row_lines, rows_);
  const auto cols = kinds(col_lines, cols_);
  if (is_lost_ || rows.size() * cols.size() * (products_.size() + 1) > kMostPairs) {
    return reuse;
  }
  for (const auto& [f, count_of_rows] : rows) {
    for (const auto& [g, count_of_cols] : cols) {
      std::uint64_t reads = 0;
      for (std::size_t k = 0; k < f.size(); ++k) {
        reads += f[k] * g[k];
      }
      reuse.elements_by_reads[reads] += count_of_rows * count_of_cols;
    }
  }
  return reuse;
}

}  // namespace tilestep::insight
