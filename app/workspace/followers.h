// Background queries about the scene on stage: sums of the focus block, the flow of a cell, runs of
// contrasting kernels, the next event. The newest question replaces earlier ones.
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
#include "workspace/paths.h"
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

// The sums of the focus block: a block is followed once (insight::BlockSums), which answers for
// every thread and step; in the background if it takes long.
class SumFollower {
 public:
  // The first block's sums of a recording, if they were not ready when it was put on stage. The
  // pool's owner calls it, also for a recording that is no longer on stage.
  using Take = std::function<void(const std::shared_ptr<const record::Recording>& recording,
                                  std::shared_ptr<const insight::BlockSums> first)>;

  SumFollower(Pool& pool, Take take) : pool_(pool), take_(std::move(take)) {}

  // A running job ends soon.
  void cancel();

  // The sums of this block; null until they are ready, or if the recording lacks the block.
  [[nodiscard]] const std::shared_ptr<const insight::BlockSums>& follow(const Scene& scene,
                                                                        std::uint32_t block);

 private:
  void stop();
  void request(const Scene& scene, std::uint32_t block);
  [[nodiscard]] bool is_for(const std::shared_ptr<const record::Recording>& recording,
                            std::uint32_t block) const {
    return recording_.lock() == recording && block_ == block;
  }

  Pool& pool_;
  Take take_;
  std::weak_ptr<const record::Recording> recording_;  // the latest request …
  std::uint32_t block_ = 0;
  std::shared_ptr<const insight::BlockSums> sums_;  // … and its result
  std::shared_ptr<JobControl> control_;             // of the newest job
};

// The sum of the focus thread that is written out; by default the one that the statement adds to.
// Nullopt: the thread has none.
struct StatementSteps {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // one beyond its last step
};
[[nodiscard]] std::optional<std::size_t> chosen_sum(const insight::BlockSums& sums,
                                                    const state::Focus& focus,
                                                    StatementSteps statement);

// The flow of the pointed or chosen cell, computed in the background.
class FlowFollower {
 public:
  // All of them must outlive this object; the pool's threads must end before it.
  FlowFollower(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog)
      : pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // "A[1][6]"; empty: no cell.
  void point_at(std::string cell) { pointed_ = std::move(cell); }
  // The flow of the pointed cell, else of the chosen one; null until it is ready. A change of the
  // scene's recording starts a new request.
  [[nodiscard]] std::shared_ptr<const insight::CellFlow> follow(const Scene& scene,
                                                                const state::AppState& state);
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
  std::shared_ptr<const insight::CellFlow> flow_;  // the result
  std::shared_ptr<JobControl> control_;
};

// Runs of the kernels that contrast with the one on stage (Catalog::contrasts), recorded in the
// background: the accesses of the focus thread's warp in each.
class ContrastFollower {
 public:
  // All of them must outlive this object; the pool's threads must end before it.
  ContrastFollower(const Paths& paths, Pool& pool, compile::Compiler& compiler,
                   const CatalogPtr& catalog)
      : paths_(paths), pool_(pool), compiler_(compiler), catalog_(catalog) {}

  // The runs while the memory view shows a contrast; null: it does not, or they are not ready.
  [[nodiscard]] std::shared_ptr<const std::vector<ContrastRun>> follow(const Scene& scene,
                                                                       const state::AppState& state,
                                                                       const SceneKey& key);
  void cancel();

 private:
  void request(const Scene& scene, const SceneKey& key, std::uint32_t block, std::uint32_t warp);

  const Paths& paths_;
  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  std::weak_ptr<const record::Recording> recording_;      // the request: recording and warp
  std::pair<std::uint32_t, std::uint32_t> warp_;          // block, and warp within it
  std::shared_ptr<const std::vector<ContrastRun>> runs_;  // the result
  std::shared_ptr<JobControl> control_;
};

// Runs to the next event, breakpoint or finding. The search is in the background, because it may
// execute the run again to its end.

// The first finding between two steps, at which playing stops. Empty: none, or the check is not
// ready.
[[nodiscard]] insight::EventAnswer finding_on_the_way(const record::Recording& recording,
                                                      std::uint64_t from, std::uint64_t to,
                                                      const insight::CheckResult* check);

class EventRunner {
 public:
  // The pool's owner calls it with the answer for the recording on stage.
  using Take = std::function<void(const insight::EventAnswer& answer)>;
  // The pool must outlive this object.
  EventRunner(Pool& pool, Take take) : pool_(pool), take_(std::move(take)) {}

  // A command that runs to something begins a search; any other change of position ends it.
  // `state`: after the command. The search uses the recording on stage at `pursue`.
  void notice(const state::Command& command, const state::AppState& state);
  // Starts a search that waits for a recording, or for its check if needed.
  void pursue(const std::shared_ptr<const record::Recording>& recording,
              const insight::CheckResult* check);
  void cancel();

  // "Looking for the next bank conflict …"; empty: no search.
  [[nodiscard]] const std::string& looking_for() const { return looking_for_; }

 private:
  using Question = std::variant<insight::EventQuestion, insight::StopQuestion>;

  Pool& pool_;
  Take take_;
  std::shared_ptr<Question> waiting_;
  std::weak_ptr<const record::Recording> recording_;  // the searched recording
  std::shared_ptr<JobControl> control_;               // of the running search
  std::string looking_for_;
};

}  // namespace tilestep::workspace
