// A run as a film: the window, stepped from place to place and drawn off-screen by a clock of its
// own, so that it moves as the window does.
#pragma once

#include "lesson/place.h"
#include "platform/window.h"
#include "workspace/workspace.h"

#include <atomic>
#include <filesystem>
#include <functional>

namespace tilestep::program {

struct FilmRequest {
  lesson::Place from{lesson::Place::Kind::Start, 0};
  lesson::Place to{lesson::Place::Kind::End, 0};  // of a phase: its end
  state::Unit by = state::Unit::Phase;
  float pace = 0.5F;  // places a second
  bool caption = true;
  std::filesystem::path file;  // .gif or .mp4
};

// `window`: off-screen, of the film's size; both sides even. `state`: what is shown, of a kernel
// that the workspace knows; it moves where AppState::animate is on. `report` gets the part that is
// done, 0…1. Fails with a sentence; of a film that is not finished nothing is left.
[[nodiscard]] Result<void> make_film(workspace::Workspace& workspace, platform::Window& window,
                                     state::AppState state, const FilmRequest& request,
                                     const std::atomic<bool>& cancelled,
                                     const std::function<void(double)>& report);

struct LessonFilmRequest {
  float pace = 0.1F;           // beats a second; a question takes two: asked, and answered
  std::filesystem::path file;  // .gif or .mp4
};

// Of the lesson that is open, from the beat on stage (workspace::LessonDesk). As make_film().
[[nodiscard]] Result<void> make_lesson_film(workspace::Workspace& workspace,
                                            platform::Window& window,
                                            const LessonFilmRequest& request,
                                            const std::atomic<bool>& cancelled,
                                            const std::function<void(double)>& report);

}  // namespace tilestep::program
