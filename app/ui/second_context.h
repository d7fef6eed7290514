// Side 2 of a comparison, as a panel's context.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// Of a frame that has one (FrameView::beside). What its panels remember is apart from side 1's.
[[nodiscard]] Context second_context(const Context& context);

}  // namespace tilestep::ui
