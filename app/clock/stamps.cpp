#include "clock/stamps.h"

#include "problem/tr.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace tilestep::clock {
namespace {

// One record of a warp.
struct Record {
  const StampSite* site = nullptr;  // null: nothing was written
  std::uint32_t clock = 0;
  std::uint32_t more = 0;  // the SM, or clocks at the barrier
};

class Records {
 public:
  Records(std::span<const std::uint32_t> words, const RecordedShape& shape,
          const std::vector<StampSite>& sites)
      : words_(words), shape_(shape), sites_(sites) {}

  [[nodiscard]] Record at(std::uint32_t warp, std::uint32_t k) const {
    const std::size_t place = (std::size_t{k} * shape_.warps + warp) * kStampWords;
    const std::size_t number = words_[place + 1] >> 24U;
    const bool is_known = number > 0 && number <= sites_.size();
    return {is_known ? &sites_[number - 1] : nullptr, words_[place], words_[place + 1] & 0xffffffU};
  }
  // The warps that wrote, by their numbers in the launch.
  [[nodiscard]] std::vector<std::uint32_t> writers() const {
    std::vector<std::uint32_t> all(shape_.warps);
    std::iota(all.begin(), all.end(), 0U);
    std::erase_if(all, [&](std::uint32_t warp) {
      const StampSite* const first = at(warp, 0).site;
      return first == nullptr || first->kind != StampKind::Start;
    });
    return all;
  }

 private:
  std::span<const std::uint32_t> words_;
  const RecordedShape& shape_;
  const std::vector<StampSite>& sites_;
};

// %clock has 32 bits: differences are right up to a second.
std::int64_t clocks_since(std::uint32_t zero, std::uint32_t clock) {
  return static_cast<std::int32_t>(clock - zero);
}

// Blocks in the order of their starts, the first `blocks` of them.
void keep_first_blocks(std::vector<StampedWarp>& warps, std::size_t blocks) {
  std::map<std::uint32_t, std::int64_t> starts;
  for (const StampedWarp& warp : warps) {
    const std::int64_t start = warp.stamps.front().clock;
    const auto [known, is_new] = starts.emplace(warp.block, start);
    known->second = std::min(known->second, start);
  }
  std::ranges::sort(warps, {}, [&](const StampedWarp& warp) {
    return std::tuple(starts[warp.block], warp.block, warp.warp);
  });
  std::size_t count = 0;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    count += i == 0 || warps[i].block != warps[i - 1].block ? 1 : 0;
    if (blocks > 0 && count > blocks) {
      warps.resize(i);
    }
  }
  if (warps.empty()) {
    return;
  }
  const std::int64_t zero =
      std::ranges::min(warps, {}, [](const StampedWarp& warp) { return warp.stamps.front().clock; })
          .stamps.front()
          .clock;
  for (StampedWarp& warp : warps) {
    for (Stamp& stamp : warp.stamps) {
      stamp.clock -= zero;
    }
  }
}

}  // namespace

Result<SmStamps> read_records(std::span<const std::uint32_t> words, const RecordedShape& shape,
                              const std::vector<StampSite>& sites, std::size_t blocks) {
  const Records records(words, shape, sites);
  std::vector<std::uint32_t> writers = records.writers();
  if (writers.empty()) {
    return fail(
        tr("No warp of the chosen SM wrote a timestamp. Run the command again: another SM may get "
           "blocks."));
  }
  SmStamps result;
  result.sm = records.at(writers.front(), 0).more;
  std::erase_if(writers, [&](std::uint32_t warp) { return records.at(warp, 0).more != result.sm; });
  const std::uint32_t zero = records.at(writers.front(), 0).clock;
  for (const std::uint32_t writer : writers) {
    StampedWarp warp{writer / shape.warps_of_block, writer % shape.warps_of_block, {}};
    for (std::uint32_t k = 0; k < shape.records; ++k) {
      const Record record = records.at(writer, k);
      if (record.site == nullptr) {
        break;
      }
      const std::int64_t clock = clocks_since(zero, record.clock);
      const std::uint32_t line = record.site->line;
      if (record.site->kind == StampKind::Barrier) {
        warp.stamps.push_back({clock, line, StampPlace::BeforeBarrier});
        warp.stamps.push_back({clock + record.more, line, StampPlace::AfterBarrier});
      } else {
        const bool is_start = record.site->kind == StampKind::Start;
        warp.stamps.push_back({clock, line, is_start ? StampPlace::Start : StampPlace::End});
      }
    }
    if (warp.stamps.back().place != StampPlace::End) {
      return fail(
          tr("Warp {} of block {} passed more barriers than estimated ({} timestamps). Its "
             "barriers depend on data that the estimate does not have.",
             warp.warp, warp.block, shape.records));
    }
    result.warps.push_back(std::move(warp));
  }
  keep_first_blocks(result.warps, blocks);
  return result;
}

