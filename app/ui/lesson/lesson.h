// An open lesson: its bar, its panel and labs, the list of lessons, the lecture, the notes.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <functional>

namespace tilestep::ui {

// The beats of the lesson that is open, as dots: done filled, the current one ringed, questions
// with their sign.
enum class DotsAt { Left, Middle };

// In the window that has begun; a click goes to the beat. Closer together where there is little
// room.
[[nodiscard]] Commands draw_beat_dots(const Context& context, const Box& box, DotsAt at);

// The bar at the top while a lesson is open: its name, where in it one is, its beats as dots, and
// the set-up behind a button.

// Needs an open lesson. `setup` draws what may be changed, in a popup.
[[nodiscard]] Commands draw_lesson_bar(const Context& context,
                                       const std::function<void(Commands& made)>& setup);

// "tiled 8,8,8/4"
[[nodiscard]] std::string setup_words(const Context& context, const state::Setup& setup);
// "scene 4 of 8", "question 1 of 3"
[[nodiscard]] std::string beat_words(const Context& context);

// The list of lessons, over everything: arrows and Enter, or a click, open one.

// Called every frame; decides by AppState whether it shows.
[[nodiscard]] Commands draw_lesson_list(const Context& context);

// The lesson that is open, beside the stage: what the beat says, and the button for the next one.

// Needs an open lesson.
[[nodiscard]] Commands draw_lesson(const Context& context);
// What all of its words take, or its buttons beside them, in a panel that wide within its padding;
// pixels.
[[nodiscard]] float lesson_height(const Context& context, float width);

// A lab of the lesson that is open: its rows with what became of them, why the first one failed,
// and the buttons that grade and reset the text.

[[nodiscard]] inline bool has_lab(const Context& context) {
  return context.view.lesson != nullptr && context.view.lesson->lab != nullptr;
}

// The same in a sentence or two, for a lecture; empty: nothing is graded.
[[nodiscard]] std::string lab_result_words(const Context& context);

// The layout for a hall: no bars and no panels, the stage large, the current lines, the sum, and
// the phases as dots.

[[nodiscard]] Commands draw_lecture(const Context& context, const Box& window);

// What a lecture with a lesson says: one sentence a beat above the stage. A film says the same.

// Within the window that has begun: where one is, and the first paragraph of the beat's text, as
// much of it as two lines hold; of a question what it asks. Of a frame with a lesson.
void draw_lecture_words(const Context& context, const Box& box);
// The same and the beats as dots in windows of their own, around what is returned.
[[nodiscard]] Box draw_lecture_frame(const Context& context, const Box& window, Commands& commands);

// The lecturer's window: note, hint, next beat, clock, minutes left, keys. The hall never sees it:
// it is a window of the desktop's own (program/window_loop.cpp).

// One frame of that window, all of it; with a lesson.
void draw_notes(const Context& context);

}  // namespace tilestep::ui
