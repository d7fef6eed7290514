#include "platform/window.h"

#include "platform/chords.h"
#include "platform/gl.h"
#include "platform/glfw.h"
#include "platform/imgui_session.h"
#include "platform/page.h"
#include "platform/svg.h"
#include "problem/tr.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <utility>

// Exported by the back end.
ImGuiKey ImGui_ImplGlfw_KeyToImGuiKey(int keycode, int scancode);

namespace tilestep::platform {
namespace {

struct Size {  // pixels
  int width = 0;
  int height = 0;
};

// Frames after input that are drawn without waiting, until hover, tooltips and auto-sized windows
// are stable.
constexpr int kSettleFrames = 8;
constexpr int kResultFrames = 3;        // the same after a result: an auto-sized window takes two
constexpr float kAsideFrame = 1e-4F;    // seconds of a frame that is not shown
constexpr double kCursorBlink = 0.4;    // seconds, while text is being typed
constexpr float kFrame = 1.0F / 60.0F;  // seconds; off-screen, and where the display does not pace

Size size_of(const ImDrawData& data) {
  return {static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x)),
          static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y))};
}

}  // namespace

struct Window::Impl {
  explicit Impl(const WindowOptions& options)
      : off_screen(options.off_screen),
        paint_when_read(options.off_screen && options.paint_when_read),
        has_opengl(options.has_opengl),
        library(options.off_screen),
        window(options),
        imgui(options),
        back_ends(window.get(), options.has_opengl),
        cells(options.has_opengl ? options.shaders : std::filesystem::path()),
        fonts(load_fonts(options.fonts)),
        main(options.beside != nullptr ? options.beside->impl_.get() : nullptr) {
    if (has_opengl) {
      watch_gl(gl_error);
    }
    glfwSetWindowUserPointer(window.get(), this);
    glfwSetDropCallback(window.get(), [](GLFWwindow* on, int count, const char** paths) {
      auto& files = static_cast<Impl*>(glfwGetWindowUserPointer(on))->dropped;
      files.insert(files.end(), paths, paths + count);
    });
    glfwSetWindowRefreshCallback(window.get(), [](GLFWwindow* on) {  // the display lost the picture
      static_cast<Impl*>(glfwGetWindowUserPointer(on))->painted.clear();
    });
    if (main != nullptr) {
      hand_over_keys();
      place_beside(window.get(), main->window.get());
    }
  }

  // The keys of a second window are passed to the first.
  void hand_over_keys() {
    glfwSetKeyCallback(window.get(), [](GLFWwindow* on, int key, int code, int action, int mods) {
      ImGuiIO& io = io_of_first(on);
      if (action == GLFW_REPEAT) {
        return;  // Dear ImGui repeats keys with its own clock
      }
      io.AddKeyEvent(ImGuiMod_Ctrl, (mods & GLFW_MOD_CONTROL) != 0);
      io.AddKeyEvent(ImGuiMod_Shift, (mods & GLFW_MOD_SHIFT) != 0);
      io.AddKeyEvent(ImGuiMod_Alt, (mods & GLFW_MOD_ALT) != 0);
      io.AddKeyEvent(ImGui_ImplGlfw_KeyToImGuiKey(key, code), action == GLFW_PRESS);
    });
    glfwSetCharCallback(window.get(), [](GLFWwindow* on, unsigned int letter) {
      io_of_first(on).AddInputCharacter(letter);
    });
  }
  static ImGuiIO& io_of_first(GLFWwindow* second) {
    return ImGui::GetIO(static_cast<Impl*>(glfwGetWindowUserPointer(second))->main->imgui.get());
  }
  void make_current() const {
    if (has_opengl) {
      glfwMakeContextCurrent(window.get());
    }
    ImGui::SetCurrentContext(imgui.get());
  }

  void wait(double timeout);
  bool is_painted();
  bool is_new_picture();
  void set_font_size();
  [[nodiscard]] float density() const;
  static void render_draw_data();

