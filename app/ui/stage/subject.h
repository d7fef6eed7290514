// What a lesson's beat is about, where that decides what is large on the stage.
#pragma once

#include "ui/panel.h"
#include "ui/stage/sheet.h"

namespace tilestep::ui {

// A scene that points at matrices alone, or a question for an element of one.
[[nodiscard]] bool is_about_matrices(const Context& context, const StageShape& shape);

}  // namespace tilestep::ui
