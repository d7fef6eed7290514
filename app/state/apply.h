// What commands do to an AppState.
#pragma once

#include "problem/describe/catalog.h"
#include "record/joint_timeline.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/command.h"

namespace tilestep::state {

// What apply() may look at besides the state: the recording on stage, if there is one.
struct Context {
  const record::Recording* recording = nullptr;
  const problem::Catalog* catalog = nullptr;
  // Of two runs that are compared: both of them on one timeline. Null: it is not known (yet).
  const record::JointTimeline* joint = nullptr;
};

// A focus whose block and thread the run has.
[[nodiscard]] Focus within(Focus focus, const record::Recording& run);

// The only function that changes an AppState. Pure; clamps what is out of range; a step past either
// end stays at the end. Stepping goes by the focus block where the unit is Phase.
[[nodiscard]] AppState apply(AppState state, const Command& command, const Context& context);

}  // namespace tilestep::state
