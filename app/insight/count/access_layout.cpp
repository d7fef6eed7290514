#include "insight/count/access_layout.h"

#include "insight/count/counters.h"

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

struct TouchedWord {
  std::uint64_t word = 0;  // address / 4
  std::uint32_t lanes = 0;
};

// By address, each once.
std::vector<TouchedWord> touched_words(const simt::MemoryEvent& event, std::uint32_t lanes) {
  std::vector<TouchedWord> words;
  simt::for_each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint64_t last = (event.addresses[lane] + event.bytes - 1) / kBankBytes;
    for (std::uint64_t word = event.addresses[lane] / kBankBytes; word <= last; ++word) {
      words.push_back({word, 1U << lane});
    }
  });
  std::ranges::sort(words,
                    [](const TouchedWord& a, const TouchedWord& b) { return a.word < b.word; });
  std::size_t count = 0;
  for (const TouchedWord& word : words) {
    if (count > 0 && words[count - 1].word == word.word) {
      words[count - 1].lanes |= word.lanes;
    } else {
      words[count++] = word;
    }
  }
  words.resize(count);
  return words;
}

std::uint32_t distinct_bytes(const simt::MemoryEvent& event) {
  std::vector<std::uint64_t> starts;
  simt::for_each_lane(event.mask,
                      [&](std::uint32_t lane) { starts.push_back(event.addresses[lane]); });
  std::ranges::sort(starts);
  std::uint64_t bytes = 0;
  std::uint64_t counted = 0;  // end of the bytes counted so far
  for (const std::uint64_t start : starts) {
    const std::uint64_t end = start + event.bytes;
    bytes += end - std::min(end, std::max(start, counted));
    counted = std::max(counted, end);
  }
  return static_cast<std::uint32_t>(bytes);
}

struct LaneWord {
  std::int64_t word = 0;  // relative to the first lane's
  std::uint32_t lane = 0;
};

std::vector<LaneWord> words_by_address(const simt::MemoryEvent& event) {
  const std::uint64_t base = first_address(event) / 4;
  std::vector<LaneWord> words;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address = event.addresses[lane];
    const std::uint64_t last = (address + event.bytes - 1) / 4;
    for (std::uint64_t word = address / 4; word <= last; ++word) {
      words.push_back({static_cast<std::int64_t>(word - base), lane});
    }
  }
  std::ranges::stable_sort(words,
                           [](const LaneWord& a, const LaneWord& b) { return a.word < b.word; });
  return words;
}

// Adds one word, accessed by `lane` or by several lanes, to the last run or to a new one.
void extend(std::vector<WordRun>& runs, const LaneWord& w, bool many,
            std::uint32_t words_per_lane) {
  if (!runs.empty()) {
    WordRun& run = runs.back();
    const bool next = run.first + run.count == w.word && run.many == many;
    if (next && (many || run.first_lane + run.count / words_per_lane == w.lane)) {
      ++run.count;
      return;
    }
  }
  runs.push_back({w.word, 1, static_cast<std::uint8_t>(w.lane), many});
}

}  // namespace

std::vector<TouchedSector> touched_sectors(const simt::MemoryEvent& event) {
  std::vector<TouchedSector> sectors;
  for (const TouchedWord& word : touched_words(event, event.mask)) {
    const std::uint64_t address = word.word * kBankBytes / kSectorBytes * kSectorBytes;
    if (sectors.empty() || sectors.back().address != address) {
      sectors.push_back({.address = address});
    }
    sectors.back().lanes[word.word % sectors.back().lanes.size()] = word.lanes;
  }
  return sectors;
}

BankStacks bank_stacks(const simt::MemoryEvent& event, std::uint32_t lanes) {
  BankStacks stacks;
  stacks.lanes = lanes;
  std::array<std::uint32_t, kBanks> in_bank{};
  for (const TouchedWord& word : touched_words(event, lanes)) {
    const auto bank = static_cast<std::uint32_t>(word.word % kBanks);
    stacks.words.push_back({word.word * kBankBytes, bank, in_bank[bank]++, word.lanes});
    stacks.passes = std::max(stacks.passes, in_bank[bank]);
  }
  return stacks;
}

