// Paints the cells of the stage and their numbers.
#pragma once

#include "ui/panel.h"
#include "ui/stage/content.h"
#include "ui/stage/geometry.h"
#include "ui/theme.h"

#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

// Everything needed to paint the stage; it must outlive the call.
struct StagePicture {
  const Context& context;
  const StageShape& shape;
  const Arrangement& arrangement;
  const StageContent& content;
  const simt::Program& program;
  StageView view;
  ImDrawList& list;
  ImVec4 clip;  // left, top, right, bottom of the stage
  float font;   // height of a line of text, pixels

  // In window pixels: the visible part of a frame, a sheet, a cell.
  [[nodiscard]] Box window_box(const CellFrame& frame) const;
  [[nodiscard]] Box window_box(int sheet) const {
    return view.to_window(sheet_box(shape, arrangement, sheet));
  }
  [[nodiscard]] Box window_box(int sheet, int row, int col) const {
    return view.to_window(cell_box(arrangement, sheet, row, col));
  }
  [[nodiscard]] ImVec2 cell_size(int sheet) const;  // pixels
  [[nodiscard]] bool is_visible(const Box& box) const;

  void draw(std::span<const CellInstance> cells) const;
  // Starts at a whole pixel.
  void write(ImFont* of, float size, ImVec2 at, ImU32 colour, const std::string& text) const;
};

// The style of one cell; also for legends.
struct CellStyle {
  Fill fill;
  ImU32 border = 0;
  float border_width = 0.0F;
  std::uint32_t marks = mark::kNone;
  ImU32 mark_colour = 0;
};
[[nodiscard]] CellStyle cell_style(const StagePicture& picture, const Sheet& sheet,
                                   const Cell& cell);
[[nodiscard]] CellInstance instance(const Box& box, const CellStyle& style, float radius = 0.0F);
// Draws cells in the current window of ImGui, within its clip rectangle.
void draw_cells(const Context& context, std::span<const CellInstance> cells);

// In lines of text: lower cells show no signs and no rounding.
inline constexpr float kSmallCell = 0.45F;

// `instances`: scratch memory, kept across frames.
void paint_cells(const StagePicture& picture, std::vector<CellInstance>& instances);
// Text on the block's card with a background, so that no ribbon of a phase crosses it.
void paint_backed_text(const StagePicture& picture, ImFont* font, float size, ImVec2 at,
                       ImU32 colour, const std::string& text);

// The text size and character count of values in cells of this size: the most characters, up to
// `longest`, with text of at least `smallest`. 0 characters: the cells are too small for text.
struct ValueText {
  float size = 0.0F;
  int chars = 0;
};
[[nodiscard]] ValueText value_text(ImVec2 cell, int longest, float smallest);
// A value in that many characters; "#" if a whole number would have to be rounded.
[[nodiscard]] std::string cell_text(double value, int chars);
// The smallest text in cells, for lines of text of this height.
[[nodiscard]] float smallest_value_text(float font);

// The text size for all numbers of a sheet; no characters if most values would not fit: shades are
// more informative then.
[[nodiscard]] ValueText sheet_text(const StagePicture& picture, int sheet);

// A sum's value before the phase is shown small above its new one, if that is large enough; else,
// below it, the lost rounding error of a compensated sum.
inline constexpr float kBeforeSize = 0.5F;  // of the number's height
[[nodiscard]] bool shows_before(const StagePicture& picture, const Cell& cell,
                                const ValueText& text);

// An instance without signs: frames and moving cells.
[[nodiscard]] CellInstance outline(const Box& box, ImU32 colour, float width, float radius);

}  // namespace tilestep::ui
