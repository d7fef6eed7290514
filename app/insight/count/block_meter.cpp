#include "insight/count/block_meter.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

namespace tilestep::insight {
namespace {

constexpr std::size_t kRunsToMerge = std::size_t{1} << 20;
constexpr std::uint32_t kWordBytes = 4;

std::uint32_t window_of(std::uint64_t address) {
  return static_cast<std::uint32_t>((address - simt::kGlobalWindow) / simt::kWindowBytes);
}

std::uint32_t greatest_common(const AxisPoint& residue) {
  std::uint32_t common = kSectorBytes;
  for (const std::uint32_t bytes : residue) {
    common = std::gcd(common, bytes);
  }
  return common;
}

// Repeats the elements of one iteration for all iterations.
void repeat(std::span<const BlockMeter::Footprint> one, std::uint32_t iterations,
            std::span<BlockMeter::Footprint> all) {
  for (std::size_t buffer = 0; buffer < all.size(); ++buffer) {
    for (const auto& [from, runs] : one[buffer]) {
      ElementMotion motion = from;
      const bool moves = motion.shift[kIterations] != 0 && iterations > 1;
      motion.shift[kIterations] = moves ? motion.shift[kIterations] : 0;
      motion.iterations = moves ? iterations : 1;
      std::vector<ElementRun>& to = all[buffer][motion];
      for (ElementRun run : runs) {
        run.reads *= moves ? 1 : iterations;
        to.push_back(run);
      }
    }
  }
}

Spot spot_of(const simt::StepInfo& info) {
  return {info.id.warp, info.function, info.pc};
}

}  // namespace

BlockMeter::BlockMeter(const simt::Program& program)
    : program_(program), element_bytes_(buffer_element_bytes(program)), patterns_([&] {
        for (const ptx::Function& function : program.module().functions) {
          first_pc_.push_back(static_cast<std::uint32_t>(pcs_));
          pcs_ += function.instructions.size();
        }
        return pcs_;
      }()) {
  clear();
}

void BlockMeter::clear() {
  counts_.assign(pcs_ * program_.warps_per_block(), {});
  tallies_.clear();
  footprints_.assign(element_bytes_.size(), {});
  stored_.assign(element_bytes_.size(), {});
  stores_otherwise_ = false;
  barriers_ = 0;
  splits_elements_ = false;
}

std::size_t BlockMeter::place(const Spot& spot) const {
  return spot.warp * pcs_ + first_pc_[spot.function] + spot.pc;
}

void BlockMeter::on_step(const simt::StepInfo& info) {
  Count& count = counts_[place(spot_of(info))];
  count.instructions += 1;
  count.active += static_cast<std::uint64_t>(std::popcount(info.active));
  count.threads += static_cast<std::uint64_t>(std::popcount(info.mask));
}

BlockMeter::Tally& BlockMeter::find_tally(const Spot& spot, std::uint32_t target,
                                          simt::AccessKind kind, const AxisPoint& residue) {
  Count& count = counts_[place(spot)];
  const auto is_it = [&](std::uint32_t index) {
    const Tally& tally = tallies_[index];
    return tally.target == target && tally.kind == kind && tally.residue_per_block == residue;
  };
  if (count.latest != 0 && is_it(count.latest - 1)) {
    return tallies_[count.latest - 1];
  }
  for (const std::uint32_t index : count.tallies) {
    if (is_it(index)) {
      count.latest = index + 1;
      return tallies_[index];
    }
  }
  Tally tally;
  tally.spot = spot;
  tally.target = target;
  tally.kind = kind;
  tally.residue_per_block = residue;
  count.tallies.push_back(static_cast<std::uint32_t>(tallies_.size()));
  count.latest = count.tallies.back() + 1;
  tallies_.push_back(tally);
  return tallies_.back();
}

void BlockMeter::on_access(const simt::StepInfo& info, const simt::MemoryEvent& event,
                           const Moving& moving) {
  const bool by_thread = event.agent == simt::AccessAgent::Thread;
  if (event.is_arrival || ptx::is_mbarrier(*info.instruction) ||
      (!by_thread && event.space == ptx::Space::Shared)) {
    return;  // counted when it was issued; accesses of units to shared memory are not counted
  }
  if (event.space == ptx::Space::Shared ||
      patterns_.find(first_pc_[info.function] + info.pc, info.id.warp, event).one_window) {
    add_request(info, event, moving, true);
    return;
  }
  // Lanes access several buffers, through pointers that differ by lane: one part for each buffer.
  bool is_first = true;
  for (std::uint32_t rest = event.mask; rest != 0;) {
    simt::MemoryEvent part = event;
    part.mask = 0;
    const auto leader = static_cast<std::size_t>(std::countr_zero(rest));
    for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
      const bool same = window_of(event.addresses[lane]) == window_of(event.addresses[leader]);
      part.mask |= same ? rest & (1U << lane) : 0U;
    }
    rest &= ~part.mask;
    add_request(info, part, moving, is_first);
    is_first = false;
  }
}

