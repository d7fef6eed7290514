// Pictures of the window without a window: the same panels, drawn off-screen. `render`, `scenes`,
// the README's screenshots and the render tests come from here; the same state gives the same
// pixels.
#pragma once

#include "lesson/lesson.h"
#include "platform/window.h"
#include "workspace/workspace.h"

#include <optional>
#include <string>

namespace tilestep::program {

class Studio {
 public:
  // Throws platform::PlatformError when no off-screen OpenGL is to be had.
  Studio(workspace::Workspace& workspace, const workspace::Paths& paths, int width, int height);

  // Everything in flight is waited for; the place is resolved against the recording. Fails with the
  // workspace's message when the state has no scene (a kernel that does not compile).
  // No place: where the state is, as a scene has it.
  // `motion` 0…1: how far a phase has played that is shown as a whole; nothing: it is over.
  [[nodiscard]] Result<platform::Image> take(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             std::optional<float> motion = std::nullopt);
  // The same as an SVG (platform/svg.h).
  [[nodiscard]] Result<std::string> take_svg(state::AppState state,
                                             const std::optional<lesson::Place>& place,
                                             std::optional<float> motion = std::nullopt);

 private:
  [[nodiscard]] Result<void> show(state::AppState state, const std::optional<lesson::Place>& place,
                                  std::optional<float> motion);

  workspace::Workspace& workspace_;
  platform::Window window_;
};

}  // namespace tilestep::program
