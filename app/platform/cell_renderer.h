// Cells as instanced quads: one vertex buffer a frame, one draw call a batch, drawn where the batch
// stands in ImGui's draw list.
#pragma once

#include "platform/gl.h"
#include "ui/panel.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::platform {

// What one call of draw() has put into a draw list.
struct CellBatch {
  std::span<const ui::CellInstance> cells;
  ImVec4 clip;  // window pixels: left, top, right, bottom
};

class GlCellRenderer final : public ui::CellRenderer {
 public:
  // Needs a current context; so does the destructor. Throws PlatformError.
  explicit GlCellRenderer(const std::filesystem::path& shaders);

  void draw(ImDrawList& list, std::span<const ui::CellInstance> cells, ImVec4 clip) override;
  // Forgets the last frame's batches. Its draw lists must not be rendered again after this.
  void begin_frame();
  // The cells that a command of a draw list stands for, until the next frame begins. Nothing where
  // it stands for something else.
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
