// A launch's time on one SM: its blocks traced and run through the model.
#pragma once

#include "clock/sm.h"
#include "clock/sm_table.h"
#include "clock/trace.h"
#include "insight/occupancy/occupancy.h"
#include "loading/prepare.h"
#include "problem/result.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
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
  // Frees the traces of its blocks; the next run makes them again.
  void forget() {
    traces_.clear();
    kept_steps_ = 0;
  }

 private:
  [[nodiscard]] Result<SmRun> run_blocks(const std::vector<std::uint32_t>& blocks,
                                         const SmTable& table, const EstimateOptions& options,
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
