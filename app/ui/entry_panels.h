// One-line fields over the stage: where to go (Ctrl+G), the condition of a breakpoint, a file to
// save to. All say below the field what is wrong, and keep what was typed.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Called every frame; they decide by AppState whether they show.
[[nodiscard]] Commands draw_go_to(const Context& context);
[[nodiscard]] Commands draw_condition(const Context& context);
[[nodiscard]] Commands draw_save_as(const Context& context);

}  // namespace tilestep::ui
