#include "platform/gl.h"

#include "platform/window.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <vector>

namespace tilestep::platform {
namespace {

std::string read_text(const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    throw PlatformError(tr("{} Reinstall Tilestep, or set TILESTEP_SHARE to its share folder.",
                           text.error().message));
  }
  return *text;
}

GlShader compile(GLenum stage, const std::filesystem::path& file, std::string_view preamble) {
  const std::string text =
      fmt::format("#version 330 core\n{}#line 1\n{}", preamble, read_text(file));
  GlShader shader(glCreateShader(stage));
  const char* source = text.c_str();
  glShaderSource(shader.name(), 1, &source, nullptr);
  glCompileShader(shader.name());
  GLint good = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &good);
  if (good != GL_TRUE) {
    std::vector<char> log(4096);
    glGetShaderInfoLog(shader.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw PlatformError(tr("{}: the shader does not compile: {}", file.string(), log.data()));
  }
  return shader;
}

}  // namespace

GlProgram load_program(const std::filesystem::path& folder, const std::string& stem,
                       std::string_view preamble) {
  const GlShader vertex = compile(GL_VERTEX_SHADER, folder / (stem + ".vert"), preamble);
  const GlShader fragment = compile(GL_FRAGMENT_SHADER, folder / (stem + ".frag"), preamble);
  GlProgram program(glCreateProgram());
  glAttachShader(program.name(), vertex.name());
  glAttachShader(program.name(), fragment.name());
  glLinkProgram(program.name());
  GLint good = GL_FALSE;
  glGetProgramiv(program.name(), GL_LINK_STATUS, &good);
  if (good != GL_TRUE) {
    std::vector<char> log(4096);
    glGetProgramInfoLog(program.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw PlatformError(
        tr("{}: the shaders do not link: {}", (folder / stem).string(), log.data()));
  }
  return program;
}

}  // namespace tilestep::platform
