#include "workspace/second_side.h"

#include "problem/tr.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {
namespace {

// The part of a state that side 2 shares.
state::AppState state_of_second(const state::AppState& state, insight::ThreadOfRun thread) {
  state::AppState second = state;
  state::take_setup(second, state.comparison.second);
  second.comparison = {};
  second.step = state.second_step;
  second.second_step = 0;
  second.focus.block = thread.block;
  second.focus.thread = thread.thread;
  second.playing = false;
  second.editing = false;
  second.breakpoints.clear();
  second.conditions.clear();
  second.tab = state::Tab::Step;
  second.timing = {};
  return second;
}

bool have_one_shape(const record::Recording& one, const record::Recording& two) {
  const problem::Launch& a = one.program().launch();
  const problem::Launch& b = two.program().launch();
  return a.grid == b.grid && a.block == b.block;
}

std::optional<std::size_t> sum_at(const insight::BlockSums& sums, const simt::Program& program,
                                  const std::string& element) {
  const auto all = sums.sums();
  const auto found = std::ranges::find_if(all, [&](const insight::OwnedSum& sum) {
    return insight::name_of(program, sum.at) == element;
  });
  return found == all.end() ? std::nullopt
                            : std::optional(static_cast<std::size_t>(found - all.begin()));
}

bool is_one_thread(const state::Focus& a, const state::Focus& b) {
  return a.block == b.block && a.thread == b.thread && a.sum == b.sum;
}

// The end of the statement that contains a step.
std::uint64_t statement_end(const record::Recording& run, std::uint64_t step) {
  const auto starts = run.statement_starts();
  const auto at = std::ranges::lower_bound(starts, step);
  return at == starts.end() ? run.step_count() : *at;
}

// Slow ones are ready in a later frame.
bool are_followed(const FrameView& view, std::uint32_t block) {
  return view.run.sums != nullptr || !view.run.scene->recording->part().holds(block);
}

// Followed here if the workspace has another block's.
std::shared_ptr<const insight::BlockSums> sums_of(
    const std::shared_ptr<const insight::BlockSums>& known, const record::Recording& run,
    std::uint32_t block) {
  return known && known->block() == block ? known
                                          : std::make_shared<const insight::BlockSums>(run, block);
}

}  // namespace

bool SecondSide::Question::is_same_as(const Question& other) const {
  return first == other.first && second == other.second && is_one_thread(focus, other.focus) &&
         comparison.alignment == other.comparison.alignment;
}

bool SecondSide::Question::is_of(const state::AppState& state) const {
  return one == setup_of(state) && comparison == state.comparison &&
         is_one_thread(focus, state.focus);
}

SecondSide::Compared SecondSide::compare(const Question& question, const BothSums& known) {
  const record::Recording& one = *question.first;
  const record::Recording& two = *question.second;
  const auto of_first = sums_of(known[0], one, question.focus.block);
  const insight::BlockSums& sums = *of_first;
  const auto sum = sums.of_thread(question.focus.thread, std::max(question.focus.sum, 0));
  const std::string element =
      sum ? insight::name_of(one.program(), sums.sums()[*sum].at) : std::string();
  Compared found;
  found.thread = {question.focus.block, question.focus.thread};
  if (!have_one_shape(one, two)) {
    found.thread = {std::min(question.focus.block, two.program().block_count() - 1),
                    std::min(question.focus.thread, two.program().threads_per_block() - 1)};
    if (const auto owner = sum ? insight::who_stored(two, element) : std::nullopt) {
      found.thread = *owner;
    }
  }
  const auto of_second = sums_of(known[1], two, found.thread.block);
  const insight::BlockSums& others = *of_second;
  const insight::Side side_1{one, sums, question.focus.block, question.focus.thread, sum};
  const insight::Side side_2{two, others, found.thread.block, found.thread.thread,
                             sum_at(others, two.program(), element)};
  const insight::BlockStatements first = block_statements(side_1, question.comparison.alignment);
  const insight::BlockStatements second = block_statements(side_2, question.comparison.alignment);
  found.joint = std::make_shared<const record::JointTimeline>(first.side(), second.side());
  found.sums =
      std::make_shared<const insight::SumComparison>(insight::compare_sums(side_1, side_2));
  return found;
}

void SecondSide::add_kernel(problem::LaunchSpec spec) {
  if (workspace_) {
    workspace_->add_kernel(spec);
  }
  kernels_.push_back(std::move(spec));
}

void SecondSide::open() {
  workspace_ = std::make_unique<Workspace>(paths_, compiler_, Workspace::Role::SecondSide);
  workspace_->on_result(wake_);
  if (looks_ahead_) {
    workspace_->look_ahead();
  }
  for (const problem::LaunchSpec& spec : kernels_) {
    workspace_->add_kernel(spec);
  }
}

