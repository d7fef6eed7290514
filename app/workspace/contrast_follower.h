// Runs of the kernels that the one on stage is contrasted with (Catalog::contrasts), recorded in
// the background: what the focus thread's warp accesses in each of them.
#pragma once

#include "compile/compiler.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tilestep::workspace {

class ContrastFollower {
 public:
  // All of them have to outlive this, but for the pool, whose threads have to end before.
  ContrastFollower(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog)
      : pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // For the memory view where it shows a contrast; null: it does not, or they are not there yet.
  [[nodiscard]] std::shared_ptr<const std::vector<ContrastRun>> follow(const Scene& scene,
                                                                       const state::AppState& state,
                                                                       const SceneKey& key);
  void cancel();

 private:
  void request(const Scene& scene, const SceneKey& key, std::uint32_t block, std::uint32_t warp);

  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  std::weak_ptr<const record::Recording> recording_;      // what was asked about, and whose warp
  std::pair<std::uint32_t, std::uint32_t> warp_;          // block, and warp in it
  std::shared_ptr<const std::vector<ContrastRun>> runs_;  // what came of it
  std::shared_ptr<JobControl> control_;
};

}  // namespace tilestep::workspace
