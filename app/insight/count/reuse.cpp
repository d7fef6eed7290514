#include "insight/count/reuse.h"

#include <algorithm>
#include <cassert>

namespace tilestep::insight {

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

// Blocks whose reads lie in the same place are taken together.
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

}  // namespace tilestep::insight
