// One-line fields over the stage: where to go (Ctrl+G), the condition of a breakpoint, the path of
// a file, the name of a session. They say below the field what is wrong, and keep what was typed.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Called every frame; they decide by AppState whether they show.
[[nodiscard]] Commands draw_go_to(const Context& context);
[[nodiscard]] Commands draw_condition(const Context& context);
[[nodiscard]] Commands draw_asked(const Context& context);
[[nodiscard]] Commands draw_save_as(const Context& context);

}  // namespace tilestep::ui
