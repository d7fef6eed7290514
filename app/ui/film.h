// A lesson that plays by itself, such as the opening: its words replace the sentence, and the first
// key or click returns the controls to the user.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

[[nodiscard]] inline bool plays_film(const Context& context) {
  return context.view.lesson != nullptr && context.state.course.film;
}
// True if a lesson is open and does not play by itself: it has a panel and a bar.
[[nodiscard]] inline bool reads_lesson(const Context& context) {
  return context.view.lesson != nullptr && !context.state.course.film;
}

// Draws the progress, and the keys that end or repeat it, in the lower right corner of `room`.
[[nodiscard]] Commands draw_film_strip(const Context& context, const Box& room);
// The effect of a key or click on a playing film. `pressed`: the keys' usual commands.
[[nodiscard]] Commands film_keys(const Context& context, Commands pressed);

// A caption line below the window's picture, for films, which are watched without the program.

// Reserves room at the window's foot from the next frame on; call it before draw().
void draw_caption(const Context& context);

}  // namespace tilestep::ui
