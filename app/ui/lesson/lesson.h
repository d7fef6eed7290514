// An open lesson: its bar, panel and labs, the list of lessons, the lecture, the notes.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <functional>

namespace tilestep::ui {

// The beats of the open lesson as dots: done filled, the current one ringed, questions with their
// sign.
enum class DotsAt { Left, Middle };

// Draws into the current window; a click goes to the beat. Dots are closer if there is little room.
[[nodiscard]] Commands draw_beat_dots(const Context& context, const Box& box, DotsAt at);

// The bar at the top while a lesson is open: its name, the position in it, its beats as dots, and a
// button for the setup.

// Requires an open lesson. `setup` draws the settings in a popup.
[[nodiscard]] Commands draw_lesson_bar(const Context& context,
                                       const std::function<void(Commands& made)>& setup);

// "tiled 8,8,8/4"
[[nodiscard]] std::string setup_words(const Context& context, const state::Setup& setup);
// "scene 4 of 8", "question 1 of 3"
[[nodiscard]] std::string beat_words(const Context& context);

// The list of lessons, over everything: arrows and Enter, or a click, open one.

// Called every frame; AppState decides whether it is shown.
[[nodiscard]] Commands draw_lesson_list(const Context& context);

// The panel of the open lesson beside the stage: the beat's text, and the button for the next one.

// Requires an open lesson. With `is_source_hidden`, a lab has a button that edits the source.
[[nodiscard]] Commands draw_lesson(const Context& context, bool is_source_hidden);
// The lesson's recap is on screen: the next beat is the next lesson.
[[nodiscard]] inline bool has_recap(const Context& context) {
  return context.view.lesson != nullptr && context.view.lesson->scene != nullptr &&
         context.view.lesson->scene->recap.has_value();
}
// "Next lesson: Edges"; of the last lesson "All lessons".
[[nodiscard]] std::string next_lesson_words(const Context& context);
// The height in pixels of all its words, or of its buttons if larger, in a panel of that width
// within its padding.
[[nodiscard]] float lesson_height(const Context& context, float width);

// A lab of the open lesson: its rows with their results, why the first one failed, and the buttons
// that grade and reset the text.

[[nodiscard]] inline bool has_lab(const Context& context) {
  return context.view.lesson != nullptr && context.view.lesson->lab != nullptr;
}

// The result in a sentence or two, for a lecture; empty: nothing is graded.
[[nodiscard]] std::string lab_result_words(const Context& context);

// The lecture layout: no bars and no panels, the stage large, the current lines, the sum, and the
// phases as dots.

[[nodiscard]] Commands draw_lecture(const Context& context, const Box& window);

// The words of a lesson in a lecture: one sentence per beat above the stage. A film uses the same.

// Draws into the current window: the position, and the first paragraph of the beat's text, up to
// two lines; for a question its text; a recap as a whole. Requires a frame with a lesson.
Commands draw_lecture_words(const Context& context, const Box& box);
// The same and the beats as dots, in windows of their own; returns the room that is left.
[[nodiscard]] Box draw_lecture_frame(const Context& context, const Box& window, Commands& commands);

// The lecturer's window: note, hint, next beat, clock, minutes left, keys. The audience does not
// see it: it is a separate desktop window (program/window_loop.cpp).

// Draws one whole frame of that window. Requires a lesson.
void draw_notes(const Context& context);

}  // namespace tilestep::ui
