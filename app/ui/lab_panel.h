// A lab of the lesson that is open: its rows with what became of them, why the first one failed,
// and the buttons that grade and reset the text.
#pragma once

#include "ui/panel.h"
#include "workspace/shown_lesson.h"

namespace tilestep::ui {

[[nodiscard]] inline bool has_lab(const Context& context) {
  return context.view.lesson != nullptr && context.view.lesson->lab != nullptr;
}

// Nothing where the beat is no lab.
void draw_lab_result(const Context& context);
// The same in a sentence or two, for a lecture; empty: nothing is graded.
[[nodiscard]] std::string lab_result_words(const Context& context);
void draw_lab_rows(const Context& context);
[[nodiscard]] Commands draw_lab_buttons(const Context& context);

}  // namespace tilestep::ui
