#include "insight/count/counters.h"

#include "insight/count/block_sample.h"

#include <algorithm>
#include <numeric>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

// Whether every lane of `mask` has the address of the lane at `distance` (lane number xor
// distance), unless that lane is inactive.
bool shares_addresses(const simt::MemoryEvent& event, std::uint32_t mask, std::uint32_t distance) {
  bool shares = true;
  for_each_lane(mask, [&](std::size_t lane) {
    const std::size_t other = lane ^ distance;
    shares =
        shares && ((mask >> other & 1U) == 0 || event.addresses[other] == event.addresses[lane]);
  });
  return shares;
}

constexpr std::uint32_t kWavefrontBytes = 128;

// Sweeps over the bytes at which lanes begin and end.
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
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) { return a.at < b.at; });
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
  std::int64_t counted = INT64_MIN;  // the last counted sector
  for (const ByteRun& run : runs) {
    // Runs may begin before the first lane: the offset keeps numbers positive, so that division
    // rounds in one direction.
    constexpr std::int64_t kAway = std::int64_t{1} << 56;
    const std::int64_t from = (run.first + base + kAway) / kSectorBytes;
    const std::int64_t to = (run.first + base + run.bytes - 1 + kAway) / kSectorBytes;
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

constexpr std::uint64_t kSharedHigh = simt::kSharedWindow >> 32;
constexpr std::uint64_t kFirstGlobalHigh = simt::kGlobalWindow >> 32;

AccessCounters& counters_of(Counters& counters, simt::AccessKind kind, bool shared) {
  switch (kind) {
    case simt::AccessKind::Load:
      return shared ? counters.shared_loads : counters.global_loads;
    case simt::AccessKind::Store:
      return shared ? counters.shared_stores : counters.global_stores;
    case simt::AccessKind::Atomic:
      break;
  }
  return shared ? counters.shared_atomics : counters.global_atomics;
}

}  // namespace

std::uint32_t count_sectors(const simt::MemoryEvent& event) {
  return static_cast<std::uint32_t>(touched_sectors(event).size());
}

std::uint32_t count_copy_sectors(const simt::MemoryEvent& event) {
  constexpr std::size_t kLanesAtOnce = 8;
  std::uint32_t sectors = 0;
  for (std::size_t first = 0; first < simt::kWarpSize; first += kLanesAtOnce) {
    std::array<std::uint64_t, kLanesAtOnce> pieces{};
    std::size_t count = 0;
    for (std::size_t lane = first; lane < first + kLanesAtOnce; ++lane) {
      const std::uint64_t piece = event.addresses[lane] / kSectorBytes;
      const auto* const end = pieces.begin() + count;
      const bool is_new = std::find(pieces.cbegin(), end, piece) == end;
      if ((event.mask >> lane & 1U) != 0 && is_new) {
        pieces[count++] = piece;
      }
    }
    sectors += static_cast<std::uint32_t>(count);
  }
  return sectors;
}

std::vector<std::uint32_t> lanes_served_together(const simt::MemoryEvent& event) {
  std::vector<std::uint32_t> groups;
  const auto add = [&groups](std::uint32_t lanes) {
    if (lanes != 0) {
      groups.push_back(lanes);
    }
  };
  if (event.bytes <= kBankBytes) {
    add(event.mask);
    return groups;
  }
  const std::uint32_t lanes = std::max(1U, 128U / event.bytes);
  for (std::uint32_t first = 0; first < simt::kWarpSize; first += 2 * lanes) {
    const std::uint32_t part = (1U << lanes) - 1;
    const std::uint32_t low = event.mask & part << first;
    const std::uint32_t high = event.mask & part << (first + lanes);
    if (shares_addresses(event, low | high, 1) || shares_addresses(event, low | high, 2)) {
      add(low | high);
    } else {
      add(low);
      add(high);
    }
  }
  return groups;
}

std::uint32_t bank_passes(const simt::MemoryEvent& event, std::uint32_t lanes) {
  return bank_stacks(event, lanes).passes;
}

std::uint32_t count_wavefronts(const simt::MemoryEvent& event) {
  std::uint32_t passes = 0;
  for (const std::uint32_t lanes : lanes_served_together(event)) {
    passes += bank_passes(event, lanes);
  }
  return passes;
}

struct Counter::Impl {
  explicit Impl(const simt::Program& program) : tally(program) {}

  AccessTally tally;
};

Counter::Counter(const simt::Program& program) : impl_(std::make_unique<Impl>(program)) {}
Counter::~Counter() = default;

