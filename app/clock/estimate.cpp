#include "clock/estimate.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <ranges>
#include <utility>

namespace tilestep::clock {
namespace {

constexpr std::uint64_t kMostKeptSteps = 4'000'000;  // of traces, 12 bytes each
constexpr double kBusy = 0.75;                       // of the clocks: others wait for the unit
// States that the sentence names, and the smallest share of a warp's time, in percent.
constexpr std::size_t kMostStates = 4;
constexpr double kSmallestShare = 3.0;

std::uint64_t steps_of(const BlockTrace& trace) {
  std::uint64_t steps = 0;
  for (const WarpTrace& warp : trace.warps) {
    steps += warp.steps.size();
  }
  return steps;
}

double sum(const std::array<double, kWarpStates>& states) {
  return std::accumulate(states.begin(), states.end(), 0.0);
}

// All but Selected, the longest first.
std::vector<WarpState> by_share(const std::array<double, kWarpStates>& states) {
  std::vector<WarpState> all;
  for (const auto& word : kWords<WarpState>) {
    if (word.value != WarpState::Selected) {
      all.push_back(word.value);
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), [&](WarpState state) {
    return states[static_cast<std::size_t>(state)];
  });
  return all;
}

}  // namespace

Result<TimedLaunch> TimedLaunch::make(const loading::Prepared& prepared, const SmTable& table,
                                      int sms) {
  auto tracer = Tracer::make(prepared.kernel, prepared.program);
  TILESTEP_RETURN_IF_ERROR(tracer);
  const insight::Architecture* const sm = insight::find_architecture(table.architecture);
  if (sm == nullptr) {
    return fail(tr("Compute capability {}.{} is unknown.", table.architecture / 10,
                   table.architecture % 10));
  }
  const insight::Occupancy occupancy =
      insight::occupancy(insight::needs_of(*prepared.kernel.cubin, prepared.launch), *sm);
  if (occupancy.blocks == 0) {
    return fail(insight::explain(occupancy, *sm));
  }
  return TimedLaunch(*std::move(tracer), occupancy, sms > 0 ? sms : table.sms);
}

// The blocks of one SM, in their order: first every n-th of n SMs, then others of the rest.
std::vector<std::uint32_t> TimedLaunch::blocks(std::size_t count) const {
  const std::uint32_t all = tracer_.program().block_count();
  std::vector<std::uint32_t> blocks;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t next = k * static_cast<std::uint64_t>(sms_);
    blocks.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(next, all - 1)));
  }
  return blocks;
}

// An SM gets the next block as soon as one of its blocks has ended. SMs differ in speed by the way
// to L2, so of blocks that end at the same time on all SMs those of the fastest end first: these
// get several more blocks where the others get none.
std::size_t TimedLaunch::blocks_of_busiest(const SmRun& wave, std::size_t at_once,
                                           const SmTable& table) const {
  const std::uint64_t all = tracer_.program().block_count();
  const auto sms = static_cast<std::size_t>(sms_);
  const std::size_t even = blocks_of_sm();
  constexpr std::size_t kManyBlocks = 16;  // from here on, one more or less does not matter
  if (even <= at_once || even > kManyBlocks) {
    return even;
  }
  std::vector<std::int64_t> ends(at_once, 0);  // of the blocks of the wave
  std::map<std::uint32_t, std::int64_t> by_block;
  for (const WarpLife& life : wave.lives) {
    by_block[life.block] = std::max(by_block[life.block], life.end);
  }
  std::ranges::transform(by_block, ends.begin(), [](const auto& end) { return end.second; });
  using Ending = std::pair<double, std::size_t>;  // time, SM
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  const auto speed = [&](std::size_t sm) {
    return 1.0 +
           table.numbers.sm_spread * (static_cast<double>(sm) / static_cast<double>(sms) - 0.5);
  };
  for (std::size_t sm = 0; sm < sms; ++sm) {
    for (const std::int64_t end : ends) {
      endings.emplace(static_cast<double>(end) * speed(sm), sm);
    }
  }
  std::vector<std::size_t> blocks(sms, at_once);
  for (std::uint64_t left = all - std::min<std::uint64_t>(all, sms * at_once); left > 0; --left) {
    const auto [time, sm] = endings.top();
    endings.pop();
    ++blocks[sm];
    endings.emplace(time + static_cast<double>(ends.back()) * speed(sm), sm);
  }
  return *std::ranges::max_element(blocks);
}

std::size_t TimedLaunch::blocks_of_sm() const {
  const auto sms = static_cast<std::uint32_t>(sms_);
  return (tracer_.program().block_count() + sms - 1) / sms;
}

int TimedLaunch::most_at_once() const {
  return static_cast<int>(std::min(blocks_of_sm(), static_cast<std::size_t>(occupancy_.blocks)));
}

std::size_t TimedLaunch::at_once(const EstimateOptions& options) const {
  const int most = most_at_once();
  return static_cast<std::size_t>(
      options.blocks_at_once > 0 ? std::min(options.blocks_at_once, most) : most);
}

Result<SmRun> TimedLaunch::run(const SmTable& table, const EstimateOptions& options,
                               const std::atomic<bool>* cancel) {
  const std::size_t most = at_once(options);
  std::size_t count = options.extent == Extent::Block ? 1 : most;
  if (options.extent == Extent::Sm && blocks_of_sm() > most) {
    EstimateOptions plain = options;
    plain.records = false;
    const auto wave = run_blocks(blocks(count), table, plain, cancel);
    TILESTEP_RETURN_IF_ERROR(wave);
    count = blocks_of_busiest(*wave, most, table);
  }
  return run_blocks(blocks(count), table, options, cancel);
}

