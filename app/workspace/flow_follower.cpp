#include "workspace/flow_follower.h"

#include "insight/names.h"
#include "loading/prepare.h"

namespace tilestep::workspace {
namespace {

// Following an element executes the run and its blocks again: longer ones are only followed for a
// cell that was chosen, and compared with nothing.
constexpr std::uint64_t kShortRun = 1'000'000;  // steps
constexpr const char* kElsewhere = "naive";

}  // namespace

const insight::CellFlow* FlowFollower::follow(const Scene& scene, const state::AppState& state) {
  const std::string& cell = pointed_.empty() ? state.focus.cell_name : pointed_;
  const bool is_too_long = !pointed_.empty() && scene.recording->step_count() > kShortRun;
  if (cell.empty() || is_too_long) {
    cancel();
    asked_.reset();
    return nullptr;
  }
  const auto found = insight::find_cell(scene.recording->program(), cell);
  const bool is_shared = found && found->shared;
  const insight::FlowQuestion question{cell, is_shared ? state.step : 0, state.focus.block};
  if (recording_.lock() != scene.recording || asked_ != question) {
    const bool same_cell = recording_.lock() == scene.recording && asked_ && asked_->cell == cell;
    recording_ = scene.recording;
    asked_ = question;
    if (!same_cell) {
      flow_.reset();
    }
    request(scene, state);
  }
  return flow_.get();
}

void FlowFollower::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  flow_.reset();
}

void FlowFollower::forget() {
  cancel();
  asked_.reset();
}

void FlowFollower::request(const Scene& scene, const state::AppState& state) {
  if (control_) {
    control_->cancel = true;
  }
  control_ = std::make_shared<JobControl>();
  const problem::LaunchSpec* other =
      state.kernel != kElsewhere && scene.recording->step_count() <= kShortRun
          ? catalog_->find(kElsewhere)
          : nullptr;
  pool_.submit([this, recording = scene.recording, question = *asked_, control = control_,
                spec = other != nullptr ? std::optional(*other) : std::nullopt,
                parameters = state.parameters, input = state.input]() -> Completion {
    if (control->cancel) {
      return {};
    }
    std::optional<std::uint64_t> elsewhere;
    if (spec) {
      const auto prepared = loading::prepare(compiler_, *spec, parameters, input, {});
      elsewhere = prepared ? insight::count_loads(prepared->program, question.cell) : std::nullopt;
    }
    auto found = insight::cell_flow(*recording, question, elsewhere, kElsewhere);
    const auto flow =
        found ? std::make_shared<const insight::CellFlow>(std::move(*found)) : nullptr;
    return [this, control, flow] {
      if (control_ == control) {
        flow_ = flow;
      }
    };
  });
}

}  // namespace tilestep::workspace
