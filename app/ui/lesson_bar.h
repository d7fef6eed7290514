// The bar at the top while a lesson is open: its name, where in it one is, its beats as dots, and
// the set-up behind a button.
#pragma once

#include "ui/panel.h"

#include <functional>

namespace tilestep::ui {

// Of a frame with a lesson. `setup` draws what may be changed, in a popup.
[[nodiscard]] Commands draw_lesson_bar(const Context& context,
                                       const std::function<void(Commands& made)>& setup);

// "tiled 8,8,8/4"
[[nodiscard]] std::string setup_words(const Context& context, const state::Setup& setup);
// "scene 4 of 8", "question 1 of 3"
[[nodiscard]] std::string beat_words(const Context& context);

}  // namespace tilestep::ui
