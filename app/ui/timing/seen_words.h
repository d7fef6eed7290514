// What kernels are called, and where a cause is seen, in words and as commands that go there.
#pragma once

#include "analysis/compare_points.h"
#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

// For people; the id where the catalog has none: cuBLAS's is "cublas".
[[nodiscard]] std::string kernel_title(const Context& context, const std::string& id);

// "Show line 29"
[[nodiscard]] std::string seen_face(const analysis::SeenAt& seen);
// One sentence; `name` is the launch's.
[[nodiscard]] std::string seen_tooltip(const analysis::SeenAt& seen, const std::string& name);
[[nodiscard]] Commands go_to_seen(const Context& context, const analysis::SeenAt& seen,
                                  const state::TimedPoint& point);

}  // namespace tilestep::ui
