// Builds of a kernel: chosen from a list, and what is said where the fast one stands on stage.
#pragma once

#include "problem/launch/launch.h"
#include "problem/words.h"
#include "simt/machine/program.h"

#include <optional>

namespace tilestep::ui {

// What of it cannot be seen.
inline constexpr Message kFastBuildSentence =
    "The fast build keeps no variable under its name, and a line's work stands where the compiler "
    "put it. Declared arrays, accesses and sums are followed all the same.";

// … in a line.
inline constexpr Message kFastBuildLine =
    "Fast build: variables have no names, lines run in the compiler's order.";

[[nodiscard]] bool is_fast_build(const simt::Program& program);

// `width`: in lines of text. The build that was chosen in this frame.
[[nodiscard]] std::optional<problem::Build> build_choice(const char* label, problem::Build now,
                                                         float width);

}  // namespace tilestep::ui
