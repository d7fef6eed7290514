// Every colour by what it means, for a dark and a light room.
//
// Colours of blocks, reads and writes are Okabe and Ito's colour-blind safe set (jfly.uni-koeln.de/
// color), darkened where a light background needs it; none of them is ever the only sign. Every
// pair of text and background that is drawn stands in text_pairs(), and a test holds each of them
// to a contrast of at least 4.5:1 (WCAG 2.1, 1.4.3).
#pragma once

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
  Fill read, write;  // touched by the current statement
  ImU32 focus;       // outline of the focus thread's cells
  ImU32 breakpoint;
  Fill current_line;
  // phases on the timeline and in the headline
  Fill phase_load, phase_multiply, phase_store, phase_other;
  SyntaxColours syntax;
  std::array<ImU32, 5> blocks;
};

[[nodiscard]] const Theme& theme(state::Theme which);

// Neighbouring blocks, diagonals included, never share a colour.
[[nodiscard]] ImU32 block_colour(const Theme& theme, problem::Dim3 block);
[[nodiscard]] Fill phase_colour(const Theme& theme, record::PhaseKind kind);

// Opaque colour: `share` of b over a, in sRGB. 0 gives a.
[[nodiscard]] ImU32 mix(ImU32 a, ImU32 b, float share);
[[nodiscard]] ImU32 with_alpha(ImU32 colour, float alpha);
// A cell of a block, tinted with the block's colour; its text stays theme.cell.text.
[[nodiscard]] Fill block_cell(const Theme& theme, problem::Dim3 block);

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
