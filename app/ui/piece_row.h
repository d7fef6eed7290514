// A row of a sentence's pieces, each in its colour and weight.
#pragma once

#include "narration/sentence.h"
#include "ui/panel.h"

namespace tilestep::ui {

class PieceRow {
 public:
  // `size` of the text in pixels.
  PieceRow(const Context& context, float y, float size) : context_(context), y_(y), size_(size) {}

  // From `x`; returns where it ends.
  float write(const narration::Pieces& pieces, float x, ImU32 colour) const;
  [[nodiscard]] float width(const narration::Pieces& pieces) const;

 private:
  const Context& context_;
  float y_;
  float size_;
};

[[nodiscard]] narration::Pieces all_bold(narration::Pieces pieces);

}  // namespace tilestep::ui
