// Every colour by what it means, for a dark and a light room.
//
// Three channels that never mix: fill and digits say whose number it is (blue from A, rose from B,
// yellow a sum), outlines say which block or thread, hatching and signs say good, bad or absent. On
// the Step tab nothing else is blue, rose or yellow, and no colour is ever the only sign. Every
// pair of text and background that is drawn is in text_pairs(), and a test holds each of them
// to a contrast of at least 4.5:1 (WCAG 2.1, 1.4.3).
#pragma once

#include "insight/trace/accumulators.h"
#include "problem/problem.h"
#include "record/recording.h"
#include "state/app_state.h"

#include <imgui.h>

#include <array>
#include <cstdint>
#include <vector>

namespace tilestep::ui {

// 0xRRGGBB, opaque.
[[nodiscard]] constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32((hex >> 16U) & 0xffU, (hex >> 8U) & 0xffU, hex & 0xffU, 0xffU);
}

// A fill and the text that is legible on it.
struct Fill {
  ImU32 fill = 0;
  ImU32 text = 0;
};

struct RoleColours {
  ImU32 line = 0;  // as text and as a ring on a surface
  Fill tint;       // a cell that holds such a number
  Fill solid;      // a cell that was just written
};

struct SyntaxColours {
  ImU32 text, keyword, type, number, string, comment, preprocessor, function;
};

struct Theme {
  bool dark = true;
  // surfaces, from back to front
  ImU32 window, panel, raised, field, hover, border;
  // text on any surface
  ImU32 text, text_dim;
  // what can be pressed, what is chosen
  Fill accent;
  ImU32 accent_text;  // accent-coloured text on a surface
  Fill selected;      // chosen row, current tab
  // meaning of a result
  ImU32 good, warning, bad;  // as text and signs on a surface
  Fill fault;                // as a fill: a faulty cell, an error's banner
  // matrix cells
  Fill cell;        // holds a value
  Fill cell_empty;  // never written
  ImU32 cell_border, hatch;
  std::array<RoleColours, 4> roles;  // by insight::ValueRole
  ImU32 focus;                       // outline of the focus thread's cells
  ImU32 breakpoint;
  Fill current_line;
  // phases on the timeline: to come, over, current
  Fill phase, phase_done, phase_now;
  SyntaxColours syntax;
  std::array<ImU32, 4> blocks;
};

[[nodiscard]] const Theme& theme(state::Theme which);

// Neighbouring blocks, diagonals included, never share a colour.
[[nodiscard]] ImU32 block_colour(const Theme& theme, problem::Dim3 block);
[[nodiscard]] const RoleColours& role_colours(const Theme& theme, insight::ValueRole role);
// The sign before a phase's name: phases have no hue.
[[nodiscard]] const char* phase_sign(record::PhaseKind kind);

// Opaque colour: `share` of b over a, in sRGB. 0 gives a.
[[nodiscard]] ImU32 mix(ImU32 a, ImU32 b, float share);
[[nodiscard]] ImU32 with_alpha(ImU32 colour, float alpha);

// WCAG 2.1 contrast ratio of two opaque colours, 1..21.
[[nodiscard]] double contrast(ImU32 a, ImU32 b);
struct TextPair {
  const char* what;
  ImU32 text;
  ImU32 background;
};
[[nodiscard]] std::vector<TextPair> text_pairs(const Theme& theme);

// Sets ImGui's style from the theme, sizes from the font size.
void apply_style(const Theme& theme, float font_size);

}  // namespace tilestep::ui
