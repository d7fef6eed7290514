// Pieces of a sum one after the other, each in its colour.
#pragma once

#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

class SumPen {
 public:
  // On the current window's list; `size` of the text in pixels.
  SumPen(const Context& context, ImVec2 at, float size)
      : context_(context), list_(*ImGui::GetWindowDrawList()), at_(at), size_(size) {}

  void write(const std::string& text, ImU32 colour, ImFont* font);
  void mono(const std::string& text, ImU32 colour) { write(text, colour, context_.fonts.mono); }
  // "+ 6·(−2)": the factors in their matrices' hues.
  void term(const std::string& text, bool from_a_and_b);
  // "= 33 + (−2)·(−4) = 41": what the thread holds is a sum.
  void result(const std::string& text);
  [[nodiscard]] float x() const { return at_.x; }
  void move_to(float x) { at_.x = x; }

 private:
  const Context& context_;
  ImDrawList& list_;
  ImVec2 at_;
  float size_;
};

}  // namespace tilestep::ui