void SecondSide::close() {
  cancel();
  workspace_.reset();
  passed_on_.reset();
  compared_.reset();
  beside_.reset();
  asked_.reset();
}

bool SecondSide::pass_on(const state::AppState& state, double now) {
  state::AppState second = state_of_second(
      state,
      compared_ ? compared_->thread : insight::ThreadOfRun{state.focus.block, state.focus.thread});
  if (!passed_on_ || *passed_on_ != second) {
    passed_on_ = std::move(second);
    workspace_->set_state(*passed_on_);
    workspace_->update({}, now);
    return true;
  }
  return workspace_->update({}, now);
}

bool SecondSide::follow(const FrameView& first, state::AppState& state, double now) {
  if (!state.comparison.on) {
    close();
    return false;
  }
  if (!workspace_) {
    open();
  }
  keep_together(state);
  const bool changed = pass_on(state, now);
  const FrameView& view = workspace_->view();
  const bool are_there = first.run.scene != nullptr && view.run.scene != nullptr && !view.jobs.busy;
  if (are_there && are_followed(first, state.focus.block) &&
      are_followed(view, workspace_->state().focus.block)) {
    request({first.run.scene->recording, view.run.scene->recording, setup_of(state),
             state.comparison, state.focus},
            {first.run.sums, view.run.sums});
  }
  beside_ = std::make_shared<const Beside>(Beside{workspace_->state(), view,
                                                  compared_ ? compared_->joint : nullptr,
                                                  compared_ ? compared_->sums : nullptr});
  return changed;
}

void SecondSide::request(Question question, BothSums known) {
  if (asked_ && asked_->is_same_as(question)) {
    return;
  }
  if (asked_ && (asked_->first != question.first || asked_->second != question.second)) {
    compared_.reset();
  }
  asked_ = question;
  cancel();
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, question = std::move(question), known = std::move(known),
                control = control_]() -> Completion {
    if (control->cancel) {
      return {};
    }
    auto found = std::make_shared<Compared>(compare(question, known));
    return [this, found, question, control] {
      if (!control->cancel) {
        compared_ = std::move(*found);
        answered_ = question;
      }
    };
  });
}

void SecondSide::keep_together(state::AppState& state) const {
  if (!compared_ || !answered_->is_of(state)) {
    return;
  }
  const auto stops = compared_->joint->stops();
  const auto stretch = compared_->joint->of_first(state.step);
  const std::uint64_t least = stops[stretch.from].second;
  const std::uint64_t most = stops[stretch.to].second;
  state.second_step = state.phase.done ? most : std::clamp(state.second_step, least, most);
}

SecondSide::Difference SecondSide::next_difference(const state::AppState& state,
                                                   int direction) const {
  if (!workspace_) {
    return {std::nullopt, tr("No comparison is open. Press = to compare.")};
  }
  if (!compared_) {
    return {std::nullopt, tr("The two runs are still being compared.")};
  }
  const auto& all = compared_->sums->differences;
  if (all.empty()) {
    return {std::nullopt, tr("No sum differs: both runs add the same products.")};
  }
  const auto is_beyond = [&](const insight::SumDifference& d) {
    return direction > 0 ? d.sides[1].step > state.second_step
                         : d.sides[1].step < state.second_step;
  };
  const insight::SumDifference* found = nullptr;
  for (const insight::SumDifference& difference : all) {
    if (is_beyond(difference)) {
      found = &difference;
      if (direction > 0) {
        break;
      }
    }
  }
  if (found == nullptr) {
    return {std::nullopt, tr(direction > 0 ? "There is no new difference after this place."
                                           : "There is no new difference before this place.")};
  }
  Difference difference{state, ""};
  state::AppState& at = *difference.state;
  // Both are equal up to there: the joint timeline of that thread has a stop of these two.
  at.step = statement_end(*answered_->first, found->sides[0].step);
  at.second_step = statement_end(*answered_->second, found->sides[1].step);
  at.phase = {};
  at.playing = false;
  at.focus.thread = found->sides[0].thread;
  return difference;
}

void SecondSide::cancel() {
  if (control_) {
    control_->cancel = true;
  }
}

void SecondSide::retranslate() {
  if (workspace_) {
    workspace_->retranslate();
  }
}

void SecondSide::settle() {
  if (workspace_) {
    workspace_->settle();
  }
}

void SecondSide::on_result(void (*wake)()) {
  wake_ = wake;
  if (workspace_) {
    workspace_->on_result(wake);
  }
}

}  // namespace tilestep::workspace
