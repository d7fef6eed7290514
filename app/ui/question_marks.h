// On the stage and in the source: what is chosen, and once it is answered the right one.
#pragma once

#include "ui/panel.h"
#include "ui/stage/content.h"
#include "ui/stage/paint.h"

#include <imgui.h>

#include <optional>

namespace tilestep::ui {

// Frames around the chosen cell or thread; ✓ and ✗ where they belong. From the right cell of a
// buffer an arrow leads to where the block copies it.
void paint_answer_marks(const StagePicture& picture, const ContentInputs& in);
// The copy of a buffer's element to a shared array in the phase on stage, or else in the next one.
[[nodiscard]] std::optional<Transfer> landing_of(const ContentInputs& in, const CellHit& element);

enum class AnswerMark { Chosen, Right, Wrong };
[[nodiscard]] ImU32 answer_colour(const Theme& theme, AnswerMark mark);
// Of a line of the source, where the question is which line.
[[nodiscard]] std::optional<AnswerMark> answer_mark(const Context& context, int line);
// ✓ or ✗ with its upper left corner there; of what is chosen nothing.
void draw_answer_sign(ImDrawList& list, const Theme& theme, AnswerMark mark, ImVec2 at, float size);

}  // namespace tilestep::ui
