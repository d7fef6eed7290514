// Runs to the next event, breakpoint or finding: looked for in the background, because the run may
// have to be executed again to its end.
#pragma once

#include "insight/check/check.h"
#include "insight/events/breakpoint.h"
#include "insight/events/event.h"
#include "state/app_state.h"
#include "state/command.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tilestep::workspace {

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
