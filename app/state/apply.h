// How commands change an AppState.
#pragma once

#include "problem/describe/catalog.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/command.h"

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

}  // namespace tilestep::state
