// Side 2 of a comparison: a workspace of its own that follows the first one's state. In the
// background, both runs are put on one timeline and their sums are compared.
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
  // The compiler and the pool must outlive it; the pool's threads must end before it.
  SecondSide(const Paths& paths, compile::Compiler& compiler, Pool& pool)
      : paths_(paths), compiler_(compiler), pool_(pool) {}

  // A kernel that is not in the catalog and that side 2 may use.
  void add_kernel(problem::LaunchSpec spec);

  // Call once per update of the first workspace. Moves `state.second_step` to the place that
  // corresponds to `state.step`. Returns true if the next frame may differ.
  bool follow(const FrameView& first, state::AppState& state, double now);
  // Null: no comparison.
  [[nodiscard]] const std::shared_ptr<const Beside>& beside() const { return beside_; }

  // The place of the next (previous) difference from `state`; otherwise the sentence why there is
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
  // The result of comparing two runs.
  struct Compared {
    insight::ThreadOfRun thread;  // of side 2: the thread with the focus thread's work
    std::shared_ptr<const record::JointTimeline> joint;
    std::shared_ptr<const insight::SumComparison> sums;
  };
  struct Question {
    std::shared_ptr<const record::Recording> first;
    std::shared_ptr<const record::Recording> second;
    state::Setup one;
    state::Comparison comparison;
    state::Focus focus;

    [[nodiscard]] bool is_same_as(const Question& other) const;
    // Whether the result is valid for a state.
    [[nodiscard]] bool is_of(const state::AppState& state) const;
  };
  // The sums of each side's focus block, as its workspace has them.
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
  std::optional<Question> answered_;  // the question that `compared_` answers
  std::shared_ptr<JobControl> control_;
  std::optional<Compared> compared_;
  std::shared_ptr<const Beside> beside_;
};

}  // namespace tilestep::workspace
