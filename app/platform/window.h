// A GLFW window with OpenGL 3.3 core or newer, on a display or off-screen (GLFW null platform +
// EGL), the ImGui back ends, fonts and the cell shader. The only room that uses GLFW and GL.
//
// Contract: one Window per thread; every call on the thread that made it, except wake().
#pragma once

#include "platform/error.h"
#include "platform/image.h"
#include "platform/svg_path.h"
#include "ui/panel.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilestep::platform {

class Window;

// Whether the user has asked the system for less motion, where the program can read it: in a
// browser and on Windows. GLFW does not know a Linux desktop's setting.
[[nodiscard]] bool prefers_reduced_motion();

struct WindowOptions {
  int width = 1600;
  int height = 900;
  std::string title = "Tilestep";
  bool off_screen = false;
  bool paint_when_read = false;  // off-screen: paints only the frames whose pixels are read
  bool has_opengl = true;        // off-screen, false: only svg() reads the frames
  // Makes a second window beside this one, on another screen if there is one. It takes no focus,
  // never waits, and passes its keys to the first, which must outlive it.
  Window* beside = nullptr;
  std::filesystem::path fonts;
  std::filesystem::path shaders;
};
// Without a screen; painted only if its pixels are read.
[[nodiscard]] WindowOptions off_screen(int width, int height, std::filesystem::path fonts,
                                       std::filesystem::path shaders);

// The strings that OpenGL reports about itself.
struct GlInfo {
  std::string renderer;
  std::string version;
};

class Window {
 public:
  // Throws PlatformError with the failure and its cure ("No display: …", "OpenGL 3.3 …").
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  Window(Window&&) = delete;
  Window& operator=(Window&&) = delete;

  // Waits for input (at most `timeout` seconds; 0 polls), then begins an ImGui frame, calls `draw`,
  // renders and swaps. After input, and after a timeout of 0, the next few frames do not wait, so
  // that hover and layout become stable; then nothing is drawn until something happens. A picture
  // that is on screen already is not painted again; then the next frame follows after 1/60 s, an
  // event or wake(). Off-screen never waits, and ImGui's clock advances by 1/60 s per frame. Throws
  // ContextLost; after that the window can only be destroyed.
  void frame(double timeout, const std::function<void()>& draw);
  // In a browser only, where frame() never waits: whether there is anything to show, because of
  // input, a result, or because `rest` seconds have passed since the last frame.
  [[nodiscard]] bool is_due(double rest);
  // Called by `draw`: its frame is not painted, because what it shows is already out of date. The
  // window keeps the previous picture.
  void leave_out();
  [[nodiscard]] bool has_text_field() const;  // a text field has the keyboard
  // The next frame takes no key and no letter; the one after gets them.
  void hold_keys(bool on);
  [[nodiscard]] bool should_close() const;
  void request_close();
  static void wake();  // from any thread: ends a wait
  // Fills the screen of the window; false restores its previous position.
  void show_full_screen(bool on);
  [[nodiscard]] bool has_other_screen() const;

  // Paths of files dropped on the window since the last call.
  [[nodiscard]] std::vector<std::string> take_dropped_files();

  [[nodiscard]] const ui::Fonts& fonts() const;
  [[nodiscard]] ui::CellRenderer& cells();
  [[nodiscard]] GlInfo gl() const;
  // Draws a frame for a picture: not shown, without the mouse, with `density` pixels per window
  // pixel. Keys and clicks wait for the next frame(). Requires a previous frame. After a change of
  // density, the second frame is stable. Throws PlatformError if the size is above the driver's
  // limit.
  void draw_aside(int density, const std::function<void()>& draw);
  // Pixels of the last frame, or of an area of it (window pixels). Throws PlatformError if the
  // driver has no memory for it.
  [[nodiscard]] Image read_pixels(const SvgRect& area = {}) const;
  // The last frame, or an area of it (svg.h describes the conversion). Call it when the layout is
  // stable.
  [[nodiscard]] std::string svg(const SvgRect& area = {}) const;
  // UI scale in addition to the window's own: text is 18 px high in a window of 1080 lines, grows
  // with it, and is never smaller than 15 px (times the monitor's content scale).
  void set_scale(float scale);
  // From the next frame on.
  void set_typeface(state::Typeface typeface);
  // Sentences about missing but optional parts, such as a font.
  [[nodiscard]] const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Text height in pixels before the user's scale.
[[nodiscard]] float base_font_size(int window_height, float content_scale);

// The reason why no window can be shown, as a clause; empty: one can.
[[nodiscard]] std::string why_no_display();
}  // namespace tilestep::platform
