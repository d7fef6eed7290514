// GLFW's library state and one window, with a current OpenGL context unless it has none.
#pragma once

#include "platform/window.h"

struct GLFWmonitor;
struct GLFWwindow;

namespace tilestep::platform {

// Calls glfwInit and glfwTerminate. Several objects may exist at a time only if the outer ones own
// the inner. If it is already initialized, as for a second window, it does neither.
class GlfwLibrary {
 public:
  explicit GlfwLibrary(bool off_screen);  // throws PlatformError
  ~GlfwLibrary();
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
  GlfwLibrary(GlfwLibrary&&) = delete;
  GlfwLibrary& operator=(GlfwLibrary&&) = delete;

 private:
  bool is_owner_ = true;
};

class GlfwWindow {
 public:
  // Makes its context, if it has one, current and loads OpenGL. Throws PlatformError.
  explicit GlfwWindow(const WindowOptions& options);
  ~GlfwWindow();
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;
  GlfwWindow(GlfwWindow&&) = delete;
  GlfwWindow& operator=(GlfwWindow&&) = delete;

  [[nodiscard]] GLFWwindow* get() const { return window_; }

 private:
  GLFWwindow* window_ = nullptr;
};

// The screen with most of the window; the first one if there is none.
[[nodiscard]] GLFWmonitor* monitor_of(GLFWwindow* window);
// Another screen; null: there is none.
[[nodiscard]] GLFWmonitor* monitor_beside(GLFWwindow* window);
// Places the window in the middle of another screen, or at the right of the same one without
// covering the other window's middle.
void place_beside(GLFWwindow* window, GLFWwindow* other);

}  // namespace tilestep::platform