  bool off_screen = false;
  bool paint_when_read = false;
  bool has_opengl = true;
  bool holds_keys = false;
  bool leaves_out = false;   // the frame being drawn
  bool is_repeated = false;  // the last frame was not painted: its picture was on screen already
  std::string painted;       // what the picture on screen is made of
  std::string drawn;         // … the last frame; kept so that its memory is used again
  GlfwLibrary library;
  GlfwWindow window;
  ImGuiSession imgui;
  ImGuiBackEnds back_ends;
  GlCellRenderer cells;
  LoadedFonts fonts;
  state::Typeface typeface = state::Typeface::Roboto;
  Impl* main = nullptr;  // for a second window: the first one
  struct Place {
    int x = 0;
    int y = 0;
    int w = 0;
    int h = 0;
  };
  std::optional<Place> windowed;  // its position before full screen
  float scale = 1.0F;
  int settle = kSettleFrames;
  double begun = 0.0;  // the last frame, on GLFW's clock
  std::string gl_error;
  std::vector<std::string> dropped;
};

void Window::Impl::wait(double timeout) {
  if (off_screen) {
    return;
  }
  const double longest = ImGui::GetIO().WantTextInput ? std::min(timeout, kCursorBlink) : timeout;
  if (longest <= 0.0) {  // something has changed, a message may have arrived
    settle = std::max(settle, kResultFrames);
  }
  if (settle == 0) {
    glfwWaitEventsTimeout(longest);
  } else {
    --settle;
    is_repeated ? glfwWaitEventsTimeout(kFrame) : glfwPollEvents();  // swapping waits as long
  }
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) {
    settle = kSettleFrames;
  }
}

void Window::Impl::set_font_size() {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window.get(), &width, &height);
  float content_scale = 1.0F;
  if (!off_screen) {
    float across = 1.0F;
    glfwGetWindowContentScale(window.get(), &across, &content_scale);
  }
  // Text on whole pixels: rounds the product, not the factors.
  const float pixels = std::round(base_font_size(height, content_scale) * scale);
  ImGuiStyle& style = ImGui::GetStyle();
  style.FontScaleMain = scale;
  style.FontSizeBase = pixels / scale / density();
}

// Pixels per unit of the window's size: 1 on a desktop, the device's in a browser.
float Window::Impl::density() const {
  int width = 0;
  int height = 0;
  int pixels = 0;
  glfwGetWindowSize(window.get(), &width, &height);
  glfwGetFramebufferSize(window.get(), &width, &pixels);
  return height > 0 && pixels > 0 ? static_cast<float>(pixels) / static_cast<float>(height) : 1.0F;
}

// Compares everything that a picture is made of with that of the last painted one: painting takes a
// software rasterizer ten times as long. Most frames after input, until hover is stable, are equal.
bool Window::Impl::is_new_picture() {
  drawn.clear();
  const auto add = [this](const auto* first, int count) {
    drawn.append(reinterpret_cast<const char*>(first),
                 static_cast<std::size_t>(count) * sizeof(*first));
  };
  const ImDrawData& data = *ImGui::GetDrawData();
  add(&data.DisplaySize, 1);
  add(&data.FramebufferScale, 1);
  add(&ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg), 1);
  for (const ImDrawList* const list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      add(&command.ClipRect, 1);
      add(&command.TexRef, 1);
      add(&command.VtxOffset, 1);
      add(&command.IdxOffset, 1);
      add(&command.ElemCount, 1);
      add(&command.UserCallback, 1);
    }
    add(list->_CallbacksDataBuf.Data, list->_CallbacksDataBuf.Size);
    add(list->IdxBuffer.Data, list->IdxBuffer.Size);
    add(list->VtxBuffer.Data, list->VtxBuffer.Size);
  }
  add(cells.cells().data(), static_cast<int>(cells.cells().size()));
  const bool has_new_glyphs = std::any_of(
      data.Textures->begin(), data.Textures->end(),
      [](const ImTextureData* texture) { return texture->Status != ImTextureStatus_OK; });
  is_repeated = !has_new_glyphs && drawn == painted;
  painted.swap(drawn);
  return !is_repeated;
}

bool Window::Impl::is_painted() {
  return off_screen ? !paint_when_read : !leaves_out && is_new_picture();
}

