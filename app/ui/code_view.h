// Source to read along: lines fade out at the edge and never wrap, the current one stays in the
// middle third and slides left so that its end is seen, values of the focus thread stand at the
// ends of the lines that assigned them.
#pragma once

#include "ui/panel.h"
#include "ui/source_editor.h"

#include <functional>
#include <string>

namespace tilestep::ui {

struct CodeRequest {
  const std::string& text;
  const LineMarks& marks;
  // A few lines without a header and without comments behind code: a strip, the lecture.
  bool is_strip = false;
  // Draws the tooltip of the word under the pointer; false where nothing is known of it.
  std::function<bool(const std::string& word)> hover;
  // Where the line under the pointer goes, 0 where there is none, and the one that was clicked.
  int* hovered_line = nullptr;
  int* clicked_line = nullptr;
  int reveal = 0;  // a line to bring into view; 0: none
};
// Returns a breakpoint for a click in the margin, and what a click on the header asks for.
[[nodiscard]] Commands draw_code(const Context& context, const CodeRequest& request);

}  // namespace tilestep::ui
