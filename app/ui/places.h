// From a place that was named to the commands that go there.
#pragma once

#include "insight/events/go_to.h"
#include "ui/panel.h"

namespace tilestep::ui {

// Needs a scene.
[[nodiscard]] Commands commands_to(const Context& context, const insight::GoTo& place);

}  // namespace tilestep::ui
