// The inspector's pages, one source file each.
#pragma once

#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

[[nodiscard]] Commands draw_thread_page(const Context& context);
[[nodiscard]] Commands draw_warp_page(const Context& context);
[[nodiscard]] Commands draw_memory_page(const Context& context);

// The text of a value, or the sign of a missing one ("–", "optimised out").
[[nodiscard]] std::string value_text(const simt::Program& program, const record::Value& value);

// The focus thread's variables, its warp, shared memory, findings.

[[nodiscard]] Commands draw_inspector(const Context& context);

}  // namespace tilestep::ui