Result<std::shared_ptr<const BlockTrace>> TimedLaunch::trace_of(std::uint32_t block,
                                                                const std::atomic<bool>* cancel) {
  const auto known = traces_.find(block);
  if (known != traces_.end()) {
    return known->second;
  }
  auto traced = tracer_.trace(block, cancel);
  TILESTEP_RETURN_IF_ERROR(traced);
  auto trace = std::make_shared<const BlockTrace>(*std::move(traced));
  kept_steps_ += steps_of(*trace);
  if (kept_steps_ < kMostKeptSteps) {
    traces_.emplace(block, trace);
  }
  return trace;
}

Result<std::uint64_t> TimedLaunch::instructions_of_block(const std::atomic<bool>* cancel) {
  const auto trace = trace_of(0, cancel);
  TILESTEP_RETURN_IF_ERROR(trace);
  return steps_of(**trace);
}

SmSummary summary_of(const SmRun& run, int warps) {
  SmSummary summary;
  const auto clocks = static_cast<double>(std::max<std::int64_t>(run.clocks, 1));
  const auto issued = static_cast<double>(std::max<std::uint64_t>(run.instructions, 1));
  summary.warps = warps;
  summary.clocks = run.clocks;
  summary.issue_slots = static_cast<double>(run.instructions) / (kSchedulers * clocks);
  summary.data_stage = static_cast<double>(run.passes) / clocks;
  std::ranges::transform(run.by_state, summary.states.begin(), [&](std::uint64_t of_state) {
    return static_cast<double>(of_state) / issued;
  });
  return summary;
}

Result<SmSummary> TimedLaunch::summarize(const SmTable& table, std::uint64_t most,
                                         const std::atomic<bool>* cancel) {
  const auto instructions = instructions_of_block(cancel);
  TILESTEP_RETURN_IF_ERROR(instructions);
  const bool is_launch = *instructions * blocks_of_sm() <= most;
  EstimateOptions options;
  options.records = false;
  options.extent = is_launch ? Extent::Sm : Extent::Wave;
  const auto run = this->run(table, options, cancel);
  TILESTEP_RETURN_IF_ERROR(run);
  SmSummary summary =
      summary_of(*run, most_at_once() * static_cast<int>(tracer_.program().warps_per_block()));
  summary.is_launch = is_launch;
  return summary;
}

std::string waits_sentence(const SmSummary& summary, const MeasuredLaunch* measured,
                           const SmTable& table) {
  const bool waits_for_data =
      summary.data_stage >= kBusy && summary.data_stage >= summary.issue_slots;
  const double data = 100.0 * summary.data_stage;
  const double issue = 100.0 * summary.issue_slots;
  std::string text =
      waits_for_data
          ? tr("The data stage of shared memory and L1 is busy in {:.0f}% of the cycles: {} wait "
               "for it. The schedulers use {:.0f}% of their issue slots.",
               data, plural(summary.warps, "warp"), issue)
          : tr("{} use {:.0f}% of the schedulers' issue slots; the data stage of shared memory and "
               "L1 is busy in {:.0f}% of the cycles.",
               plural(summary.warps, "warp"), issue, data);
  std::string states;
  for (const WarpState state : by_share(summary.states) | std::views::take(kMostStates)) {
    const auto index = static_cast<std::size_t>(state);
    const double share = 100.0 * summary.states[index] / sum(summary.states);
    if (share < kSmallestShare) {
      break;
    }
    states += states.empty() ? "" : "; ";
    states += fmt::format("{} {:.0f}%", word_of(state).label, share);
    if (measured != nullptr) {
      states += tr(" (measured: {:.0f}%)", 100.0 * measured->states[index] / sum(measured->states));
    }
  }
  text += " " + tr("How a warp spends its time: {}.", states) + " ";
  return text + (summary.is_launch
                     ? tr("Estimated from the machine code; for nine of ten launches, the estimate "
                          "is within {:.1f}% of the measured time.",
                          100.0 * table.error.nine_of_ten)
                     : tr("Estimated from the machine code of one wave; for nine of ten launches, "
                          "the estimate is within {:.1f}% of the measured time.",
                          100.0 * table.error.nine_of_ten));
}

Result<SmRun> TimedLaunch::run_blocks(const std::vector<std::uint32_t>& of_sm, const SmTable& table,
                                      const EstimateOptions& options,
                                      const std::atomic<bool>* cancel) {
  SmOptions sm;
  sm.blocks_at_once = static_cast<std::uint32_t>(at_once(options));
  sm.is_cold = options.is_cold;
  sm.records = options.records;
  // L1 has what the configuration of shared memory leaves.
  const double needed =
      static_cast<double>(sm.blocks_at_once) * occupancy_.shared_of_block / 1024.0;
  const auto configured =
      std::ranges::find_if(table.shared_kib, [&](double kib) { return kib >= needed; });
  sm.l1_kib = table.numbers.l1_kib -
              (configured == table.shared_kib.end() ? table.shared_kib.back() : *configured);
  Error error;
  const BlockSource source = [&](std::size_t index) -> std::shared_ptr<const BlockTrace> {
    auto trace = trace_of(of_sm[index], cancel);
    if (!trace) {
      error = std::move(trace.error());
      return nullptr;
    }
    return *std::move(trace);
  };
  SmRun run = simulate(tracer_.code(), tracer_.shapes(), source, of_sm.size(), table, sm, cancel);
  if (!error.message.empty()) {
    return tl::unexpected(std::move(error));
  }
  if (run.is_stuck) {
    return fail(
        tr("The warps of a block wait for each other forever, or for another block, so the time "
           "cannot be estimated."));
  }
  return run;
}

}  // namespace tilestep::clock
