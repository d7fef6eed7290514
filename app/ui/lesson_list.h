// The list of lessons, over everything: arrows and Enter, or a click, open one.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Called every frame; decides by AppState whether it shows.
[[nodiscard]] Commands draw_lesson_list(const Context& context);

}  // namespace tilestep::ui
