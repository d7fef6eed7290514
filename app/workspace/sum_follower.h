// The sums of the focus block: a block is followed once (insight::BlockSums), and then answers for
// every thread and step. Where that takes long it is done in the background.
#pragma once

#include "insight/trace/accumulators.h"
#include "state/app_state.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace tilestep::workspace {

class SumFollower {
 public:
  // The first block's sums of a recording, which were not there when it came on stage. Called by
  // the pool's owner, also for a recording that has gone since.
  using Take = std::function<void(const std::shared_ptr<const record::Recording>& recording,
                                  std::shared_ptr<const insight::BlockSums> first)>;

  SumFollower(Pool& pool, Take take) : pool_(pool), take_(std::move(take)) {}

  // A job that runs ends soon.
  void cancel();

  // Of this block; null as long as they are not there, and where the recording lacks the block.
  [[nodiscard]] const insight::BlockSums* follow(const Scene& scene, std::uint32_t block);

  // The same, kept alive.
  [[nodiscard]] const std::shared_ptr<const insight::BlockSums>& shared() const { return sums_; }

 private:
  void stop();
  void request(const Scene& scene, std::uint32_t block);
  [[nodiscard]] bool is_for(const std::shared_ptr<const record::Recording>& recording,
                            std::uint32_t block) const {
    return recording_.lock() == recording && block_ == block;
  }

  Pool& pool_;
  Take take_;
  std::weak_ptr<const record::Recording> recording_;  // what was asked for last …
  std::uint32_t block_ = 0;
  std::shared_ptr<const insight::BlockSums> sums_;  // … and what came of it
  std::shared_ptr<JobControl> control_;             // of the newest job
};

// The sum that is written out for the focus thread; where nobody has chosen one, that which a
// statement adds to. Nothing: the thread has none.
struct StatementSteps {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // the step that it ends before
};
[[nodiscard]] std::optional<std::size_t> chosen_sum(const insight::BlockSums& sums,
                                                    const state::Focus& focus,
                                                    StatementSteps statement);

}  // namespace tilestep::workspace
