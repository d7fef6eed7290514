#include "insight/count/exclusive_stores.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

std::size_t element_count(const problem::Buffer& buffer) {
  return problem::byte_count(buffer) / problem::byte_size(buffer.type);
}

// A block reads nothing of the buffer but what it stores itself.
bool reads_its_own(const BlockMeter::Footprint& reads, const BlockMeter::Footprint& stores) {
  for (const auto& [motion, unsorted] : reads) {
    const auto same = stores.find(motion);
    if (same == stores.end()) {
      return false;
    }
    std::vector<ElementRun> own = same->second;
    merge_runs(own);
    const auto is_own = [&](const ElementRun& run) {
      // Runs that were merged lie in order, and touch each other where their counts differ.
      const auto covers = [](const ElementRun& stored, std::int64_t from) {
        return stored.first <= from && from < stored.first + stored.count;
      };
      std::int64_t from = run.first;
      auto stored = std::ranges::upper_bound(own, from, {}, &ElementRun::first);
      stored -= stored == own.begin() ? 0 : 1;
      for (; stored != own.end() && covers(*stored, from); ++stored) {
        from = stored->first + stored->count;
      }
      return from >= run.first + run.count;
    };
    if (!std::ranges::all_of(unsorted, is_own)) {
      return false;
    }
  }
  return true;
}

}  // namespace

ExclusiveStores::ExclusiveStores(const simt::Program& program)
    : program_(program),
      stored_(program.launch().buffers.size()),
      read_(program.launch().buffers.size()) {}

void ExclusiveStores::add(const BlockMeter& meter, const BlockRange& range) {
  if (meter.stores_otherwise()) {
    failure_ = tr("blocks meet in atomics, or in memory that is no buffer");
  }
  for (std::size_t buffer = 0; buffer < stored_.size() && failure_.empty(); ++buffer) {
    const BlockMeter::Footprint& stores = meter.stored()[buffer];
    const BlockMeter::Footprint& reads = meter.footprints()[buffer];
    store(buffer, stores, range);
    read_[buffer] = read_[buffer] || !reads_its_own(reads, stores);
    if (read_[buffer] && !stored_[buffer].empty()) {
      failure_ =
          tr("blocks may read what others store in {}", program_.launch().buffers[buffer].name);
    }
  }
}

void ExclusiveStores::store(std::size_t buffer, const BlockMeter::Footprint& footprint,
                            const BlockRange& range) {
  std::vector<std::uint64_t>& bits = stored_[buffer];
  if (!footprint.empty() && bits.empty()) {
    bits.resize(element_count(program_.launch().buffers[buffer]) / 64 + 1);
  }
  for (const auto& [motion, unsorted] : footprint) {
    std::vector<ElementRun> runs = unsorted;
    merge_runs(runs);
    BlockRange moving = range;
    moving.last[kIterations] = motion.iterations - 1;
    AxisPoint at = moving.first;
    do {
      std::int64_t by = 0;
      for (std::size_t i = 0; i < kAxes; ++i) {
        by += motion.shift[i] * (std::int64_t{at[i]} - range.first[i]);
      }
      for (const ElementRun& run : runs) {
        if (!set_bits(bits, static_cast<std::size_t>(run.first + by), run.count)) {
          failure_ = tr("several blocks may store one element of {}",
                        program_.launch().buffers[buffer].name);
          return;
        }
      }
    } while (next_point(moving, at));
  }
}

bool ExclusiveStores::set_bits(std::vector<std::uint64_t>& bits, std::size_t first,
                               std::size_t count) {
  bool were_clear = true;
  for (std::size_t at = first; at < first + count;) {
    const std::size_t in_word = std::min<std::size_t>(64 - at % 64, first + count - at);
    const std::uint64_t ones =
        in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1;
    std::uint64_t& word = bits[at / 64];
    were_clear = were_clear && (word & ones << at % 64) == 0;
    word |= ones << at % 64;
    at += in_word;
  }
  return were_clear;
}

bool ExclusiveStores::covers(std::size_t buffer) const {
  const problem::Buffer& of = program_.launch().buffers[buffer];
  const std::vector<std::uint64_t>& bits = stored_[buffer];
  const auto is_set = [&](std::size_t at) {
    return at / 64 < bits.size() && (bits[at / 64] >> at % 64 & 1U) != 0;
  };
  for (std::size_t row = 0; row < static_cast<std::size_t>(of.rows); ++row) {
    for (std::size_t col = 0; col < static_cast<std::size_t>(of.cols); ++col) {
      if (!is_set(row * static_cast<std::size_t>(of.pitch) + col)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tilestep::insight