void BlockMeter::add_request(const simt::StepInfo& info, const simt::MemoryEvent& event,
                             const Moving& moving, bool is_first) {
  const AccessPattern& pattern =
      patterns_.find(first_pc_[info.function] + info.pc, info.id.warp, event);
  const std::uint64_t address = first_address(event);
  const bool shared = event.space == ptx::Space::Shared;
  const std::uint32_t window = shared ? 0 : window_of(address);
  const bool is_buffer = !shared && window < element_bytes_.size();
  const std::uint32_t target = shared ? kSharedTarget : is_buffer ? window : kOtherTarget;
  AxisPoint residue{};
  for (std::size_t i = 0; i < kAxes; ++i) {
    residue[i] = static_cast<std::uint32_t>(moving.bytes_per_block[i]) % kSectorBytes;
  }
  Tally& tally = find_tally(spot_of(info), target, event.kind, residue);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(event.mask));
  const std::uint32_t element = is_buffer ? element_bytes_[window] : kWordBytes;
  Traffic one;
  const bool by_thread = event.agent == simt::AccessAgent::Thread;
  one.requests = is_first && by_thread ? 1 : 0;
  one.threads = lanes;
  one.elements = lanes * std::max(1U, event.bytes / element);
  one.bytes = lanes * event.bytes;
  if (shared) {
    one.wavefronts = pattern.wavefronts;
    one.ideal_wavefronts = pattern.ideal_wavefronts;
    one.conflicts = pattern.wavefronts - pattern.passes;
    one.degree = pattern.degree;
    if (event.skips_l1) {
      add_copy_sectors(event);
    }
  } else if (!by_thread) {
    one.copy_engine_bytes = one.bytes;
  } else {
    one.ideal_sectors = pattern.ideal_sectors;
    const auto base = static_cast<std::uint32_t>(address % kSectorBytes);
    for (std::uint32_t by = 0; by < kSectorBytes && !event.skips_l1;
         by += greatest_common(residue)) {
      tally.sectors[by] += pattern.sectors[(base + by) % kSectorBytes];
    }
    // A copy that only stores zeros has no load. The tally of another instruction's load must not
    // be used.
    copy_ = event.skips_l1 ? counts_[place(spot_of(info))].latest : 0;
  }
  tally.traffic.add(one);
  if (is_buffer) {
    note(event.kind == simt::AccessKind::Store ? stored_ : footprints_, window, address, pattern,
         moving);
  }
  const bool stores = !shared && event.kind != simt::AccessKind::Load;
  stores_otherwise_ =
      stores_otherwise_ || (stores && (!is_buffer || event.kind != simt::AccessKind::Store));
}

// A copy's store follows its load and determines the load's number of sectors.
void BlockMeter::add_copy_sectors(const simt::MemoryEvent& event) {
  if (copy_ == 0) {
    return;  // no lane loads: all of them fill with zeros
  }
  Tally& load = tallies_[copy_ - 1];
  const std::uint32_t sectors = count_copy_sectors(event);
  for (std::uint32_t by = 0; by < kSectorBytes; by += greatest_common(load.residue_per_block)) {
    load.sectors[by] += sectors;
  }
  copy_ = 0;
}

void BlockMeter::note(std::vector<Footprint>& footprints, std::uint32_t buffer,
                      std::uint64_t address, const AccessPattern& pattern, const Moving& moving) {
  const std::int64_t element = element_bytes_[buffer];
  ElementShift shift{};
  for (std::size_t i = 0; i < kAxes; ++i) {
    splits_elements_ = splits_elements_ || moving.bytes_per_block[i] % element != 0;
    shift[i] = moving.bytes_per_block[i] / element;
  }
  std::vector<ElementRun>& runs = footprints[buffer][{shift}];
  const auto base = static_cast<std::int64_t>(address % simt::kWindowBytes);
  for (const ByteRun& run : pattern.runs) {
    const std::int64_t from = (base + run.first) / element;
    const std::int64_t to = (base + run.first + run.bytes - 1) / element;
    const ElementRun read{from, static_cast<std::uint32_t>(to - from + 1), run.lanes};
    if (!runs.empty() && runs.back().first + runs.back().count == read.first &&
        runs.back().reads == read.reads) {
      runs.back().count += read.count;
    } else {
      runs.push_back(read);
    }
  }
  if (runs.size() >= kRunsToMerge && std::has_single_bit(runs.size())) {
    merge_runs(runs);
  }
}

