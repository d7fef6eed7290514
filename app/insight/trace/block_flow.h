// One block executed once more under a FlowTracker: by itself where it can.
#pragma once

#include "insight/trace/flow_tracker.h"
#include "record/recording.h"
#include "record/tables.h"
#include "simt/machine/machine.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace tilestep::insight {

// A value held by a variable at a step may be told only by the instruction after it
// (record/tables.h). OneMore: every warp makes one more step if it can, so that variables are
// right. Exactly: registers are as they were.
enum class Settle { OneMore, Exactly };

class BlockFlow {
 public:
  // Up to `last_step` of the recording, or until the graph has more than `most_values`, or until
  // `cancel` is set.
  BlockFlow(const record::Recording& recording, std::uint32_t block, std::uint64_t last_step,
            Settle settle, std::size_t most_values = ~std::size_t{0},
            const std::atomic<bool>* cancel = nullptr);
  BlockFlow(const BlockFlow&) = delete;
  BlockFlow& operator=(const BlockFlow&) = delete;
  BlockFlow(BlockFlow&&) = delete;
  BlockFlow& operator=(BlockFlow&&) = delete;
  ~BlockFlow() = default;

  [[nodiscard]] const record::Tables& tables() const { return tables_; }
  [[nodiscard]] const simt::Program& program() const { return *tables_.program; }
  [[nodiscard]] const simt::Machine& machine() const { return machine_; }
  [[nodiscard]] const FlowTracker& tracker() const { return *tracker_; }
  [[nodiscard]] const ValueGraph& graph() const { return tracker_->graph(); }

  [[nodiscard]] bool is_too_large() const { return graph().size() > most_values_; }
  [[nodiscard]] bool is_cancelled() const {
    return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed);
  }
  // Keeps the graph and what variables held; what was stored is forgotten.
  void forget_stores() { tracker_->forget_stores(); }

  // What a thread's variable held at a step. Of variables with one name the one that was assigned
  // last is the one in scope.
  [[nodiscard]] NodeId held(std::uint64_t step, std::uint32_t thread,
                            const std::string& variable) const;
  [[nodiscard]] const ptx::SourceVariable& source(const FlowTracker::History& history) const;

 private:
  // Rests: what is followed so far is not wanted (see the constructor).
  [[nodiscard]] bool gives_up() const {
    return is_too_large() || is_cancelled() || tracker_->has_rests();
  }
  void run(const record::Recording& recording, std::uint64_t last_step);
  void run_block(const record::Recording& recording, std::uint64_t last_step);
  void run_all(const record::Recording& recording, std::uint64_t last_step);

  std::uint32_t block_;
  Settle settle_;
  std::size_t most_values_;
  const std::atomic<bool>* cancel_;
  record::Tables tables_;
  simt::Machine machine_;
  std::optional<FlowTracker> tracker_;
};

}  // namespace tilestep::insight
