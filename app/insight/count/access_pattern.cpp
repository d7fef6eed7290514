#include "insight/count/access_pattern.h"

#include "insight/count/counters.h"
#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

constexpr std::uint32_t kWavefrontBytes = 128;

// Where lanes begin and end, as one sweep over the bytes.
std::vector<ByteRun> runs_of(const simt::MemoryEvent& event) {
  struct Edge {
    std::int64_t at = 0;
    int lanes = 0;
  };
  const std::uint64_t base = first_address(event);
  std::vector<Edge> edges;
  for_each_lane(event.mask, [&](std::size_t lane) {
    const auto from = static_cast<std::int64_t>(event.addresses[lane] - base);
    edges.push_back({from, 1});
    edges.push_back({from + event.bytes, -1});
  });
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::vector<ByteRun> runs;
  int lanes = 0;
  for (std::size_t i = 0; i < edges.size();) {
    const std::int64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      lanes += edges[i].lanes;
    }
    if (lanes == 0) {
      continue;
    }
    const auto bytes = static_cast<std::uint32_t>(edges[i].at - at);
    const bool goes_on = !runs.empty() && runs.back().first + runs.back().bytes == at &&
                         runs.back().lanes == static_cast<std::uint32_t>(lanes);
    if (goes_on) {
      runs.back().bytes += bytes;
    } else {
      runs.push_back({at, bytes, static_cast<std::uint32_t>(lanes)});
    }
  }
  return runs;
}

std::uint32_t sectors_at(const std::vector<ByteRun>& runs, std::uint32_t base) {
  std::uint32_t sectors = 0;
  std::int64_t counted = INT64_MIN;  // the last sector that was
  for (const ByteRun& run : runs) {
    // Runs may lie before the first lane: away from zero, so that division rounds one way.
    constexpr std::int64_t kFar = std::int64_t{1} << 56;
    const std::int64_t from = (run.first + base + kFar) / kSectorBytes;
    const std::int64_t to = (run.first + base + run.bytes - 1 + kFar) / kSectorBytes;
    sectors += static_cast<std::uint32_t>(to - std::max(from, counted + 1) + 1);
    counted = to;
  }
  return sectors;
}

void measure_banks(const simt::MemoryEvent& event, AccessPattern& pattern) {
  for (const std::uint32_t lanes : lanes_served_together(event)) {
    const std::uint32_t passes = bank_passes(event, lanes);
    pattern.passes += 1;
    pattern.wavefronts += passes;
    pattern.degree = std::max(pattern.degree, passes);
  }
}

}  // namespace

AccessPattern make_pattern(const simt::MemoryEvent& event) {
  AccessPattern pattern;
  const std::uint64_t base = first_address(event);
  pattern.mask = event.mask;
  pattern.bytes = event.bytes;
  pattern.shared = event.space == ptx::Space::Shared;
  pattern.low = static_cast<std::uint32_t>(base % 4);
  for_each_lane(event.mask, [&](std::size_t lane) {
    pattern.distance[lane] = event.addresses[lane] - base;
    // Buffers are smaller than half a window, so what lies that near is the same one.
    const std::uint64_t apart = std::min(pattern.distance[lane], ~pattern.distance[lane] + 1);
    pattern.one_window = pattern.one_window && apart < simt::kWindowBytes / 2;
  });
  pattern.runs = runs_of(event);
  std::uint64_t distinct = 0;
  for (const ByteRun& run : pattern.runs) {
    distinct += run.bytes;
  }
  pattern.ideal_sectors = static_cast<std::uint32_t>((distinct + kSectorBytes - 1) / kSectorBytes);
  pattern.ideal_wavefronts =
      static_cast<std::uint32_t>((distinct + kWavefrontBytes - 1) / kWavefrontBytes);
  for (std::uint32_t at = 0; at < kSectorBytes; ++at) {
    pattern.sectors[at] = static_cast<std::uint8_t>(sectors_at(pattern.runs, at));
  }
  if (pattern.shared) {
    measure_banks(event, pattern);
  }
  return pattern;
}

bool AccessPattern::matches(const simt::MemoryEvent& event) const {
  if (event.mask != mask || event.bytes != bytes || shared != (event.space == ptx::Space::Shared)) {
    return false;
  }
  const std::uint64_t base = first_address(event);
  std::uint64_t different = base % 4 - low;
  for (std::size_t lane = 0; lane < simt::kWarpSize; ++lane) {
    const std::uint64_t active = 0 - std::uint64_t{mask >> lane & 1U};
    different |= ((event.addresses[lane] - base) ^ distance[lane]) & active;
  }
  return different == 0;
}

const AccessPattern& PatternCache::find(std::size_t place, std::uint32_t warp,
                                        const simt::MemoryEvent& event) {
  Entry& entry = places_[place];
  std::uint8_t& latest = entry.latest[warp % entry.latest.size()];
  if (!entry.ways.empty() && entry.ways[latest].matches(event)) {
    return entry.ways[latest];
  }
  for (std::size_t way = 0; way < entry.ways.size(); ++way) {
    if (entry.ways[way].matches(event)) {
      latest = static_cast<std::uint8_t>(way);
      return entry.ways[way];
    }
  }
  if (entry.ways.size() < kWays) {
    latest = static_cast<std::uint8_t>(entry.ways.size());
    entry.ways.push_back(make_pattern(event));
  } else {
    latest = static_cast<std::uint8_t>(entry.oldest);
    entry.ways[latest] = make_pattern(event);
    entry.oldest = (entry.oldest + 1) % kWays;
  }
  return entry.ways[latest];
}

std::uint64_t waste_of(const AccessPattern& pattern, const simt::MemoryEvent& event) {
  const std::uint32_t cost =
      pattern.shared ? pattern.wavefronts : pattern.sectors[first_address(event) % kSectorBytes];
  return cost - std::min(cost, pattern.shared ? pattern.passes : pattern.ideal_sectors);
}

}  // namespace tilestep::insight
