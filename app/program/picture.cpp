#include "program/picture.h"

#include "ui/draw.h"
#include "ui/memory.h"
#include "ui/theme.h"

#include <utility>

namespace tilestep::program {
namespace {

// Docked panels take their places in the first frames, tables measure their columns in the next.
constexpr int kFramesToRest = 6;
// Marks of a long run are found 100,000 steps a frame.
constexpr int kMostFrames = 400;

}  // namespace

Studio::Studio(workspace::Workspace& workspace, const workspace::Paths& paths, int width,
               int height)
    : workspace_(workspace),
      window_(platform::off_screen(width, height, paths.assets / "fonts", paths.shaders)) {}

Result<platform::Image> Studio::take(state::AppState state,
                                     const std::optional<lesson::Place>& place,
                                     std::optional<float> motion) {
  if (const auto shown = show(std::move(state), place, motion); !shown) {
    return tl::unexpected(shown.error());
  }
  return window_.read_pixels();
}

Result<std::string> Studio::take_svg(state::AppState state,
                                     const std::optional<lesson::Place>& place,
                                     std::optional<float> motion) {
  if (const auto shown = show(std::move(state), place, motion); !shown) {
    return tl::unexpected(shown.error());
  }
  return window_.svg();
}

Result<void> Studio::show(state::AppState state, const std::optional<lesson::Place>& place,
                          std::optional<float> motion) {
  state.animate = false;
  state.playing = false;
  workspace_.set_state(std::move(state));
  workspace_.settle();
  const workspace::FrameView& view = workspace_.view();
  if (view.scene == nullptr || !view.message.empty()) {
    return fail(view.message.empty() ? "no recording" : view.message);
  }
  if (place) {
    state::AppState at = workspace_.state();
    if (const auto error = lesson::beyond_end(*place, *view.scene->recording, at.focus.block)) {
      return tl::unexpected(*error);
    }
    lesson::go_to(*place, *view.scene->recording, at);
    workspace_.set_state(std::move(at));
    workspace_.settle();
  }
  ui::Memory memory;
  window_.set_scale(workspace_.state().scale);
  for (int i = 0; i < kFramesToRest || (memory.wants_frames() && i < kMostFrames); ++i) {
    const double now = i;
    window_.frame(0.0, [&] {
      const ui::Context context{workspace_.state(),
                                workspace_.view(),
                                ui::theme(workspace_.state().theme),
                                window_.fonts(),
                                &window_.cells(),
                                memory,
                                now,
                                motion};
      static_cast<void>(ui::draw(context));
    });
    memory.note_frame(now);
  }
  return {};
}

}  // namespace tilestep::program