AccessLayout lay_out(const simt::MemoryEvent& event) {
  AccessLayout layout;
  layout.lanes = static_cast<std::uint32_t>(std::popcount(event.mask));
  layout.bytes = distinct_bytes(event);
  if (event.space != ptx::Space::Shared) {
    layout.sectors = touched_sectors(event);
    layout.ideal_sectors = (layout.bytes + kSectorBytes - 1) / kSectorBytes;
    return layout;
  }
  for (const std::uint32_t lanes : lanes_served_together(event)) {
    layout.stacks.push_back(bank_stacks(event, lanes));
    layout.passes += layout.stacks.back().passes;
    ++layout.ideal_passes;
  }
  return layout;
}

Shape make_shape(const simt::MemoryEvent& event) {
  Shape shape;
  const std::uint64_t base = first_address(event);
  shape.mask = event.mask;
  shape.bytes = event.bytes;
  shape.kind = event.kind;
  shape.window = base >> 32;
  shape.low = static_cast<std::uint32_t>(base % 4);
  shape.groups = event.shape;
  shape.skips_l1 = event.skips_l1;
  shape.is_word_groups =
      event.shape != simt::AccessShape::Any && event.bytes == 4 && shape.low == 0;
  shape.lanes = static_cast<std::uint32_t>(std::popcount(event.mask));
  shape.words_per_lane = std::max(1U, event.bytes / 4);
  shape.wavefronts = count_wavefronts(event);
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    shape.distance[lane] = event.addresses[lane] - base;
    // Buffers are smaller than half a window, so lanes this close are in the same one.
    const std::uint64_t apart = std::min(shape.distance[lane], ~shape.distance[lane] + 1);
    shape.one_window = shape.one_window && apart < simt::kWindowBytes / 2;
    shape.active[lane] = ~std::uint64_t{0};
  }
  const std::vector<LaneWord> words = words_by_address(event);
  for (std::size_t i = 0; i < words.size();) {
    std::size_t end = i + 1;
    while (end < words.size() && words[end].word == words[i].word) {
      ++end;
    }
    const bool many = end > i + 1;
    extend(shape.runs, words[i], many, shape.words_per_lane);
    i = end;
  }
  return shape;
}

bool Shape::matches_by_lane(const simt::MemoryEvent& event) const {
  const std::uint64_t base = first_address(event);
  std::uint64_t different = (base % 4 ^ low) | (base >> 32 ^ window);
  for (std::size_t lane = 0; lane < simt::kWarpSize; ++lane) {
    different |= ((event.addresses[lane] - base) ^ distance[lane]) & active[lane];
  }
  return different == 0;
}

ShapeCache::ShapeCache(const ptx::Module& module, std::function<void(Shape&)> retire)
    : retire_(std::move(retire)) {
  std::uint32_t count = 0;
  for (const ptx::Function& function : module.functions) {
    first_pc_.push_back(count);
    count += static_cast<std::uint32_t>(function.instructions.size());
  }
  entry_of_.resize(count, 0);
}

Shape& ShapeCache::find(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  std::uint32_t& index = entry_of_[first_pc_[info.function] + info.pc];
  if (index == 0) {
    entries_.emplace_back();
    index = static_cast<std::uint32_t>(entries_.size());
  }
  Entry& entry = entries_[index - 1];
  Shape& latest = entry.ways[entry.latest];
  return latest.matches(event) ? latest : find_older(entry, event);
}

Shape& ShapeCache::find_older(Entry& entry, const simt::MemoryEvent& event) {
  for (std::uint32_t way = 0; way < entry.used; ++way) {
    if (way != entry.latest && entry.ways[way].matches(event)) {
      entry.latest = way;
      return entry.ways[way];
    }
  }
  if (entry.used < kWays) {
    entry.latest = entry.used++;
  } else {
    entry.latest = (entry.latest + 1) % kWays;
    if (retire_) {
      retire_(entry.ways[entry.latest]);
    }
  }
  entry.ways[entry.latest] = make_shape(event);
  return entry.ways[entry.latest];
}

std::uint32_t ShapeCache::sectors(Shape& shape, const simt::MemoryEvent& event) {
  std::uint32_t& count = shape.sectors[first_address(event) / 4 % 8];
  if (count == 0) {
    count = event.skips_l1 ? count_copy_sectors(event) : count_sectors(event);
  }
  return count;
}

}  // namespace tilestep::insight
