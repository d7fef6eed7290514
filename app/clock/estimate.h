// A launch's time on one SM: its blocks traced and run through the model.
#pragma once

#include "clock/measured.h"
#include "clock/sm.h"
#include "clock/sm_table.h"
#include "clock/trace.h"
#include "insight/occupancy/occupancy.h"
#include "loading/prepare.h"
#include "problem/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::clock {

// How much of the launch is run: one block alone, the blocks that an SM has at once, or all blocks
// of the SM that gets the most.
enum class Extent { Block, Wave, Sm };

struct EstimateOptions {
  Extent extent = Extent::Wave;
  int blocks_at_once = 0;  // 0: TimedLaunch::most_at_once(), which is the limit
  bool is_cold = true;     // nothing is in L2 yet
  bool records = true;     // what every warp does
};

// What an SM does while it executes a launch: shares of its clocks.
struct SmSummary {
  bool is_launch = false;  // all blocks of an SM; false: one wave of them, the rest would take long
  int warps = 0;           // at once
  std::int64_t clocks = 0;
  double issue_slots = 0.0;                  // used
  double data_stage = 0.0;                   // busy: shared memory and L1
  std::array<double, kWarpStates> states{};  // clocks of a warp for each instruction
};

// The shares of a run with so many warps at once.
[[nodiscard]] SmSummary summary_of(const SmRun& run, int warps);

// "The data stage of shared memory and L1 is busy in 91% of the clocks: the 64 warps wait for it.
// …": with the shares of `measured` (null: not measured) beside those of `summary`.
[[nodiscard]] std::string waits_sentence(const SmSummary& summary, const MeasuredLaunch* measured,
                                         const SmTable& table);

// A launch that is ready to be run many times, with other options or another table.
class TimedLaunch {
 public:
  // `prepared`: of Build::Machine. `sms`: the SMs that share its blocks; 0: those of the table's
  // GPU. Fails with a sentence if time cannot be estimated.
  [[nodiscard]] static Result<TimedLaunch> make(const loading::Prepared& prepared,
                                                const SmTable& table, int sms = 0);

  [[nodiscard]] const insight::Occupancy& occupancy() const { return occupancy_; }
  // Blocks that an SM has at once: as many as fit, unless the launch has fewer for it.
  [[nodiscard]] int most_at_once() const;
  [[nodiscard]] const Tracer& tracer() const { return tracer_; }

  // Fails if a block cannot be traced (Tracer::trace).
  [[nodiscard]] Result<SmRun> run(const SmTable& table, const EstimateOptions& options,
                                  const std::atomic<bool>* cancel = nullptr);
  // Covers all blocks of the SM that gets the most; one wave if they execute more instructions than
  // `most`. L2 is empty at the start.
  [[nodiscard]] Result<SmSummary> summarize(const SmTable& table,
                                            std::uint64_t most = kQuickInstructions,
                                            const std::atomic<bool>* cancel = nullptr);
  static constexpr std::uint64_t kQuickInstructions = 2'000'000;  // take about a second
  // The number that a block executes.
  [[nodiscard]] Result<std::uint64_t> instructions_of_block(
      const std::atomic<bool>* cancel = nullptr);
  // Frees the traces of its blocks; the next run makes them again.
  void forget() {
    traces_.clear();
    kept_steps_ = 0;
  }

 private:
  [[nodiscard]] Result<SmRun> run_blocks(const std::vector<std::uint32_t>& blocks,
                                         const SmTable& table, const EstimateOptions& options,
                                         const std::atomic<bool>* cancel);
  [[nodiscard]] Result<std::shared_ptr<const BlockTrace>> trace_of(std::uint32_t block,
                                                                   const std::atomic<bool>* cancel);
  // Blocks at once: as the options say, within the limit.
  [[nodiscard]] std::size_t at_once(const EstimateOptions& options) const;
  [[nodiscard]] std::size_t blocks_of_sm() const;  // the most that an SM gets if all get as many
  [[nodiscard]] std::vector<std::uint32_t> blocks(std::size_t count) const;
  [[nodiscard]] std::size_t blocks_of_busiest(const SmRun& wave, std::size_t at_once,
                                              const SmTable& table) const;
  TimedLaunch(Tracer tracer, const insight::Occupancy& occupancy, int sms)
      : tracer_(std::move(tracer)), occupancy_(occupancy), sms_(sms) {}

  Tracer tracer_;
  insight::Occupancy occupancy_;
  int sms_ = 0;
  // By block: the first ones, for further runs. A launch may have too many to keep.
  std::map<std::uint32_t, std::shared_ptr<const BlockTrace>> traces_;
  std::uint64_t kept_steps_ = 0;
};

}  // namespace tilestep::clock

namespace tilestep {

template <>
inline constexpr auto kWords<clock::Extent> =
    std::to_array<Word<clock::Extent>>({{clock::Extent::Block, "block", "one block"},
                                        {clock::Extent::Wave, "wave", "one wave"},
                                        {clock::Extent::Sm, "sm", "one SM"}});

}  // namespace tilestep
