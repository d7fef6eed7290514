// The focus block's run in sentences: its narrator, and the summaries of its phases. A block is
// followed once and a phase counted once; in the background if it takes long.
#pragma once

#include "narration/narrator.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"
#include "workspace/workspace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace tilestep::workspace {

class NarrationCache {
 public:
  explicit NarrationCache(Pool& pool) : pool_(pool) {}

  // What is known at a step; starts computing the rest. `sums`: of the focus block; null: not
  // ready.
  [[nodiscard]] NarrationView follow(const Scene& scene, const state::AppState& state,
                                     std::uint64_t step,
                                     const std::shared_ptr<const insight::BlockSums>& sums);
  // Drops a job that has not begun.
  void cancel();
  // Invalidates the cache.
  void forget();

 private:
  // A narrator with its run, which must outlive it.
  struct BlockNarrator;
  struct Key {
    std::size_t phase = 0;
    std::uint32_t thread = 0;
    bool has_sums = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void find_narrator(const Scene& scene, std::uint32_t block);
  // Null until it is ready.
  [[nodiscard]] std::shared_ptr<const narration::PhaseSummary> summary(
      Key key, const std::shared_ptr<const insight::BlockSums>& sums);
  [[nodiscard]] bool is_for(const std::shared_ptr<const record::Recording>& recording,
                            std::uint32_t block) const {
    return recording_.lock() == recording && block_ == block;
  }

  Pool& pool_;
  std::weak_ptr<const record::Recording> recording_;  // the latest request …
  std::uint32_t block_ = 0;
  std::shared_ptr<const BlockNarrator> narrator_;  // … and its result
  std::map<Key, std::shared_ptr<const narration::PhaseSummary>> summaries_;
  std::optional<Key> counting_;          // in the background
  std::shared_ptr<JobControl> control_;  // of the latest narrator
};

}  // namespace tilestep::workspace