void BlockMeter::add_iterations(const BlockMeter& one, std::uint32_t iterations) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i].instructions += one.counts_[i].instructions * iterations;
    counts_[i].active += one.counts_[i].active * iterations;
    counts_[i].threads += one.counts_[i].threads * iterations;
  }
  for (const Tally& from : one.tallies_) {
    AxisPoint residue = from.residue_per_block;
    const std::uint32_t move = std::exchange(residue[kIterations], 0U);
    Tally& tally = find_tally(from.spot, from.target, from.kind, residue);
    tally.traffic.add(from.traffic, iterations);
    for (std::uint32_t by = 0; by < kSectorBytes; by += greatest_common(residue)) {
      // Iterations 32 apart have the same alignment.
      for (std::uint32_t j = 0; j < std::min(iterations, kSectorBytes); ++j) {
        const std::uint64_t alike = (iterations - 1 - j) / kSectorBytes + 1;
        tally.sectors[by] += alike * from.sectors[(by + move * j) % kSectorBytes];
      }
    }
  }
  repeat(one.footprints_, iterations, footprints_);
  repeat(one.stored_, iterations, stored_);
  stores_otherwise_ = stores_otherwise_ || one.stores_otherwise_;
  barriers_ += one.barriers_ * iterations;
  splits_elements_ = splits_elements_ || one.splits_elements_;
}

BlockProfile BlockMeter::profile(const AxisPoint& distance) const {
  BlockProfile result;
  result.barriers = barriers_;
  std::size_t at = 0;
  for (std::uint32_t warp = 0; warp < program_.warps_per_block(); ++warp) {
    for (std::uint32_t function = 0; function < first_pc_.size(); ++function) {
      const std::size_t size = program_.module().functions[function].instructions.size();
      for (std::uint32_t pc = 0; pc < size; ++pc, ++at) {
        const Count& count = counts_[at];
        if (count.instructions != 0) {
          result.executions.push_back(
              {{warp, function, pc}, count.instructions, count.active, count.threads});
        }
      }
    }
  }
  for (const Tally& tally : tallies_) {
    std::uint32_t by = 0;
    for (std::size_t i = 0; i < kBlockAxes; ++i) {
      by += tally.residue_per_block[i] * (distance[i] % kSectorBytes);
    }
    Access access{tally.spot, tally.target, tally.kind, tally.traffic};
    access.traffic.sectors = tally.sectors[by % kSectorBytes];
    result.accesses.push_back(access);
  }
  const auto key = [](const Access& a) {
    return std::tie(a.spot.warp, a.spot.function, a.spot.pc, a.target, a.kind);
  };
  std::ranges::sort(result.accesses,
                    [&](const Access& a, const Access& b) { return key(a) < key(b); });
  std::vector<Access> joined;
  for (const Access& access : result.accesses) {
    if (!joined.empty() && key(joined.back()) == key(access)) {
      joined.back().traffic.add(access.traffic);
    } else {
      joined.push_back(access);
    }
  }
  result.accesses = std::move(joined);
  return result;
}

AxisPoint BlockMeter::periods() const {
  AxisPoint periods;
  periods.fill(1);
  for (const Tally& tally : tallies_) {
    for (std::size_t i = 0; i < kBlockAxes; ++i) {
      periods[i] =
          std::max(periods[i], kSectorBytes / std::gcd(kSectorBytes, tally.residue_per_block[i]));
    }
  }
  return periods;
}

void merge_runs(std::vector<ElementRun>& runs) {
  struct Edge {
    std::int64_t at = 0;
    std::int64_t reads = 0;
  };
  std::vector<Edge> edges;
  edges.reserve(runs.size() * 2);
  for (const ElementRun& run : runs) {
    edges.push_back({run.first, run.reads});
    edges.push_back({run.first + run.count, -std::int64_t{run.reads}});
  }
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) { return a.at < b.at; });
  runs.clear();
  std::int64_t reads = 0;
  for (std::size_t i = 0; i < edges.size();) {
    const std::int64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      reads += edges[i].reads;
    }
    if (reads != 0) {
      runs.push_back(
          {at, static_cast<std::uint32_t>(edges[i].at - at), static_cast<std::uint32_t>(reads)});
    }
  }
}

}  // namespace tilestep::insight
