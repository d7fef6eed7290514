// Above the source: the file's name, what can be done with it, and what is asked about it.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

[[nodiscard]] Commands draw_source_header(const Context& context);

// Whether the text on screen is another than the file's own.
[[nodiscard]] bool is_changed(const Context& context);

}  // namespace tilestep::ui
