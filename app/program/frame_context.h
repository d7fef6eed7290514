// What panels draw a frame from: a state and its results, in a window.
#pragma once

#include "platform/window.h"
#include "state/app_state.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

namespace tilestep::program {

// `now`: seconds, as in ui::Context, which refers to all the others.
[[nodiscard]] inline ui::Context frame_context(const state::AppState& state,
                                               const workspace::FrameView& view,
                                               platform::Window& window, ui::Memory& memory,
                                               double now) {
  return {state, view, ui::theme(state.theme), window.fonts(), &window.cells(), memory, now};
}

}  // namespace tilestep::program
