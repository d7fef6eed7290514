// Side 2 of a comparison: a workspace of its own that follows the first one's state. Both runs are
// put on one timeline, and their sums are compared, in the background.
#pragma once

#include "compile/compiler.h"
#include "insight/compare/compare.h"
#include "problem/describe/catalog.h"
#include "record/joint_timeline.h"
#include "state/app_state.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/workspace.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

class SecondSide {
 public:
  // The compiler and the pool have to outlive it; the pool's threads have to end before.
  SecondSide(const Paths& paths, compile::Compiler& compiler, Pool& pool)
      : paths_(paths), compiler_(compiler), pool_(pool) {}

  // Kernels beyond the catalog, which side 2 may be as well.
  void add_kernel(problem::LaunchSpec spec);

  // Once for each update of the first workspace. `state.second_step` is moved to where it belongs
  // beside `state.step`.
  // True: what the next frame shows of it may differ.
  bool follow(const FrameView& first, state::AppState& state, double now);
  // Null: nothing is compared.
  [[nodiscard]] const Beside* beside() const { return workspace_ ? &beside_ : nullptr; }

  // The place of the next (last) difference, from where `state` is. Else the sentence why there is
  // none.
  struct Difference {
    std::optional<state::AppState> state;
    std::string sentence;
  };
  [[nodiscard]] Difference next_difference(const state::AppState& state, int direction) const;

  void cancel();
  void settle();
  void retranslate();
  void look_ahead() { looks_ahead_ = true; }
  void on_result(void (*wake)());

 private:
  // What was found of two runs.
  struct Compared {
    insight::ThreadOfRun thread;  // of side 2, that does the work of the focus thread
    record::JointTimeline joint;
    insight::SumComparison sums;
  };
  struct Question {
    std::shared_ptr<const record::Recording> first;
    std::shared_ptr<const record::Recording> second;
    state::Setup one;
    state::Comparison comparison;
    state::Focus focus;

    [[nodiscard]] bool is_same_as(const Question& other) const;
    // What was found for it holds for a state.
    [[nodiscard]] bool is_of(const state::AppState& state) const;
  };
  // Of the focus block of each side, as its workspace has them.
  using BothSums = std::array<std::shared_ptr<const insight::BlockSums>, 2>;
  [[nodiscard]] static Compared compare(const Question& question, const BothSums& known);

  void open();
  void close();
  bool pass_on(const state::AppState& state, double now);
  void request(Question question, BothSums known);
  void keep_together(state::AppState& state) const;

  const Paths& paths_;
  compile::Compiler& compiler_;
  Pool& pool_;
  std::vector<problem::LaunchSpec> kernels_;
  std::unique_ptr<Workspace> workspace_;
  void (*wake_)() = nullptr;
  bool looks_ahead_ = false;
  std::optional<state::AppState> passed_on_;
  std::optional<Question> asked_;
  std::optional<Question> answered_;  // what `compared_` is of
  std::shared_ptr<JobControl> control_;
  std::optional<Compared> compared_;
  Beside beside_;
};

}  // namespace tilestep::workspace
