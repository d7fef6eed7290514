// What a lecture with a lesson says: one sentence a beat above the stage. A film says the same.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

// Within the window that has begun: where one is, and the first paragraph of the beat's text, as
// much of it as two lines hold; of a question what it asks. Of a frame with a lesson.
void draw_lecture_words(const Context& context, const Box& box);
// The same and the beats as dots in windows of their own, around what is returned.
[[nodiscard]] Box draw_lecture_frame(const Context& context, const Box& window, Commands& commands);

}  // namespace tilestep::ui
