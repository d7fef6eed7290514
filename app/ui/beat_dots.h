// The beats of the lesson that is open, as dots: done filled, the current one ringed, questions
// with their sign.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

enum class DotsAt { Left, Middle };

// Pixels that the dots of a lesson with so many beats take, at best.
[[nodiscard]] float beat_dots_width(std::size_t beats);
// In the window that has begun; a click goes to the beat. Closer together where there is little
// room.
[[nodiscard]] Commands draw_beat_dots(const Context& context, const Box& box, DotsAt at);

}  // namespace tilestep::ui
