#include "platform/gl.h"

#include "platform/window.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace tilestep::platform {
namespace {

using ui::CellInstance;

#ifdef __EMSCRIPTEN__
constexpr const char* kPrecision = "precision highp float;\nprecision highp int;\n";
#else
constexpr const char* kPrecision = "";
#endif

#ifndef NDEBUG
void GLAD_API_PTR on_gl_message(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum severity,
                                GLsizei length, const GLchar* text, const void* user) {
  if (type == GL_DEBUG_TYPE_ERROR || severity == GL_DEBUG_SEVERITY_HIGH) {
    auto& first = *static_cast<std::string*>(const_cast<void*>(user));
    if (first.empty()) {
      first.assign(text, static_cast<std::size_t>(length));
    }
  }
}
#endif

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
      fmt::format("{}\n{}{}#line 1\n{}", kShaderVersion, kPrecision, preamble, read_text(file));
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

static_assert(std::is_trivially_copyable_v<CellInstance>);

// The vertex layout of CellInstance; locations are those of shaders/cell.vert.
struct Attribute {
  GLuint location;
  GLint components;
  GLenum type;
  enum class As { Float, Normalised, Integer } as;
  std::size_t offset;
};
constexpr Attribute kAttributes[] = {
    {0, 4, GL_FLOAT, Attribute::As::Float, offsetof(CellInstance, x)},
    {1, 4, GL_UNSIGNED_BYTE, Attribute::As::Normalised, offsetof(CellInstance, fill)},
    {2, 4, GL_UNSIGNED_BYTE, Attribute::As::Normalised, offsetof(CellInstance, border)},
    {3, 2, GL_FLOAT, Attribute::As::Float, offsetof(CellInstance, border_width)},
    {4, 1, GL_UNSIGNED_INT, Attribute::As::Integer, offsetof(CellInstance, marks)},
    {5, 4, GL_UNSIGNED_BYTE, Attribute::As::Normalised, offsetof(CellInstance, mark_colour)},
};

// GL 3.3 has no base instance: a batch starts at its attributes' offsets.
void point_attributes(std::size_t first) {
  for (const Attribute& a : kAttributes) {
    const auto offset = first * sizeof(CellInstance) + a.offset;
    const auto* pointer = reinterpret_cast<const void*>(offset);
    constexpr auto kStride = static_cast<GLsizei>(sizeof(CellInstance));
    if (a.as == Attribute::As::Integer) {
      glVertexAttribIPointer(a.location, a.components, a.type, kStride, pointer);
    } else {
      const GLboolean normalised = a.as == Attribute::As::Normalised ? GL_TRUE : GL_FALSE;
      glVertexAttribPointer(a.location, a.components, a.type, normalised, kStride, pointer);
    }
  }
}

constexpr GLsizei kQuadPoints = 4;
constexpr GLsizei kRingPoints = 10;

// True if the cell has nothing inside its border.
bool is_ring(const CellInstance& cell) {
  constexpr std::uint32_t kInside = ui::mark::kHatched | ui::mark::kCut;
  return (cell.fill >> IM_COL32_A_SHIFT) == 0 && (cell.marks & kInside) == 0;
}

}  // namespace

void watch_gl([[maybe_unused]] std::string& first_error) {
#ifndef NDEBUG
  if (GLAD_GL_KHR_debug != 0) {
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_gl_message, &first_error);
  }
#endif
}

void check_context() {
#ifndef __EMSCRIPTEN__
  if (glad_glGetGraphicsResetStatus != nullptr && glGetGraphicsResetStatus() != GL_NO_ERROR) {
    throw ContextLost(
        tr("The graphics driver was reset, and the picture is lost. Restart Tilestep; if it "
           "happens again, update the graphics driver."));
  }
#endif
}

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

void check_drawable(int width, int height) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (width > most || height > most) {
    throw PlatformError(
        tr("A picture of {} × {} pixels is too large: this graphics driver draws {} × {} "
           "at most. Choose a smaller scale.",
           width, height, most, most));
  }
}

GlCanvas::GlCanvas(int width, int height) {
  GLuint name = 0;
  glGenRenderbuffers(1, &name);
  colours_ = GlRenderbuffer(name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glGenFramebuffers(1, &name);
  frame_ = GlFramebuffer(name);
  glBindFramebuffer(GL_FRAMEBUFFER, name);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_.name());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    throw PlatformError(
        tr("The graphics driver does not have enough memory for a picture of {} × {} pixels. "
           "Choose a smaller scale.",
           width, height));
  }
}