void Counter::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space == ptx::Space::Global || event.space == ptx::Space::Shared) {
    impl_->tally.note(info, event);
  }
}

void Counter::on_load_run(const simt::StepInfo& first, const simt::LoadRun& run,
                          simt::MemoryEvent& event) {
  for (const simt::LoadRun::Register& through : run.registers) {
    simt::StepInfo info = first;
    info.pc = run.loads[through.first].pc;
    simt::describe(run, run.loads[through.first], event);
    impl_->tally.note_run(info, event, through.further.size());
  }
}

const Counters& Counter::counters() const {
  return impl_->tally.counters();
}

Counters count(const std::shared_ptr<const simt::Program>& program,
               const std::atomic<bool>* cancel) {
  Counter counter(*program);
  LaunchRun run(program, {simt::ScheduleKind::Sequential});
  run.to_end(&counter, cancel);
  Counters counters = counter.counters();
  counters.warp_instructions = run.steps;
  return counters;
}

AccessPattern make_pattern(const simt::MemoryEvent& event) {
  AccessPattern pattern;
  const std::uint64_t base = first_address(event);
  pattern.mask = event.mask;
  pattern.bytes = event.bytes;
  pattern.shared = event.space == ptx::Space::Shared;
  pattern.low = static_cast<std::uint32_t>(base % 4);
  for_each_lane(event.mask, [&](std::size_t lane) {
    pattern.distance[lane] = event.addresses[lane] - base;
    // Buffers are smaller than half a window, so lanes this close are in the same one.
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

std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program) {
  std::vector<std::uint32_t> bytes;
  for (const problem::Buffer& buffer : program.launch().buffers) {
    bytes.push_back(static_cast<std::uint32_t>(problem::byte_size(buffer.type)));
  }
  return bytes;
}

AccessTally::AccessTally(const simt::Program& program)
    : shapes_(program.module(), [this](Shape& shape) { add(shape); }),
      element_bytes_(buffer_element_bytes(program)) {
  counters_.buffers.resize(element_bytes_.size());
}

void AccessTally::add_elements(simt::AccessKind kind, std::uint64_t window, std::uint32_t bytes,
                               std::uint64_t accesses) {
  const std::uint64_t index = window - kFirstGlobalHigh;
  if (index >= counters_.buffers.size()) {
    return;
  }
  const std::uint64_t elements = accesses * std::max(1U, bytes / element_bytes_[index]);
  BufferCounters& buffer = counters_.buffers[index];
  buffer.loads += kind != simt::AccessKind::Store ? elements : 0;
  buffer.stores += kind != simt::AccessKind::Load ? elements : 0;
}

void AccessTally::add(Shape& shape) {
  const std::uint64_t uses = std::accumulate(shape.uses.begin(), shape.uses.end(), 0ULL);
  if (uses == 0) {
    return;
  }
  const bool shared = shape.window == kSharedHigh;
  AccessCounters& to = counters_of(counters_, shape.kind, shared);
  to.requests += uses;
  to.elements += uses * shape.lanes;
  to.bytes += uses * shape.lanes * shape.bytes;
  const std::uint64_t sectors = std::inner_product(shape.uses.begin(), shape.uses.end(),
                                                   shape.sectors.begin(), std::uint64_t{0});
  if (shape.skips_l1 && shared) {
    counters_.global_loads.sectors += sectors;
  }
  if (shared) {
    to.wavefronts += uses * shape.wavefronts;
  } else {
    to.sectors += shape.skips_l1 ? 0 : sectors;
    add_elements(shape.kind, shape.window, shape.bytes, uses * shape.lanes);
  }
  shape.uses = {};
}

void AccessTally::note_apart(const simt::StepInfo& info, const simt::MemoryEvent& event,
                             Shape& shape) {
  if (event.is_arrival || ptx::is_mbarrier(*info.instruction)) {
    return;  // counted when it was issued
  }
  const bool by_thread = event.agent == simt::AccessAgent::Thread;
  if (!by_thread && event.space == ptx::Space::Shared) {
    return;  // not an access of the load/store unit
  }
  AccessCounters& to = counters_of(counters_, event.kind, event.space == ptx::Space::Shared);
  to.requests += by_thread ? 1 : 0;
  to.elements += shape.lanes;
  to.bytes += std::uint64_t{shape.lanes} * event.bytes;
  to.sectors += event.skips_l1 || !by_thread ? 0 : ShapeCache::sectors(shape, event);
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    add_elements(event.kind, event.addresses[lane] >> 32, event.bytes, 1);
  }
}

}  // namespace tilestep::insight
