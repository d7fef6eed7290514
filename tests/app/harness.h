// The whole program without a window: workspace, panels, off-screen OpenGL, and Dear ImGui's test
// engine, which presses keys and clicks items. Every frame settles, so a test sees results at once.
#pragma once

#include "build_tree_paths.h"
#include "platform/window.h"
#include "ui/overlays.h"
#include "ui/panel.h"
#include "workspace/workspace.h"

#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::test {

// Options of a window with the build tree's assets.
[[nodiscard]] platform::WindowOptions off_screen(int width, int height);
// The number of different pixels in two pictures of one size, without alpha.
[[nodiscard]] std::size_t different_pixels(const platform::Image& a, const platform::Image& b);

// The initial problem of the Timing tab.
inline constexpr problem::Problem kTimedProblem{256, 256, 256};

struct WindowSize {  // in pixels
  int width = 1600;
  int height = 900;
};

// EveryFrame: a frame waits for the jobs that earlier frames started. Not: background work
// continues while frames are drawn, as in the window.
enum class Settle { EveryFrame, Not };

class Harness {
 public:
  explicit Harness(const workspace::Paths& paths = build_tree_paths(),
                   Settle settle = Settle::EveryFrame, WindowSize size = {});
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;
  Harness(Harness&&) = delete;
  Harness& operator=(Harness&&) = delete;

  // Runs the steps as a test of the engine, frame by frame; returns false if one of its checks
  // failed.
  [[nodiscard]] bool run(const std::function<void(ImGuiTestContext&)>& steps);
  void frame();
  // The time that the window would sleep now.
  [[nodiscard]] double rest_seconds();
  // Advances the clock between two frames.
  void wait(double seconds) { now_ += seconds; }

  [[nodiscard]] const state::AppState& state() const { return workspace_.state(); }
  [[nodiscard]] const workspace::FrameView& view() const { return workspace_.view(); }
  [[nodiscard]] workspace::Workspace& workspace() { return workspace_; }
  [[nodiscard]] platform::Window& window() { return window_; }
  [[nodiscard]] ui::Memory& memory() { return *memory_; }
  // The texts in the window: every text element of its SVG, one per line.
  [[nodiscard]] std::vector<std::string> drawn_texts();
  // The same joined: finds a sentence whatever its line breaks.
  [[nodiscard]] std::string drawn();
  // Adds content to a frame's view.
  std::function<void(workspace::FrameView& view)> change_view;
  // Further work of the window's loop after every frame.
  std::function<void(const ui::Commands& commands, double now)> after_frame;
  [[nodiscard]] bool asked_to_quit() const { return asked_to_quit_; }

 private:
  [[nodiscard]] ui::Context context();

  compile::Compiler compiler_;
  workspace::Workspace workspace_;
  platform::Window window_;
  std::unique_ptr<ui::Memory> memory_;
  ImGuiTestEngine* engine_ = nullptr;
  workspace::FrameView changed_view_;
  double now_ = 0.0;
  bool changed_ = true;
  ui::OpeningField field_;
  Settle settle_;
  bool asked_to_quit_ = false;
};

}  // namespace tilestep::test
