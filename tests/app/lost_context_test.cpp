// A reset of the graphics driver while the window draws: the window is opened again, and the work
// continues.
#include "app/harness.h"
#include "program/window_loop.h"

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace tilestep::test {
namespace {

platform::WindowOptions small_window() {
  platform::WindowOptions options;
  options.width = 640;
  options.height = 480;
  options.off_screen = true;
  options.fonts = build_tree_paths().assets / "fonts";
  options.shaders = build_tree_paths().shaders;
  return options;
}

GLenum reset() {
  return GL_GUILTY_CONTEXT_RESET;
}

struct Closing {
  platform::Window* window = nullptr;
  int frames = 0;
};
Closing closing;  // the driver's function can reach it only this way

GLenum no_reset_and_the_end_after_three_frames() {
  if (++closing.frames == 3) {
    closing.window->request_close();
  }
  return GL_NO_ERROR;
}

TEST(LostContext, TheWindowIsOpenedAgainAndSaysSo) {
  compile::Compiler compiler(workspace::cache_options(build_tree_paths()));
  workspace::Workspace workspace(build_tree_paths(), compiler);
  state::AppState state = workspace.state();
  state.kernel = "naive";
  workspace.set_state(state);
  workspace.settle();
  std::size_t opened = 0;
  const auto open = [&opened](platform::Window*) {
    auto window = std::make_unique<platform::Window>(small_window());
    ++opened;
    closing = {window.get(), 0};
    glad_glGetGraphicsResetStatus = opened <= 2 ? reset : no_reset_and_the_end_after_three_frames;
    return window;
  };
  program::show_window(open, workspace);
  EXPECT_EQ(opened, 3U);
  EXPECT_EQ(closing.frames, 3);
  EXPECT_EQ(workspace.view().messages.notice,
            "The graphics driver was reset; the window was opened again.");
  EXPECT_EQ(workspace.state().kernel, "naive");
}

TEST(LostContext, ADriverThatIsResetAgainAndAgainIsGivenUp) {
  compile::Compiler compiler(workspace::cache_options(build_tree_paths()));
  workspace::Workspace workspace(build_tree_paths(), compiler);
  std::size_t opened = 0;
  const auto open = [&opened](platform::Window*) {
    auto window = std::make_unique<platform::Window>(small_window());
    ++opened;
    glad_glGetGraphicsResetStatus = reset;
    return window;
  };
  EXPECT_THROW(program::show_window(open, workspace), platform::ContextLost);
  EXPECT_EQ(opened, 4U);
}

}  // namespace
}  // namespace tilestep::test
