// Pictures of the window without a window: the same panels, drawn off-screen, for `render`,
// `scenes`, the README's screenshots and the render tests. The same state gives the same pixels.
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

// The part of the window in a picture, and its resolution.
// Picture: what a lesson's text is about (ui::picture_box). Notes: the lecturer's window, requires
// a lesson.
enum class Area { Window, Stage, Picture, Notes };
// The part of the window in a picture, and how it is drawn.
struct Shot {
  // 0…1: played share of a phase that is shown as a whole; nullopt: over.
  std::optional<float> motion = std::nullopt;
  int density = 1;  // pixels per window pixel
  Area area = Area::Window;
  bool shows_mistake = false;  // of a kernel that does not compile: shows the window with the error
};
// Window pixels of the latest frame, which was drawn with the context. Nullopt: it shows no stage.
[[nodiscard]] std::optional<platform::SvgRect> rect_of(Area area, const ui::Context& context);

struct PixelSize {
  int width = 0;
  int height = 0;
};
// "1920x1080", at least 320x240; fails with a sentence about --pixels.
[[nodiscard]] Result<PixelSize> parse_pixels(const std::string& text);

// An off-screen window that draws states of one workspace.
class Studio {
 public:
  // Throws platform::PlatformError if there is no off-screen OpenGL, which take_svg() does not
  // need.
  Studio(workspace::Workspace& workspace, const workspace::Paths& paths, int width, int height,
         bool has_opengl = true);

  // Waits for all jobs; resolves the place against the recording. Fails with the workspace's
  // message if the state has no scene (a kernel that does not compile). Without a place: the
  // state's own step, as in a scene.
  [[nodiscard]] Result<platform::Image> take(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             const Shot& shot = {});
  // The same as an SVG (platform/svg.h).
  [[nodiscard]] Result<std::string> take_svg(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             const Shot& shot = {});

 private:
  // Draws it, and returns the selected part of the window.
  [[nodiscard]] Result<platform::SvgRect> show(state::AppState state,
                                               const std::optional<lesson::Place>& place,
                                               const Shot& shot);

  workspace::Workspace& workspace_;
  platform::Window window_;
};

// Text as large and in the font that the state says, from the next frame on.
inline void set_looks(platform::Window& window, const state::AppState& state) {
  window.set_scale(state.scale);
  window.set_typeface(state.typeface);
}

// The inputs of a panel's frame: a state and its results, in a window.

// `now`: seconds, as in ui::Context, which refers to all the others.
[[nodiscard]] inline ui::Context frame_context(const state::AppState& state,
                                               const workspace::FrameView& view,
                                               platform::Window& window, ui::Memory& memory,
                                               double now) {
  return {state, view, ui::theme(state.theme), window.fonts(), &window.cells(), memory, now};
}

}  // namespace tilestep::program
