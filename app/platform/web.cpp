// The window system of a browser: Emscripten's GLFW draws on the canvas of the page. A page has one
// window, no second screen, and is not restarted; the page's own file picker opens files.
#include "platform/comeback.h"
#include "platform/file_dialog.h"
#include "platform/glfw.h"
#include "platform/imgui_session.h"
#include "problem/tr.h"

#include <algorithm>
#include <cstdlib>
#include <emscripten.h>
#include <emscripten/html5.h>

namespace tilestep::platform {
namespace {

constexpr const char* kCanvas = "#canvas";
constexpr int kScaleToMonitor = 0x0002200C;  // GLFW_SCALE_TO_MONITOR of GLFW 3.3

// The page's script (app/page.html) implements these.
// clang-format off
EM_JS(void, page_copy, (const char* text), { Module.tilestep.copy(UTF8ToString(text)); })
EM_JS(char*, page_pasted, (), { return stringToNewUTF8(Module.tilestep.pasted); })
EM_JS(void, page_download, (const char* path), { Module.tilestep.download(UTF8ToString(path)); })
EM_JS(void, page_pick, (), { Module.tilestep.pick(); })
EM_JS(char*, page_picked, (), {
  const path = Module.tilestep.picked;
  Module.tilestep.picked = null;
  return path === null ? 0 : stringToNewUTF8(path);
})
EM_JS(char*, page_address, (), {
  const link = Module.tilestep.opened;
  Module.tilestep.opened = null;
  return link === null ? 0 : stringToNewUTF8(link);
})
EM_JS(void, page_show_address, (const char* link), { Module.tilestep.show(UTF8ToString(link)); })
EM_JS(int, page_is_picking, (), { return Module.tilestep.picking ? 1 : 0; })
// clang-format on

// Takes a text that the page has allocated; null: none.
std::optional<std::string> taken(char* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  std::string copy = text;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc)
  return copy;
}

}  // namespace

GlfwLibrary::GlfwLibrary(bool /*off_screen*/) {
  glfwInit();
}

GlfwLibrary::~GlfwLibrary() {
  glfwTerminate();
}

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  double width = options.width;
  double height = options.height;
  emscripten_get_element_css_size(kCanvas, &width, &height);
  glfwWindowHint(kScaleToMonitor, GLFW_TRUE);
  window_ =
      glfwCreateWindow(std::max(static_cast<int>(width), 1), std::max(static_cast<int>(height), 1),
                       options.title.c_str(), nullptr, nullptr);
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
    page_copy(text);
  };
  page.Platform_GetClipboardTextFn = [](ImGuiContext* /*context*/) {
    static std::string pasted;
    pasted = taken(page_pasted()).value_or("");
    return pasted.c_str();
  };
}

std::optional<std::string> take_address() {
  return taken(page_address());
}

void Window::show_address(const std::string& link) {
  page_show_address(link.c_str());
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

bool has_come_back() {
  return false;
}

void come_back_from_now_on() {}

void come_back() {}

struct FileDialog::Impl {};

FileDialog::FileDialog() = default;

FileDialog::~FileDialog() = default;

bool FileDialog::is_available() {
  return true;
}

void FileDialog::open(const std::string& /*title*/, const std::string& /*begin*/) {
  impl_ = std::make_unique<Impl>();
  page_pick();
}

std::optional<std::string> FileDialog::take() {
  if (impl_ == nullptr || page_is_picking() != 0) {
    return std::nullopt;
  }
  impl_.reset();
  return taken(page_picked());
}

void deliver(const std::filesystem::path& file) {
  page_download(file.c_str());
}

}  // namespace tilestep::platform
