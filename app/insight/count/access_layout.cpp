#include "insight/count/access_layout.h"

#include "insight/count/counters.h"
#include "simt/state/lane_mask.h"

#include <algorithm>
#include <bit>

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
  std::sort(words.begin(), words.end(),
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
  std::sort(starts.begin(), starts.end());
  std::uint64_t bytes = 0;
  std::uint64_t counted = 0;  // up to here
  for (const std::uint64_t start : starts) {
    const std::uint64_t end = start + event.bytes;
    bytes += end - std::min(end, std::max(start, counted));
    counted = std::max(counted, end);
  }
  return static_cast<std::uint32_t>(bytes);
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

}  // namespace tilestep::insight
