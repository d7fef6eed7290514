// The flow of the cell that is pointed at, or that was chosen: found in the background.
#pragma once

#include "compile/compiler.h"
#include "insight/events/cell_flow.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::workspace {

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

}  // namespace tilestep::workspace
