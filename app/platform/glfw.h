// GLFW's library state and one window with a current OpenGL context.
#pragma once

#include "platform/window.h"

struct GLFWwindow;

namespace tilestep::platform {

// glfwInit and glfwTerminate. Several may live at a time only where the outer ones own the inner.
class GlfwLibrary {
 public:
  explicit GlfwLibrary(bool off_screen);  // throws PlatformError
  ~GlfwLibrary();
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
  GlfwLibrary(GlfwLibrary&&) = delete;
  GlfwLibrary& operator=(GlfwLibrary&&) = delete;
};

class GlfwWindow {
 public:
  // Makes its context current and loads OpenGL. Throws PlatformError.
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

}  // namespace tilestep::platform
