#include "platform/glfw.h"

#include "platform/comeback.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <glad/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#ifdef _WIN32
#include <windows.h>
#endif

namespace tilestep::platform {
namespace {

// Windows draws off-screen in a hidden window of the desktop.
#ifdef _WIN32
constexpr bool kHasEgl = false;
#else
constexpr bool kHasEgl = true;
#endif

std::string last_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text == nullptr ? tr("no reason given") : text;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

constexpr int kLostWindow = 2;  // the program's exit status for wrong use

// Called by Xlib, which would otherwise end the program with the exit status for findings.
int on_lost_x_server(void* /*display*/) {
  fmt::print(stderr, "tilestep: {}\n",
             tr("The X server closed the connection and the window. Start Tilestep again when a "
                "desktop session is running."));
  come_back();
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

// Called by Xlib, which would otherwise print four lines and end the program with the exit status
// for findings. GLFW has its own handler around requests that may fail.
int on_x_error(void* /*display*/, XError* error) {
  constexpr unsigned char kBadWindow = 3;
  constexpr unsigned char kBadDrawable = 9;
  if (error->code == kBadWindow || error->code == kBadDrawable) {
    fmt::print(stderr, "tilestep: {}\n",
               tr("Another program destroyed the window. Start Tilestep again."));
  } else {
    fmt::print(stderr, "tilestep: {}\n",
               tr("The X server rejected a request (error {}, request {}.{}), and the window is "
                  "lost. Start Tilestep again; if it happens again, update the graphics driver.",
                  error->code, error->request, error->minor));
  }
  come_back();
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

// Calls glfwInit for that platform. GLFW opens Xlib, too; without it there is no X server to lose.
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

void hint_context(bool off_screen, bool has_opengl) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CLIENT_API, has_opengl ? GLFW_OPENGL_API : GLFW_NO_API);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  // A null-platform window with the focus would report a mouse at its corner.
  glfwWindowHint(GLFW_VISIBLE, off_screen ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_CREATION_API,
                 off_screen && kHasEgl ? GLFW_EGL_CONTEXT_API : GLFW_NATIVE_CONTEXT_API);
#ifndef NDEBUG
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tilestep");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "tilestep");
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "tilestep");
}

}  // namespace

bool prefers_reduced_motion() {
#ifdef _WIN32
  BOOL is_animated = TRUE;
  SystemParametersInfoW(SPI_GETCLIENTAREAANIMATION, 0, &is_animated, 0);
  return is_animated == FALSE;
#else
  return false;
#endif
}

GlfwLibrary::GlfwLibrary(bool off_screen) : is_owner_(glfwGetPlatform() == 0) {
  glfwGetError(nullptr);  // clears the error of not being initialized
  if (!is_owner_ || initialise(off_screen && kHasEgl ? GLFW_PLATFORM_NULL : GLFW_ANY_PLATFORM)) {
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
  if (is_owner_) {
    glfwTerminate();
  }
}

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  hint_context(options.off_screen, options.has_opengl);
  const int takes_focus = options.beside == nullptr ? GLFW_TRUE : GLFW_FALSE;
  glfwWindowHint(GLFW_FOCUSED, takes_focus);
  glfwWindowHint(GLFW_FOCUS_ON_SHOW, takes_focus);
  // A full-screen window stays when another window has the focus.
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
  const auto create = [&options] {
    const auto once = [&options] {
      return glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr,
                              nullptr);
    };
    // Window::frame checks whether the driver was reset; a driver without this extension works as
    // well.
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
    // Some drivers support only EGL.
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    window_ = create();
  }
  if (window_ == nullptr) {
    throw PlatformError(
        options.off_screen
            ? tr("OpenGL 3.3 is not available without a display: {}. Install Mesa's drivers "
                 "(Debian: libgl1-mesa-dri libegl1 libegl-mesa0) or your GPU's graphics driver.",
                 reason)
            : tr("An OpenGL 3.3 window cannot be created: {}. Install Mesa's drivers (Debian: "
                 "libgl1-mesa-dri libegl1 libegl-mesa0) or your GPU's graphics driver.",
                 reason));
  }
  if (!options.has_opengl) {
    return;
  }
  glfwMakeContextCurrent(window_);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window_);
    throw PlatformError(
        tr("OpenGL 3.3 cannot be loaded from the graphics driver. Update the driver."));
  }
  // Only one of two windows waits for the screen.
  glfwSwapInterval(options.off_screen || options.beside != nullptr ? 0 : 1);
}

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
}

namespace {

struct Area {
  int x = 0;
  int y = 0;
  int w = 0;
  int h = 0;
};

Area area_of(GLFWwindow* window) {
  Area area;
  glfwGetWindowPos(window, &area.x, &area.y);
  glfwGetWindowSize(window, &area.w, &area.h);
  return area;
}

Area work_area_of(GLFWmonitor* monitor) {
  Area area;
  glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.w, &area.h);
  return area;
}

std::span<GLFWmonitor* const> monitors() {
  int count = 0;
  GLFWmonitor** const all = glfwGetMonitors(&count);
  return {all, static_cast<std::size_t>(count)};
}

int common(int from, int length, int other_from, int other_length) {
  return std::max(0,
                  std::min(from + length, other_from + other_length) - std::max(from, other_from));
}

}  // namespace

GLFWmonitor* monitor_of(GLFWwindow* window) {
  if (GLFWmonitor* const own = glfwGetWindowMonitor(window)) {
    return own;
  }
  const Area at = area_of(window);
  const auto shared = [&at](GLFWmonitor* monitor) {
    const Area of = work_area_of(monitor);
    return common(at.x, at.w, of.x, of.w) * common(at.y, at.h, of.y, of.h);
  };
  const auto all = monitors();
  return all.empty() ? nullptr : *std::ranges::max_element(all, {}, shared);
}

GLFWmonitor* monitor_beside(GLFWwindow* window) {
  const GLFWmonitor* const own = monitor_of(window);
  const auto all = monitors();
  const auto other =
      std::ranges::find_if(all, [own](const GLFWmonitor* monitor) { return monitor != own; });
  return other == all.end() ? nullptr : *other;
}

void place_beside(GLFWwindow* window, GLFWwindow* other) {
  GLFWmonitor* const monitor = monitor_beside(other);
  GLFWmonitor* const on = monitor != nullptr ? monitor : monitor_of(other);
  if (on == nullptr) {
    return;
  }
  const Area room = work_area_of(on);
  Area own = area_of(window);
  constexpr int kBorder = 40;  // of the window manager
  own.w = std::min(own.w, room.w);
  own.h = std::min(own.h, room.h - kBorder);
  glfwSetWindowSize(window, own.w, own.h);
  const int free = room.w - own.w;
  glfwSetWindowPos(window, room.x + (monitor != nullptr ? free / 2 : free),
                   room.y + (room.h - own.h) / 2);
}

#ifdef _WIN32
std::string why_no_display() {
  return {};
}
#else
std::string why_no_display() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return tr("neither DISPLAY nor WAYLAND_DISPLAY is set");
  }
  // Already initialized by one of our windows: then this query must not terminate it.
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
#endif

}  // namespace tilestep::platform