Result<std::vector<StampedWarp>> estimated_stamps(const SmRun& run,
                                                  const std::vector<CodedInstruction>& code,
                                                  std::size_t blocks) {
  std::vector<StampedWarp> warps;
  for (const WarpLife& life : run.lives) {
    StampedWarp warp{life.block, life.warp, {}};
    const std::size_t count = life.clock_reads.size();
    if (count < 2 || count % 2 != 0) {
      return fail(
          tr("The machine code of the kernel with timestamps has {} reads of the clock per warp, "
             "but the number must be even: the kernel itself reads the clock. Remove clock() and "
             "clock64() from it.",
             count));
    }
    for (std::size_t k = 0; k < count; ++k) {
      const StampPlace place = k == 0           ? StampPlace::Start
                               : k + 1 == count ? StampPlace::End
                               : k % 2 == 1     ? StampPlace::BeforeBarrier
                                                : StampPlace::AfterBarrier;
      const ClockRead& read = life.clock_reads[k];
      warp.stamps.push_back({read.clock, code[read.instruction].line, place});
    }
    warps.push_back(std::move(warp));
  }
  keep_first_blocks(warps, blocks);
  return warps;
}

std::size_t count_blocks(std::span<const StampedWarp> warps) {
  std::set<std::uint32_t> blocks;
  for (const StampedWarp& warp : warps) {
    blocks.insert(warp.block);
  }
  return blocks.size();
}

StampedExtent extent_of(const StampedRun& measured) {
  return {measured.at_once, measured.is_warm, count_blocks(measured.warps)};
}

Result<std::vector<StampedWarp>> estimate_stamps(TimedLaunch& launch, const SmTable& table,
                                                 const StampedExtent& extent,
                                                 const std::atomic<bool>* cancel) {
  EstimateOptions options;
  options.blocks_at_once = extent.at_once;
  options.is_cold = !extent.is_warm;
  const bool is_wave =
      extent.at_once == 0 || extent.blocks <= static_cast<std::size_t>(extent.at_once);
  options.extent = is_wave ? Extent::Wave : Extent::Sm;
  const auto run = launch.run(table, options, cancel);
  TILESTEP_RETURN_IF_ERROR(run);
  if (run->is_cancelled) {
    return fail(tr("The estimate was canceled."));
  }
  return estimated_stamps(*run, launch.tracer().code(), extent.blocks);
}

std::uint32_t most_records(std::span<const StampedWarp> warps) {
  std::size_t most = 0;
  for (const StampedWarp& warp : warps) {
    most = std::max(most, warp.stamps.size());
  }
  // Start and end have one stamp each, a barrier two.
  return static_cast<std::uint32_t>(most / 2 + 1);
}

std::string phase_name(const Phase& phase) {
  const bool from_barrier = phase.from == StampPlace::AfterBarrier;
  if (phase.from == StampPlace::BeforeBarrier) {
    return tr("at the barrier at line {}", phase.from_line);
  }
  if (phase.to == StampPlace::End) {
    return from_barrier ? tr("from the barrier at line {} to the end", phase.from_line)
                        : tr("from the start to the end");
  }
  return from_barrier ? tr("from the barrier at line {} to the one at line {}", phase.from_line,
                           phase.to_line)
                      : tr("from the start to the barrier at line {}", phase.to_line);
}

std::vector<PhaseTime> phase_times(std::span<const StampedWarp> warps) {
  std::vector<Phase> order;
  std::map<Phase, std::vector<std::int64_t>> clocks;
  for (const StampedWarp& warp : warps) {
    for (std::size_t k = 1; k < warp.stamps.size(); ++k) {
      const Stamp& from = warp.stamps[k - 1];
      const Stamp& to = warp.stamps[k];
      // The line of a kernel's brace or return says nothing: several lead to the end.
      const Phase phase{from.place, from.place == StampPlace::Start ? 0 : from.line, to.place,
                        to.place == StampPlace::End ? 0 : to.line};
      auto [known, is_new] = clocks.try_emplace(phase);
      if (is_new) {
        order.push_back(phase);
      }
      known->second.push_back(to.clock - from.clock);
    }
  }
  std::vector<PhaseTime> times;
  for (const Phase& phase : order) {
    std::vector<std::int64_t>& all = clocks[phase];
    std::ranges::sort(all);
    const auto sum = static_cast<double>(std::accumulate(all.begin(), all.end(), std::int64_t{0}));
    const auto quantile = [&](double share) {
      const auto place = std::lround(share * static_cast<double>(all.size() - 1));
      return static_cast<double>(all[static_cast<std::size_t>(place)]);
    };
    times.push_back(
        {phase, all.size(), sum / static_cast<double>(all.size()), quantile(0.1), quantile(0.9)});
  }
  return times;
}

std::optional<double> ComparedPhase::error() const {
  if (!estimated || !(measured.mean > 0)) {
    return std::nullopt;
  }
  return estimated->mean / measured.mean - 1.0;
}

Result<std::vector<ComparedPhase>> compare_phases(std::span<const StampedWarp> measured,
                                                  std::span<const StampedWarp> estimated) {
  const std::vector<PhaseTime> times = phase_times(estimated);
  std::vector<ComparedPhase> result;
  bool has_pair = false;
  for (const PhaseTime& one : phase_times(measured)) {
    const auto same = std::ranges::find(times, one.phase, &PhaseTime::phase);
    const bool is_there = same != times.end();
    has_pair = has_pair || is_there;
    result.push_back({one, is_there ? std::optional(*same) : std::nullopt});
  }
  if (!has_pair) {
    return fail(
        tr("The timestamps are for barriers at other lines than those of the kernel: they were "
           "recorded with a different source. Measure again with --measure."));
  }
  return result;
}

}  // namespace tilestep::clock
