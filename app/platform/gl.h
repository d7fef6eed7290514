// The little OpenGL that is ours: programs from files, and owners for GL objects.
#pragma once

#include <glad/gl.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace tilestep::platform {

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

// Compiles and links <stem>.vert and <stem>.frag of a folder. `preamble` (constants shared with
// C++) goes between the #version line and the file's text. Throws PlatformError with the file and
// the compiler's log.
[[nodiscard]] GlProgram load_program(const std::filesystem::path& folder, const std::string& stem,
                                     std::string_view preamble);

}  // namespace tilestep::platform