void Window::Impl::render_draw_data() {
  const Size size = size_of(*ImGui::GetDrawData());
  glViewport(0, 0, size.width, size.height);
  glDisable(GL_SCISSOR_TEST);
  // The background of the panels: clearing costs a software rasterizer nothing, a rectangle does.
  const ImVec4& ground = ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg);
  glClearColor(ground.x, ground.y, ground.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

WindowOptions off_screen(int width, int height, std::filesystem::path fonts,
                         std::filesystem::path shaders) {
  WindowOptions options;
  options.width = width;
  options.height = height;
  options.off_screen = true;
  options.paint_when_read = true;
  options.fonts = std::move(fonts);
  options.shaders = std::move(shaders);
  return options;
}

Window::Window(const WindowOptions& options) {
  const Restored restored(options.beside != nullptr);
  impl_ = std::make_unique<Impl>(options);
}

Window::~Window() {
  const Restored restored(impl_->main != nullptr);
  impl_->make_current();
  impl_.reset();
}

bool Window::has_text_field() const {
  return ImGui::GetIO().WantTextInput;
}

void Window::hold_keys(bool on) {
  impl_->holds_keys = on;
}

void Window::frame(double timeout, const std::function<void()>& draw) {
  const bool is_second = impl_->main != nullptr;
  const Restored restored(is_second);
  impl_->make_current();
  if (!is_second) {
    impl_->wait(timeout);
  }
  impl_->begun = glfwGetTime();
  use_typeface(impl_->fonts, impl_->typeface);
  load_chinese(impl_->fonts);
  impl_->set_font_size();
  impl_->back_ends.begin_frame();
  if (impl_->off_screen) {
    ImGui::GetIO().DeltaTime = kFrame;
  }
  {
    const OneFramesEvents events(impl_->holds_keys ? Keys::None : Keys::All);
    ImGui::NewFrame();
  }
  impl_->cells.begin_frame();
  impl_->leaves_out = false;
  draw();
  ImGui::Render();
  if (impl_->is_painted()) {
    impl_->render_draw_data();
  } else {
    impl_->back_ends.update_textures();
  }
  if (!impl_->has_opengl) {
    return;
  }
  if (impl_->off_screen) {
    glFinish();
  } else if (!impl_->leaves_out && !impl_->is_repeated) {
    glfwSwapBuffers(impl_->window.get());
  }
  check_context();
  if (!impl_->gl_error.empty()) {
    throw PlatformError(tr("OpenGL reports: {}", impl_->gl_error));
  }
}

void Window::leave_out() {
  impl_->leaves_out = true;
  impl_->is_repeated = false;
}

bool Window::should_close() const {
  return glfwWindowShouldClose(impl_->window.get()) == GLFW_TRUE;
}

void Window::request_close() {
  glfwSetWindowShouldClose(impl_->window.get(), GLFW_TRUE);
  wake();
}

#ifdef __EMSCRIPTEN__
namespace {
bool has_result = false;  // since the last is_due()
}

void Window::wake() {
  has_result = true;
}

bool Window::is_due(double rest) {
  if (std::optional<std::string> link = take_address()) {
    impl_->dropped.push_back(std::move(*link));
    wake();
  }
  ImGuiIO& io = ImGui::GetIO();
  io.AddInputCharactersUTF8(take_letters(io.WantTextInput).c_str());
  fit_to_page(impl_->window.get());
  int width = 0;
  int height = 0;
  glfwGetWindowSize(impl_->window.get(), &width, &height);
  const bool is_resized =
      static_cast<int>(io.DisplaySize.x) != width || static_cast<int>(io.DisplaySize.y) != height;
  const double longest = io.WantTextInput ? std::min(rest, kCursorBlink) : rest;
  return std::exchange(has_result, false) || impl_->settle > 0 || is_resized ||
         !ImGui::GetCurrentContext()->InputEventsQueue.empty() ||
         glfwGetTime() - impl_->begun >= longest;
}
#else
void Window::wake() {
  glfwPostEmptyEvent();
}
#endif

void Window::show_full_screen(bool on) {
  if (impl_->off_screen || on == impl_->windowed.has_value()) {
    return;
  }
  GLFWwindow* const window = impl_->window.get();
  if (!on) {
    const Impl::Place at = *std::exchange(impl_->windowed, std::nullopt);
    glfwSetWindowMonitor(window, nullptr, at.x, at.y, at.w, at.h, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* const monitor = monitor_of(window);
  const GLFWvidmode* const mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
  if (mode == nullptr) {
    return;
  }
  Impl::Place at;
  glfwGetWindowPos(window, &at.x, &at.y);
  glfwGetWindowSize(window, &at.w, &at.h);
  impl_->windowed = at;
  glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

bool Window::has_other_screen() const {
  return !impl_->off_screen && monitor_beside(impl_->window.get()) != nullptr;
}

std::vector<std::string> Window::take_dropped_files() {
  return std::exchange(impl_->dropped, {});
}

const ui::Fonts& Window::fonts() const {
  return impl_->fonts.fonts;
}

ui::CellRenderer& Window::cells() {
  return impl_->cells;
}

const std::vector<std::string>& Window::warnings() const {
  return impl_->fonts.warnings;
}

GlInfo Window::gl() const {
  const auto text = [](GLenum name) {
    const GLubyte* value = glGetString(name);
    return value == nullptr ? std::string() : reinterpret_cast<const char*>(value);
  };
  return {text(GL_RENDERER), text(GL_VERSION)};
}

void Window::draw_aside(int density, const std::function<void()>& draw) {
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 own_scale = io.DisplayFramebufferScale;
  const auto times = static_cast<float>(density);
  check_drawable(static_cast<int>(io.DisplaySize.x * own_scale.x * times),
                 static_cast<int>(io.DisplaySize.y * own_scale.y * times));
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  ImVector<ImGuiInputEvent> later;
  later.swap(queue);
  const ImVec2 mouse = io.MousePos;
  io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  io.DisplayFramebufferScale = {own_scale.x * times, own_scale.y * times};
  io.DeltaTime = kAsideFrame;
  impl_->set_font_size();
  ImGui::NewFrame();
  impl_->cells.begin_frame();
  draw();
  ImGui::Render();
  impl_->back_ends.update_textures();
  io.DisplayFramebufferScale = own_scale;
  io.AddMousePosEvent(mouse.x, mouse.y);
  for (const ImGuiInputEvent& event : later) {
    queue.push_back(event);
  }
  impl_->settle = kSettleFrames;
}

namespace {

// A rectangle in pixels of the picture, from its top left.
struct PixelBox {
  int left, top, right, bottom;
};
PixelBox pixels_of(const SvgRect& area, const ImDrawData& data, Size size) {
  const auto pixel = [](double at, float origin, float scale, int most) {
    return static_cast<int>(
        std::lround(std::clamp((at - origin) * scale, 0.0, static_cast<double>(most))));
  };
  const ImVec2 scale = data.FramebufferScale;
  return {pixel(area.left, data.DisplayPos.x, scale.x, size.width),
          pixel(area.top, data.DisplayPos.y, scale.y, size.height),
          pixel(area.right, data.DisplayPos.x, scale.x, size.width),
          pixel(area.bottom, data.DisplayPos.y, scale.y, size.height)};
}

}  // namespace

Image Window::read_pixels(const SvgRect& area) const {
  const ImDrawData& data = *ImGui::GetDrawData();
  const Size size = size_of(data);
  const GlCanvas canvas(size.width, size.height);
  Impl::render_draw_data();
  const PixelBox box = pixels_of(area, data, size);
  Image image;
  image.width = std::max(box.right - box.left, 0);
  image.height = std::max(box.bottom - box.top, 0);
  const auto row = static_cast<std::size_t>(image.width) * 4;
  const auto rows = static_cast<std::size_t>(image.height);
  std::vector<unsigned char> bottom_up(row * rows);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(box.left, size.height - box.bottom, image.width, image.height, GL_RGBA,
               GL_UNSIGNED_BYTE, bottom_up.data());
  image.rgba.resize(bottom_up.size());
  for (std::size_t y = 0; y < rows; ++y) {
    std::copy_n(bottom_up.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row), row,
                image.rgba.begin() + static_cast<std::ptrdiff_t>(y * row));
    for (std::size_t x = 3; x < row; x += 4) {
      image.rgba[y * row + x] = 255;  // a window is opaque
    }
  }
  return image;
}

std::string Window::svg(const SvgRect& area) const {
  return svg_of(*ImGui::GetDrawData(), ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg), area);
}

void Window::set_typeface(state::Typeface typeface) {
  impl_->typeface = typeface;
}

void Window::set_scale(float scale) {
  impl_->scale = scale > 0.3F ? std::min(scale, 4.0F) : 0.3F;  // also for NaN
}

float base_font_size(int window_height, float content_scale) {
  const float with_height = static_cast<float>(window_height) * (18.0F / 1080.0F);
  return std::round(std::max(15.0F * content_scale, with_height));
}

}  // namespace tilestep::platform
