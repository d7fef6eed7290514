#include "platform/glfw.h"

#include <glad/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <cstdlib>

namespace tilestep::platform {
namespace {

std::string last_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text == nullptr ? "no reason given" : text;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

void hint_context(bool off_screen) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  // A null-platform window that has the focus would report a mouse at its corner.
  glfwWindowHint(GLFW_VISIBLE, off_screen ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_CREATION_API,
                 off_screen ? GLFW_EGL_CONTEXT_API : GLFW_NATIVE_CONTEXT_API);
#ifndef NDEBUG
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tilestep");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "tilestep");
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "tilestep");
}

}  // namespace

GlfwLibrary::GlfwLibrary(bool off_screen) {
  glfwInitHint(GLFW_PLATFORM, off_screen ? GLFW_PLATFORM_NULL : GLFW_ANY_PLATFORM);
  if (glfwInit() == GLFW_TRUE) {
    return;
  }
  const std::string reason = last_error();
  if (off_screen) {
    throw PlatformError(fmt::format("The off-screen window cannot be created: {}.", reason));
  }
  throw PlatformError(
      fmt::format("No display: {}. Start Tilestep in a desktop session (DISPLAY or WAYLAND_DISPLAY "
                  "set), or render pictures without a display: tilestep render.",
                  reason));
}

GlfwLibrary::~GlfwLibrary() {
  glfwTerminate();
}

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  hint_context(options.off_screen);
  const auto create = [&options] {
    return glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  };
  window_ = create();
  std::string reason = window_ == nullptr ? last_error() : std::string();
  if (window_ == nullptr && !options.off_screen) {
    // Some drivers have EGL only.
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    window_ = create();
  }
  if (window_ == nullptr) {
    throw PlatformError(
        fmt::format("No OpenGL 3.3 {}: {}. Install Mesa's drivers (Debian: libgl1-mesa-dri libegl1 "
                    "libegl-mesa0) or the graphics card's drivers.",
                    options.off_screen ? "without a display" : "window", reason));
  }
  glfwMakeContextCurrent(window_);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window_);
    throw PlatformError("OpenGL 3.3 cannot be loaded from the graphics driver. Update the driver.");
  }
  glfwSwapInterval(options.off_screen ? 0 : 1);
}

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
}

bool has_display() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return false;
  }
  // Already initialised by a window of ours: then the answer must not end it.
  const int platform = glfwGetPlatform();
  if (platform != 0) {
    return platform != GLFW_PLATFORM_NULL;
  }
  glfwInitHint(GLFW_PLATFORM, GLFW_ANY_PLATFORM);
  const bool found = glfwInit() == GLFW_TRUE;
  if (found) {
    glfwTerminate();
  }
  return found;
}

}  // namespace tilestep::platform
