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
  // Draws the tooltip for the word under the pointer.
  // What is known of the word under the pointer; empty: nothing.
  std::function<std::string(const std::string& word)> hover;
};
// Returns a breakpoint for a click in the margin, and what a click on the header asks for.
[[nodiscard]] Commands draw_code(const Context& context, const CodeRequest& request);

}  // namespace tilestep::ui
