#include "workspace/place.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {

RelativePlace relative_place(const record::Recording& recording, std::uint64_t step,
                             std::uint32_t block) {
  RelativePlace place;
  place.at_end = step >= recording.step_count() && step > 0;
  const auto phases = recording.phases_of(std::min(block, recording.program().block_count() - 1));
  const auto starts = recording.statement_starts();
  for (std::size_t i = 0; i < phases.size() && phases[i].first_step < step; ++i) {
    place.phase = i;
  }
  if (!phases.empty() && step > phases[place.phase].first_step) {
    const auto from = recording.statement_of(phases[place.phase].first_step);
    const auto here = std::lower_bound(starts.begin(), starts.end(), step) - starts.begin();
    place.statement = static_cast<std::size_t>(here) - from;
  }
  return place;
}

std::uint64_t step_at(const record::Recording& recording, const RelativePlace& place,
                      std::uint32_t block) {
  if (place.at_end) {
    return recording.step_count();
  }
  const auto phases = recording.phases_of(std::min(block, recording.program().block_count() - 1));
  if (phases.empty()) {
    return 0;
  }
  const record::Phase& phase = phases[std::min(place.phase, phases.size() - 1)];
  const auto starts = recording.statement_starts();
  const auto from =
      starts.begin() + static_cast<std::ptrdiff_t>(recording.statement_of(phase.first_step));
  const auto offset = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place.statement),
                                               starts.end() - from - 1);
  // The round in which the phase ends.
  const auto end =
      std::lower_bound(from, starts.end(), std::max(phase.last_step, phase.first_step));
  return end == starts.end() ? from[offset] : std::min(from[offset], *end);
}

bool holds(const record::Recording& recording, const RelativePlace& place, std::uint32_t block) {
  const bool is_first = !place.at_end && place.phase == 0 && place.statement == 0;
  if (is_first || !recording.is_whole() || recording.is_complete()) {
    return true;
  }
  const auto phases = recording.phases_of(std::min(block, recording.program().block_count() - 1));
  return !place.at_end && place.phase < phases.size() &&
         step_at(recording, place, block) < recording.step_count();
}

std::uint32_t block_that_moved(const record::Recording& recording, const state::AppState& state,
                               const record::Activity& statement) {
  const std::uint32_t focus = state.focus.block;
  const bool all_together = state.schedule.kind == simt::ScheduleKind::Lockstep &&
                            recording.part().count() <= simt::resident_blocks(recording.program());
  if (all_together || statement.executed.empty()) {
    return focus;
  }
  const bool moved =
      std::any_of(statement.executed.begin(), statement.executed.end(),
                  [focus](const record::Activity::Executed& e) { return e.warp.block == focus; });
  return moved ? focus : statement.executed.back().warp.block;
}

state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                        const state::Context& context) {
  if (to.thread) {
    const state::FocusThread thread{state.focus.block, *to.thread};
    state = apply(std::move(state), thread, context);
  }
  if (to.line == 0) {
    return state;
  }
  state = apply(std::move(state), state::SeekStart{}, context);
  state = apply(std::move(state), state::RunToLine{to.line}, context);
  return to.beside == state::Beside::Memory || to.beside == state::Beside::Warp
             ? apply(std::move(state), state::Step{state::Unit::Statement, +1}, context)
             : state;
}

}  // namespace tilestep::workspace
