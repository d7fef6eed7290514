// Pictures of the window without a window: the same panels, drawn off-screen. `render`, `scenes`,
// the README's screenshots and the render tests come from here; the same state gives the same
// pixels.
#pragma once

#include "lesson/lesson.h"
#include "platform/window.h"
#include "state/app_state.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

#include <optional>
#include <string>

namespace tilestep::program {

// What of the window is in a picture, and how fine.
enum class Area { Window, Stage, Notes };  // Notes: the lecturer's window, with a lesson
struct Shot {
  std::optional<float> motion = std::nullopt;  // 0…1: how far a phase has played that is shown as a
                                               // whole; nothing: it is over
  int density = 1;  // pixels for each of the window's
  Area area = Area::Window;
  bool shows_mistake = false;  // of a kernel that does not compile: the window says so
};
// Window pixels of the frame drawn last. Nothing: it shows no stage.
[[nodiscard]] std::optional<platform::SvgRect> rect_of(Area area);

struct PixelSize {
  int width = 0;
  int height = 0;
};
// "1920x1080", at least 320x240; fails with a sentence about --pixels.
[[nodiscard]] Result<PixelSize> parse_pixels(const std::string& text);

class Studio {
 public:
  // Throws platform::PlatformError when no off-screen OpenGL is to be had.
  Studio(workspace::Workspace& workspace, const workspace::Paths& paths, int width, int height);

  // Everything in flight is waited for; the place is resolved against the recording. Fails with the
  // workspace's message when the state has no scene (a kernel that does not compile).
  // No place: where the state is, as a scene has it.
  [[nodiscard]] Result<platform::Image> take(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             const Shot& shot = {});
  // The same as an SVG (platform/svg.h).
  [[nodiscard]] Result<std::string> take_svg(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             const Shot& shot = {});

 private:
  // Draws it, and says which part of the window is meant.
  [[nodiscard]] Result<platform::SvgRect> show(state::AppState state,
                                               const std::optional<lesson::Place>& place,
                                               const Shot& shot);

  workspace::Workspace& workspace_;
  platform::Window window_;
};

// What panels draw a frame from: a state and its results, in a window.

// `now`: seconds, as in ui::Context, which refers to all the others.
[[nodiscard]] inline ui::Context frame_context(const state::AppState& state,
                                               const workspace::FrameView& view,
                                               platform::Window& window, ui::Memory& memory,
                                               double now) {
  return {state, view, ui::theme(state.theme), window.fonts(), &window.cells(), memory, now};
}

}  // namespace tilestep::program
