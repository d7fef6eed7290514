#include "ui/stage/sum_pen.h"

#include "ui/theme.h"

#include <cmath>

namespace tilestep::ui {

void SumPen::write(const std::string& text, ImU32 colour, ImFont* font) {
  list_.AddText(font, size_, {std::round(at_.x), at_.y}, colour, text.c_str());
  at_.x += font->CalcTextSizeA(size_, 1e6F, 0.0F, text.c_str()).x;
}

void SumPen::term(const std::string& text, bool from_a_and_b) {
  const Theme& t = context_.theme;
  const std::string dot = "·";
  const std::size_t at = text.find(dot);
  if (!from_a_and_b || at == std::string::npos || text.find(dot, at + 1) != std::string::npos) {
    mono(text, t.text);
    return;
  }
  const std::size_t blank = text.find(' ');
  const std::size_t first = blank < at ? blank + 1 : 0;
  mono(text.substr(0, first), t.text_dim);
  mono(text.substr(first, at - first), role_colours(t, insight::ValueRole::A).line);
  mono(dot, t.text_dim);
  mono(text.substr(at + dot.size()), role_colours(t, insight::ValueRole::B).line);
}

void SumPen::result(const std::string& text) {
  const Theme& t = context_.theme;
  const std::size_t at = text.rfind("= ");
  const std::size_t value = at == std::string::npos ? 0 : at + 2;
  mono(text.substr(0, value), t.text);
  mono(text.substr(value), role_colours(t, insight::ValueRole::Sum).line);
}

}  // namespace tilestep::ui
