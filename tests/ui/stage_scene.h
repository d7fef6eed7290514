// A recorded launch with everything that the stage derives from it.
#pragma once

#include "simulated.h"
#include "state/apply.h"
#include "ui/stage/content.h"
#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace tilestep::test {

class StageScene {
 public:
  explicit StageScene(const problem::Launch& launch, const simt::Schedule& schedule = {})
      : StageScene(Simulated().program(launch), schedule) {}
  StageScene(const std::string& kernel, problem::Problem size, int block_size,
             const simt::Schedule& schedule = {})
      : StageScene(Simulated().program(kernel, size, block_size), schedule) {}

  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  int sum = 0;
  std::vector<insight::Finding> findings;
  std::vector<problem::ExpectedOutput> expected;  // the expected contents of the outputs

  [[nodiscard]] const record::Recording& recording() const { return *recording_; }
  [[nodiscard]] const ui::StageShape& shape() const { return shape_; }
  [[nodiscard]] const ui::Ownership& owners() const { return owners_; }

  // The state after `step` steps, with its last statement highlighted.
  void go_to(std::uint64_t step) {
    if (ends_.empty()) {
      ends_ = ui::ends_of(recording_->state_at(recording_->step_count()), shape_);
    }
    state_ = recording_->state_at(step);
    statement_.reset();
    before_.reset();
    if (step > 0) {
      const std::size_t index = recording_->statement_of(step - 1);
      const std::uint64_t first = recording_->statement_starts()[index];
      statement_ = recording_->activity(first, step);
      before_ = recording_->state_at(first);
    }
    if (!sums_ || sums_->block() != block) {
      sums_.emplace(*recording_, block);
      narrator_.emplace(*recording_, block);
    }
    log_.use(*recording_, shape_, generation_, block, thread, &*sums_);
    shown_ = shows_phase_ ? state::phase_ended(*recording_, step, block) : std::nullopt;
    content_ = ui::make_content(inputs());
  }
  void go_to_end_of_phase(std::size_t phase) {
    go_to(recording_->phases_of(block)[phase].last_step);
  }
  // The same as F10 shows it: the whole phase.
  void show_phase(std::size_t phase) {
    const std::uint64_t last = recording_->phases_of(block)[phase].last_step;
    shows_phase_ = true;
    summary_.reset();
    go_to(state::step_from(*recording_, last - 1, state::Unit::Phase, +1, block));
    summary_ = narrator_->summarise(phase, thread, &*sums_);
    shows_phase_ = false;
    shown_ = phase;
  }
  // The end of the `nth` statement (from 0) in which the focus block executed `line`.
  void go_to_line(std::uint32_t line, int nth = 0) {
    const auto starts = recording_->statement_starts();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const record::Activity activity = recording_->activity(starts[i], starts[i + 1]);
      const bool found = std::any_of(
          activity.executed.begin(), activity.executed.end(),
          [&](const auto& e) { return e.warp.block == block && e.line == line && e.mask != 0; });
      if (found && nth-- == 0) {
        go_to(starts[i + 1]);
        return;
      }
    }
    throw std::runtime_error("the line is never executed");
  }

  [[nodiscard]] ui::ContentInputs inputs() {
    return {.recording = *recording_,
            .shape = shape_,
            .owners = owners_,
            .log = log_,
            .state = *state_,
            .before = before_ ? &*before_ : nullptr,
            .statement = statement_ ? &*statement_ : nullptr,
            .accumulator = accumulator_,
            .sums = sums_ ? &*sums_ : nullptr,
            .landings = landings_,
            .sum = sum,
            .expected = expected,
            .ends = ends_,
            .block = block,
            .thread = thread,
            .narrator = narrator_ ? &*narrator_ : nullptr,
            .findings = findings,
            .phase = shown_,
            .summary = shown_ && summary_ ? &*summary_ : nullptr};
  }
  [[nodiscard]] const ui::StageContent& content() const { return content_; }
  [[nodiscard]] int sheet(const std::string& name) const {
    for (std::size_t i = 0; i < shape_.sheets.size(); ++i) {
      if (shape_.sheets[i].name == name) {
        return static_cast<int>(i);
      }
    }
    throw std::runtime_error("no sheet is called " + name);
  }
  [[nodiscard]] const ui::Cell& cell(const std::string& name, int row, int col) const {
    const auto i = static_cast<std::size_t>(sheet(name));
    return content_.sheets[i].cells[ui::cell_index(shape_.sheets[i], {row, col})];
  }
  // The frame of a kind on a sheet, as {row, col, rows, cols}; empty if there is none.
  [[nodiscard]] std::vector<int> frame(ui::FrameKind kind, const std::string& name) const {
    for (const ui::CellFrame& frame : content_.frames) {
      if (frame.kind == kind && frame.sheet == sheet(name) && frame.block == block) {
        return {frame.row, frame.col, frame.rows, frame.cols};
      }
    }
    return {};
  }

 private:
  std::vector<std::vector<double>> ends_;
  StageScene(std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule) {
    auto made = record::Recording::make(std::move(program), schedule);
    if (!made) {
      throw std::runtime_error(made.error().message);
    }
    recording_ = std::move(*made);
    const insight::BlockSums first(*recording_, 0);
    accumulator_ = first.common_name();
    shape_ = ui::make_shape(recording_->program(), accumulator_);
    ui::find_roles(&first, recording_->program(), shape_);
    owners_ = ui::find_owners(*recording_, recording_->state_at(recording_->step_count()), shape_);
    ui::lay_out_threads(shape_, owners_, first);
    landings_ = ui::find_landings(shape_, owners_, first);
  }

  std::shared_ptr<const record::Recording> recording_;
  ui::StageShape shape_;
  ui::Ownership owners_;
  std::string accumulator_;
  std::optional<insight::BlockSums> sums_;
  std::vector<ui::Landing> landings_;
  workspace::Generation generation_ = workspace::Generation::next();
  ui::BlockLog log_;
  std::optional<narration::Narrator> narrator_;
  std::optional<record::State> state_;
  std::optional<record::State> before_;
  std::optional<record::Activity> statement_;
  ui::StageContent content_;
  bool shows_phase_ = false;
  std::optional<std::size_t> shown_;
  std::optional<narration::PhaseSummary> summary_;
};

}  // namespace tilestep::test