GlCellRenderer::GlCellRenderer(const std::filesystem::path& shaders) {
  if (shaders.empty()) {
    return;
  }
  const std::string marks = fmt::format(
      "#define MARK_HATCHED {}u\n#define MARK_CUT {}u\n"
      "#define MARK_DASHED {}u\n",
      ui::mark::kHatched, ui::mark::kCut, ui::mark::kDashed);
  program_ = load_program(shaders, "cell", marks);
  display_origin_ = glGetUniformLocation(program_.name(), "u_display_origin");
  display_size_ = glGetUniformLocation(program_.name(), "u_display_size");
  density_ = glGetUniformLocation(program_.name(), "u_density");
  is_ring_ = glGetUniformLocation(program_.name(), "u_is_ring");
  GLuint name = 0;
  glGenBuffers(1, &name);
  buffer_ = GlBuffer(name);
  glGenVertexArrays(1, &name);
  vertex_array_ = GlVertexArray(name);
  glBindVertexArray(vertex_array_.name());
  for (const Attribute& a : kAttributes) {
    glEnableVertexAttribArray(a.location);
    glVertexAttribDivisor(a.location, 1);
  }
  glBindVertexArray(0);
}

void GlCellRenderer::begin_frame() {
  cells_.clear();
  uploaded_ = false;
}

void GlCellRenderer::draw(ImDrawList& list, std::span<const CellInstance> cells, ImVec4 clip) {
  if (cells.empty()) {
    return;
  }
  const Batch batch{this, cells_.size(), cells.size(), clip};
  cells_.insert(cells_.end(), cells.begin(), cells.end());
  list.AddCallback(&GlCellRenderer::render, const_cast<Batch*>(&batch), sizeof(batch));
  list.AddCallback(ImGui::GetPlatformIO().DrawCallback_ResetRenderState);
}

std::optional<CellBatch> GlCellRenderer::batch_of(const ImDrawCmd& command) {
  constexpr ImDrawCallback kOurs = &GlCellRenderer::render;
  if (command.UserCallback != kOurs) {
    return std::nullopt;
  }
  const auto* batch = static_cast<const Batch*>(command.UserCallbackData);
  const std::span<const CellInstance> cells = batch->self->cells_;
  return CellBatch{cells.subspan(batch->first, batch->count), batch->clip};
}

void GlCellRenderer::render(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  const auto* batch = static_cast<const Batch*>(command->UserCallbackData);
  batch->self->render(*batch);
}

void GlCellRenderer::upload() {
  const auto bytes = static_cast<GLsizeiptr>(cells_.size() * sizeof(CellInstance));
  // Orphaned first, so that a frame that is still being drawn keeps its own copy.
  glBufferData(GL_ARRAY_BUFFER, bytes, nullptr, GL_STREAM_DRAW);
  glBufferSubData(GL_ARRAY_BUFFER, 0, bytes, cells_.data());
  uploaded_ = true;
}

void GlCellRenderer::render(const Batch& batch) {
  const ImDrawData* data = ImGui::GetDrawData();
  const ImVec2 scale = data->FramebufferScale;
  const float fb_height = data->DisplaySize.y * scale.y;
  const auto left = std::max(0.0F, std::floor((batch.clip.x - data->DisplayPos.x) * scale.x));
  const auto top = std::max(0.0F, std::floor((batch.clip.y - data->DisplayPos.y) * scale.y));
  const auto right = std::ceil((batch.clip.z - data->DisplayPos.x) * scale.x);
  const auto bottom = std::ceil((batch.clip.w - data->DisplayPos.y) * scale.y);
  if (right <= left || bottom <= top) {
    return;
  }
  glUseProgram(program_.name());
  glBindVertexArray(vertex_array_.name());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.name());
  if (!uploaded_) {
    upload();
  }
  glScissor(static_cast<GLint>(left), static_cast<GLint>(fb_height - bottom),
            static_cast<GLsizei>(right - left), static_cast<GLsizei>(bottom - top));
  glUniform2f(display_origin_, data->DisplayPos.x, data->DisplayPos.y);
  glUniform2f(display_size_, data->DisplaySize.x, data->DisplaySize.y);
  glUniform1f(density_, scale.x);
  // The shader's colors are premultiplied by alpha.
  glBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  const auto end = cells_.begin() + static_cast<std::ptrdiff_t>(batch.first + batch.count);
  for (auto from = cells_.begin() + static_cast<std::ptrdiff_t>(batch.first); from != end;) {
    const bool ring = is_ring(*from);
    const auto to =
        std::find_if(from, end, [ring](const CellInstance& c) { return is_ring(c) != ring; });
    point_attributes(static_cast<std::size_t>(from - cells_.begin()));
    glUniform1i(is_ring_, ring ? 1 : 0);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, ring ? kRingPoints : kQuadPoints,
                          static_cast<GLsizei>(to - from));
    from = to;
  }
}

}  // namespace tilestep::platform
