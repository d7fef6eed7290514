// Every color by its meaning, for a dark and a light room.
//
// Three channels are independent: fill and digits show whose number it is (blue from A, rose from
// B, yellow a sum), outlines show which block or thread, hatching and signs show good, bad or
// absent. On the Step tab nothing else is blue, rose or yellow, and no color is ever the only sign.
// text_pairs() lists every pair of text and background, and a test requires a contrast of at least
// 4.5:1 for each (WCAG 2.1, 1.4.3).
#pragma once

#include "clock/sm.h"
#include "insight/trace/accumulators.h"
#include "problem/problem.h"
#include "record/recording.h"
#include "state/app_state.h"

#include <imgui.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::ui {

// 0xRRGGBB, opaque.
[[nodiscard]] constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32((hex >> 16U) & 0xffU, (hex >> 8U) & 0xffU, hex & 0xffU, 0xffU);
}

// A fill and a text color that is legible on it.
struct Fill {
  ImU32 fill = 0;
  ImU32 text = 0;
};

// The colors of the numbers of one matrix role.
struct RoleColours {
  ImU32 line = 0;  // as text and as a ring on a surface
  Fill tint;       // a cell that holds such a number
  Fill solid;      // a cell that was just stored
};

struct SyntaxColours {
  ImU32 text, keyword, type, number, string, comment, preprocessor, function;
};

struct Theme {
  bool dark = true;
  // Surfaces, from back to front.
  ImU32 window, panel, raised, field, hover, border;
  // Text on any surface.
  ImU32 text, text_dim;
  // Buttons and selections.
  Fill accent;
  ImU32 accent_text;  // accent-colored text on a surface
  Fill selected;      // chosen row, current tab
  // Results.
  ImU32 good, warning, bad;  // as text and signs on a surface
  Fill fault;                // as a fill: a faulty cell, an error's banner
  // Matrix cells.
  Fill cell;        // holds a value
  Fill cell_empty;  // never stored
  ImU32 cell_border, hatch;
  std::array<RoleColours, 4> roles;  // by insight::ValueRole
  ImU32 focus;                       // outline of the focus thread's cells
  ImU32 breakpoint;
  Fill current_line;
  // Phases on the timeline: later, over, current.
  Fill phase, phase_done, phase_now;
  SyntaxColours syntax;
  std::array<ImU32, 4> blocks;
  // By clock::WarpState: fills side by side, without words between them.
  std::array<ImU32, clock::kWarpStates> states;
};

[[nodiscard]] const Theme& theme(state::Theme which);

// Neighboring blocks, diagonals included, have different colors.
[[nodiscard]] ImU32 block_colour(const Theme& theme, problem::Dim3 block);
[[nodiscard]] const RoleColours& role_colours(const Theme& theme, insight::ValueRole role);
// The sign before a phase's name: phases have no hue.
[[nodiscard]] const char* phase_sign(record::PhaseKind kind);

// Opaque color: `share` of b over a, in sRGB. 0 gives a.
[[nodiscard]] ImU32 mix(ImU32 a, ImU32 b, float share);
[[nodiscard]] ImU32 with_alpha(ImU32 colour, float alpha);

// WCAG 2.1 contrast ratio of two opaque colors, 1..21.
[[nodiscard]] double contrast(ImU32 a, ImU32 b);
// A text color and the background that it is drawn on.
struct TextPair {
  const char* what;
  ImU32 text;
  ImU32 background;
};
[[nodiscard]] std::vector<TextPair> text_pairs(const Theme& theme);

// Two colors that mean different things side by side, and what else says which is which; null: the
// colors alone, so that they must differ for color-blind readers, too (tests/ui/theme_test.cpp).
struct ColourPair {
  std::string what;
  ImU32 a;
  ImU32 b;
  const char* other_sign = nullptr;
};
[[nodiscard]] std::vector<ColourPair> colour_pairs(const Theme& theme);

// Sets ImGui's style from the theme, sizes from the font size.
void apply_style(const Theme& theme, float font_size);

}  // namespace tilestep::ui
