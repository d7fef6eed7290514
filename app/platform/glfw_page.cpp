// Emscripten's GLFW draws on the canvas of the page, which has one window and no second screen.
#include "platform/glfw.h"
#include "platform/imgui_session.h"
#include "platform/page.h"
#include "problem/tr.h"

#include <algorithm>
#include <emscripten.h>
#include <emscripten/html5.h>

namespace tilestep::platform {
namespace {

constexpr const char* kCanvas = "#canvas";
constexpr const char* kPage =
    "html";  // GLFW gives the canvas a size that does not follow the page's
constexpr int kScaleToMonitor = 0x0002200C;  // GLFW_SCALE_TO_MONITOR of GLFW 3.3

struct PageSize {
  int width = 1;
  int height = 1;
};
PageSize page_size() {
  double width = 0;
  double height = 0;
  emscripten_get_element_css_size(kPage, &width, &height);
  return {std::max(static_cast<int>(width), 1), std::max(static_cast<int>(height), 1)};
}

}  // namespace

bool prefers_reduced_motion() {
  return EM_ASM_INT({ return matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0; }) !=
         0;
}

GlfwLibrary::GlfwLibrary(bool /*off_screen*/) {
  glfwInit();
}

GlfwLibrary::~GlfwLibrary() {
  glfwTerminate();
}

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  const auto [width, height] = page_size();
  glfwWindowHint(kScaleToMonitor, GLFW_TRUE);
  window_ = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    throw PlatformError(
        tr("This browser has no WebGL 2. Update it, or allow hardware acceleration."));
  }
  glfwMakeContextCurrent(window_);
}

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
}

void attach_page(GLFWwindow* window) {
  ImGui_ImplGlfw_InstallEmscriptenCallbacks(window, kCanvas);
  ImGuiPlatformIO& page = ImGui::GetPlatformIO();
  page.Platform_SetClipboardTextFn = [](ImGuiContext* /*context*/, const char* text) {
    copy(text);
  };
  page.Platform_GetClipboardTextFn = [](ImGuiContext* context) -> const char* {
    const std::string text = pasted();
    ImVector<char>& kept = context->ClipboardHandlerData;  // until the next call
    kept.resize(static_cast<int>(text.size()) + 1);
    std::copy_n(text.c_str(), text.size() + 1, kept.Data);
    return kept.Data;
  };
}

void fit_to_page(GLFWwindow* window) {
  const auto [width, height] = page_size();
  int own_width = 0;
  int own_height = 0;
  glfwGetWindowSize(window, &own_width, &own_height);
  if (width != own_width || height != own_height) {
    glfwSetWindowSize(window, width, height);
  }
}

GLFWmonitor* monitor_of(GLFWwindow* /*window*/) {
  return nullptr;
}

GLFWmonitor* monitor_beside(GLFWwindow* /*window*/) {
  return nullptr;
}

void place_beside(GLFWwindow* /*window*/, GLFWwindow* /*other*/) {}

std::string why_no_display() {
  return {};
}

}  // namespace tilestep::platform
