// A lesson that plays by itself, such as the opening: its words take the place of the sentence, and
// the first key or click hands over the controls.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

namespace tilestep::ui {

[[nodiscard]] inline bool plays_film(const Context& context) {
  return context.view.lesson != nullptr && context.state.course.film;
}
// A lesson is open that somebody reads: it has a panel and a bar.
[[nodiscard]] inline bool reads_lesson(const Context& context) {
  return context.view.lesson != nullptr && !context.state.course.film;
}

// In the lower right corner of `room`: how much has played, and what ends or repeats it.
[[nodiscard]] Commands draw_film_strip(const Context& context, const Box& room);
// What a key or a click does to the film that plays. `pressed`: what the keys mean without one.
[[nodiscard]] Commands film_keys(const Context& context, Commands pressed);

// A line below the window's picture that says what it shows: for films, which are looked at without
// the program.

// Takes its room from the window's foot: call it before draw(). The room is there from the next
// frame on.
void draw_caption(const Context& context);

}  // namespace tilestep::ui
