#include "ui/piece_row.h"

#include "ui/stage/narration_paint.h"

#include <cmath>

namespace tilestep::ui {

float PieceRow::write(const narration::Pieces& pieces, float x, ImU32 colour) const {
  for (const narration::Piece& piece : pieces) {
    ImFont* font = piece.strong ? context_.fonts.bold : context_.fonts.text;
    ImGui::GetWindowDrawList()->AddText(font, size_, {std::round(x), y_},
                                        hue_colour(context_.theme, piece.hue, colour),
                                        piece.text.c_str());
    x += font->CalcTextSizeA(size_, 1e6F, 0.0F, piece.text.c_str()).x;
  }
  return x;
}

float PieceRow::width(const narration::Pieces& pieces) const {
  float width = 0.0F;
  for (const narration::Piece& piece : pieces) {
    width += (piece.strong ? context_.fonts.bold : context_.fonts.text)
                 ->CalcTextSizeA(size_, 1e6F, 0.0F, piece.text.c_str())
                 .x;
  }
  return width;
}

narration::Pieces all_bold(narration::Pieces pieces) {
  for (narration::Piece& piece : pieces) {
    piece.strong = true;
  }
  return pieces;
}

}  // namespace tilestep::ui
