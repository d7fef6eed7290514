// A lesson's question, large above the stage in place of the sentence: asked, then answered.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"
#include "ui/stage/sheet.h"

#include <imgui.h>

#include <string>

namespace tilestep::ui {

// What the question is, what can be pressed, and what became of the answer. Takes the keys that it
// names. `shape`: of the stage, whose cells can be chosen.
[[nodiscard]] Commands draw_question(const Context& context, const Box& box,
                                     const StageShape& shape);
// Whether it takes a key that means something else elsewhere.
[[nodiscard]] bool question_takes(const Context& context, ImGuiKeyChord chord);

// What a click on a cell, a thread or a line does while it is what is asked for: the first chooses,
// a second on the same one gives it. Nothing where it is not.
[[nodiscard]] Commands clicked_answer(const Context& context, lesson::QuestionKind kind,
                                      const std::string& what);

}  // namespace tilestep::ui
