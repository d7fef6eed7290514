// A line below the window's picture that says what it shows: for films, which are looked at without
// the program.
#pragma once

#include "ui/panel.h"

#include <string>

namespace tilestep::ui {

// Takes its room from the window's foot: call it before draw(). The room is there from the next
// frame on.
void draw_caption(const Context& context);

// "Tiled (shared memory) · 8×8×8 · BLOCK_SIZE 4" and "phase 2 of 5: multiply tile 0 · statement 31
// of 120".
[[nodiscard]] std::string caption_of_launch(const Context& context);
[[nodiscard]] std::string caption_of_place(const Context& context);

}  // namespace tilestep::ui
