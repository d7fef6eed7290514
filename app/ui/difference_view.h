// What was changed in the text: beside the file's own, line by line.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

void draw_difference(const Context& context);

}  // namespace tilestep::ui
