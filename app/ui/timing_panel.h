// The Timing tab: speed against cuBLAS in several views, and the reasons behind every point. Fills
// the window under the top bar.
#pragma once

#include "ui/panel.h"

namespace tilestep::ui {

// The child window of the page: plot or table.
inline constexpr const char* kPlotChild = "plot";

[[nodiscard]] Commands draw_timing(const Context& context);

}  // namespace tilestep::ui
