#include "platform/glfw.h"

#include "problem/shared_library.h"
#include "problem/tr.h"

#include <glad/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace tilestep::platform {
namespace {

std::string last_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text == nullptr ? tr("no reason given") : text;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

constexpr int kLostWindow = 2;  // the program's status: wrong use

// Called by Xlib where it would end the program itself, with the status for findings.
int on_lost_x_server(void* /*display*/) {
  fmt::print(stderr, "tilestep: {}\n",
             tr("The X server ended the connection, and the window with it. Start Tilestep again "
                "when a desktop session runs."));
  std::_Exit(kLostWindow);
}

// Xlib's XErrorEvent: its header would define None, Bool, Status and more in every source.
struct XError {
  int type;
  void* display;
  unsigned long resource;
  unsigned long serial;
  unsigned char code;
  unsigned char request;
  unsigned char minor;
};

// Called by Xlib where it would print four lines and end the program with the status for findings.
// GLFW has a handler of its own around requests that may fail.
int on_x_error(void* /*display*/, XError* error) {
  constexpr unsigned char kBadWindow = 3;
  constexpr unsigned char kBadDrawable = 9;
  if (error->code == kBadWindow || error->code == kBadDrawable) {
    fmt::print(stderr, "tilestep: {}\n",
               tr("Another program destroyed the window. Start Tilestep again."));
  } else {
    fmt::print(stderr, "tilestep: {}\n",
               tr("The X server refused a request (error {}, request {}.{}), and the window is "
                  "lost. Start Tilestep again; if it happens again, update the graphics driver.",
                  error->code, error->request, error->minor));
  }
  std::_Exit(kLostWindow);
}

template <class Handler>
void set_handler(SharedLibrary& xlib, const char* setter, Handler handler) {
  Handler (*set)(Handler) = nullptr;
  xlib.bind(set, setter);
  if (set != nullptr) {
    set(handler);
  }
}

// glfwInit on that platform. Xlib is what GLFW opens, too; without it there is no X server to lose.
bool initialise(int platform) {
  if (platform != GLFW_PLATFORM_NULL && is_set("DISPLAY")) {
    if (auto xlib = SharedLibrary::open({"libX11.so.6"})) {
      set_handler(*xlib, "XSetIOErrorHandler", &on_lost_x_server);
      set_handler(*xlib, "XSetErrorHandler", &on_x_error);
    }
  }
  glfwInitHint(GLFW_PLATFORM, platform);
  return glfwInit() == GLFW_TRUE;
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
  if (initialise(off_screen ? GLFW_PLATFORM_NULL : GLFW_ANY_PLATFORM)) {
    return;
  }
  const std::string reason = last_error();
  if (off_screen) {
    throw PlatformError(tr("The off-screen window cannot be created: {}.", reason));
  }
  throw PlatformError(
      tr("No display: {}. Start Tilestep in a desktop session (DISPLAY or WAYLAND_DISPLAY "
         "set), or render pictures without a display: tilestep render.",
         reason));
}

GlfwLibrary::~GlfwLibrary() {
  glfwTerminate();
}

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  hint_context(options.off_screen);
  const auto create = [&options] {
    const auto once = [&options] {
      return glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr,
                              nullptr);
    };
    // Window::frame asks whether the driver was reset; a driver that cannot tell serves as well.
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    if (GLFWwindow* const window = once()) {
      return window;
    }
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_NO_ROBUSTNESS);
    return once();
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
        options.off_screen
            ? tr("No OpenGL 3.3 without a display: {}. Install Mesa's drivers (Debian: "
                 "libgl1-mesa-dri libegl1 libegl-mesa0) or the graphics card's drivers.",
                 reason)
            : tr("No OpenGL 3.3 window: {}. Install Mesa's drivers (Debian: libgl1-mesa-dri "
                 "libegl1 libegl-mesa0) or the graphics card's drivers.",
                 reason));
  }
  glfwMakeContextCurrent(window_);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window_);
    throw PlatformError(
        tr("OpenGL 3.3 cannot be loaded from the graphics driver. Update the driver."));
  }
  glfwSwapInterval(options.off_screen ? 0 : 1);
}

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
}

std::string why_no_display() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return tr("neither DISPLAY nor WAYLAND_DISPLAY is set");
  }
  // Already initialised by a window of ours: then the answer must not end it.
  const int platform = glfwGetPlatform();
  if (platform != 0) {
    return platform != GLFW_PLATFORM_NULL ? "" : tr("this window is off-screen");
  }
  if (initialise(GLFW_ANY_PLATFORM)) {
    glfwTerminate();
    return {};
  }
  const std::string reason = last_error();
  std::string set;
  for (const char* const variable : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    if (is_set(variable)) {
      set += (set.empty() ? "" : tr(" and ")) + tr("{} is '{}'", variable, std::getenv(variable));
    }
  }
  return tr("{}, but no server answers there ({})", set, reason);
}

}  // namespace tilestep::platform
