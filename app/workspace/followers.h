// What is found in the background about the scene on stage: sums of the focus block, the flow of a
// cell, runs of contrasted kernels, the next event. The newest question wins.
#pragma once

#include "compile/compiler.h"
#include "insight/check/check.h"
#include "insight/events/breakpoint.h"
#include "insight/events/cell_flow.h"
#include "insight/events/event.h"
#include "insight/trace/accumulators.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "state/command.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilestep::workspace {

// The sums of the focus block: a block is followed once (insight::BlockSums), and then answers for
// every thread and step. Where that takes long it is done in the background.
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

// The flow of the cell that is pointed at, or that was chosen: found in the background.
class FlowFollower {
 public:
  // All of them have to outlive this, but for the pool, whose threads have to end before.
  FlowFollower(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog)
      : pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // "A[1][6]"; empty: at nothing.
  void point_at(std::string cell) { pointed_ = std::move(cell); }
  // Of the pointed cell or else the chosen one; null as long as it is not there. A change of the
  // scene's recording asks again.
  [[nodiscard]] const insight::CellFlow* follow(const Scene& scene, const state::AppState& state);
  void cancel();
  void forget();

 private:
  void request(const Scene& scene, const state::AppState& state);

  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  std::string pointed_;
  std::weak_ptr<const record::Recording> recording_;
  std::optional<insight::FlowQuestion> asked_;
  std::shared_ptr<const insight::CellFlow> flow_;  // what came of it
  std::shared_ptr<JobControl> control_;
};

// Runs of the kernels that the one on stage is contrasted with (Catalog::contrasts), recorded in
// the background: what the focus thread's warp accesses in each of them.
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

// Runs to the next event, breakpoint or finding: looked for in the background, because the run may
// have to be executed again to its end.

// A finding that playing from one step to another comes past: where it stops. Nothing found: none,
// or the check is not there yet.
[[nodiscard]] insight::EventAnswer finding_on_the_way(const record::Recording& recording,
                                                      std::uint64_t from, std::uint64_t to,
                                                      const insight::CheckResult* check);

class EventRunner {
 public:
  // Called by the pool's owner with what was found in the recording that stands on stage.
  using Take = std::function<void(const insight::EventAnswer& answer)>;
  // The pool has to outlive this.
  EventRunner(Pool& pool, Take take) : pool_(pool), take_(std::move(take)) {}

  // A command that runs somewhere begins a search; any that goes somewhere else ends the one under
  // way. `state` is what the command has left. A search is for the recording on stage at `pursue`.
  void notice(const state::Command& command, const state::AppState& state);
  // Starts what waits for a recording, or for its check where that has to be known.
  void pursue(const std::shared_ptr<const record::Recording>& recording,
              const insight::CheckResult* check);
  void cancel();

  // "Looking for the next bank conflict …"; empty: nothing is being looked for.
  [[nodiscard]] const std::string& looking_for() const { return looking_for_; }

 private:
  using Question = std::variant<insight::EventQuestion, insight::StopQuestion>;

  Pool& pool_;
  Take take_;
  std::shared_ptr<Question> waiting_;
  std::weak_ptr<const record::Recording> recording_;  // that is searched
  std::shared_ptr<JobControl> control_;               // of the search under way
  std::string looking_for_;
};

}  // namespace tilestep::workspace
