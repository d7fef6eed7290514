// Our own OpenGL helpers: errors of a context, programs from files, and owners for GL objects.
#pragma once

#include "ui/panel.h"

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <glad/gl.h>
#endif

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::platform {

// The first line of our shaders and of Dear ImGui's.
#ifdef __EMSCRIPTEN__
inline constexpr const char* kShaderVersion = "#version 300 es";
#else
inline constexpr const char* kShaderVersion = "#version 330 core";
#endif

// Notes the first error that the current context reports, in builds with assertions.
void watch_gl(std::string& first_error);
// Throws ContextLost after a reset, if the driver has reset notification, which GlfwWindow
// requests.
void check_context();

// Owns one GL object; `Delete` is called with its name. The context must be current.
template <void (*Delete)(GLuint)>
class GlObject {
 public:
  GlObject() = default;
  explicit GlObject(GLuint name) : name_(name) {}
  ~GlObject() {
    if (name_ != 0) {
      Delete(name_);
    }
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  [[nodiscard]] GLuint name() const { return name_; }

 private:
  GLuint name_ = 0;
};

inline void delete_buffer(GLuint name) {
  glDeleteBuffers(1, &name);
}
inline void delete_vertex_array(GLuint name) {
  glDeleteVertexArrays(1, &name);
}
inline void delete_program(GLuint name) {
  glDeleteProgram(name);
}
inline void delete_shader(GLuint name) {
  glDeleteShader(name);
}
inline void delete_framebuffer(GLuint name) {
  glDeleteFramebuffers(1, &name);
}
inline void delete_renderbuffer(GLuint name) {
  glDeleteRenderbuffers(1, &name);
}
using GlFramebuffer = GlObject<delete_framebuffer>;
using GlRenderbuffer = GlObject<delete_renderbuffer>;
using GlBuffer = GlObject<delete_buffer>;
using GlVertexArray = GlObject<delete_vertex_array>;
using GlProgram = GlObject<delete_program>;
using GlShader = GlObject<delete_shader>;

// Throws PlatformError if the driver cannot draw a picture of that many pixels.
void check_drawable(int width, int height);

// A framebuffer with only colors, bound as long as it exists. Throws PlatformError if there is not
// enough memory.
class GlCanvas {
 public:
  GlCanvas(int width, int height);
  ~GlCanvas() { glBindFramebuffer(GL_FRAMEBUFFER, 0); }
  GlCanvas(const GlCanvas&) = delete;
  GlCanvas& operator=(const GlCanvas&) = delete;
  GlCanvas(GlCanvas&&) = delete;
  GlCanvas& operator=(GlCanvas&&) = delete;

 private:
  GlRenderbuffer colours_;
  GlFramebuffer frame_;
};

// Compiles and links <stem>.vert and <stem>.frag of a folder. `preamble` (constants shared with
// C++) is inserted between the #version line and the file's text. Throws PlatformError with the
// file and the compiler's log.
[[nodiscard]] GlProgram load_program(const std::filesystem::path& folder, const std::string& stem,
                                     std::string_view preamble);

// Cells as instanced quads: one vertex buffer per frame, one draw call per batch, drawn at the
// batch's position in ImGui's draw list.

// The cells that one call of draw() added to a draw list.
struct CellBatch {
  std::span<const ui::CellInstance> cells;
  ImVec4 clip;  // window pixels: left, top, right, bottom
};

class GlCellRenderer final : public ui::CellRenderer {
 public:
  // Requires a current context; so does the destructor. Throws PlatformError. Without `shaders`
  // neither does: the batches are only read.
  explicit GlCellRenderer(const std::filesystem::path& shaders);

  void draw(ImDrawList& list, std::span<const ui::CellInstance> cells, ImVec4 clip) override;
  // Clears the previous frame's batches. Its draw lists must not be rendered after this.
  void begin_frame();
  // The cells of all batches of the frame.
  [[nodiscard]] std::span<const ui::CellInstance> cells() const { return cells_; }
  // The cells of a draw list's command, valid until the next frame begins. Nullopt if the command
  // draws something else.
  [[nodiscard]] static std::optional<CellBatch> batch_of(const ImDrawCmd& command);

 private:
  struct Batch {
    GlCellRenderer* self;
    std::size_t first;
    std::size_t count;
    ImVec4 clip;
  };
  static void render(const ImDrawList* list, const ImDrawCmd* command);
  void render(const Batch& batch);
  void upload();

  GlProgram program_;
  GlBuffer buffer_;
  GlVertexArray vertex_array_;
  GLint display_origin_ = -1;
  GLint display_size_ = -1;
  GLint density_ = -1;
  GLint is_ring_ = -1;
  std::vector<ui::CellInstance> cells_;
  bool uploaded_ = false;
};

}  // namespace tilestep::platform
