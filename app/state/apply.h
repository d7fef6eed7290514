// How commands change an AppState.
#pragma once

#include "problem/describe/catalog.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/command.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace tilestep::state {

// What apply() may read besides the state: the recording on stage, if there is one.
struct Context {
  const record::Recording* recording = nullptr;
  const problem::Catalog* catalog = nullptr;
  // The joint timeline of two compared runs. Null: unknown (yet).
  const record::JointTimeline* joint = nullptr;
};

// The focus, clamped to a block and a thread of the run.
[[nodiscard]] Focus within(Focus focus, const record::Recording& run);

// Changes an AppState. Pure. Values out of range are clamped; a step past either end stays at the
// end. With unit Phase, stepping follows the focus block.
[[nodiscard]] AppState apply(AppState state, const Command& command, const Context& context);

// Destinations of steps: pure functions of a recording, used by apply(), tests and scenes.

// The step after one move by `unit` from `from`; stays at an end. Phases are those of the focus
// block; a phase's end is rounded up to the end of the statement (in lockstep all resident blocks
// finish the round).
[[nodiscard]] std::uint64_t step_from(const record::Recording& recording, std::uint64_t from,
                                      Unit unit, int direction, std::uint32_t focus_block);

// The focus block's latest phase that has ended at a step: an index into Recording::phases_of().
[[nodiscard]] std::optional<std::size_t> phase_over(const record::Recording& recording,
                                                    std::uint64_t step, std::uint32_t focus_block);
// The phase that ends exactly at the step, which AppState::phase shows as a whole.
[[nodiscard]] std::optional<std::size_t> phase_ended(const record::Recording& recording,
                                                     std::uint64_t step, std::uint32_t focus_block);

// The next (previous) statement start at which a warp is about to execute one of `lines`, or which
// follows a fault; the end (start) of the run if there is none.
[[nodiscard]] std::uint64_t run_from(const record::Recording& recording, std::uint64_t from,
                                     const std::set<int>& lines, int direction);

}  // namespace tilestep::state
