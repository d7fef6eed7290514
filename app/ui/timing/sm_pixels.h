// What each pixel of an SM's rows shows, for the page of one SM.
#pragma once

#include "ui/timing/sm_rows.h"
#include "workspace/shown_sm.h"

#include <array>
#include <cstddef>
#include <vector>

namespace tilestep::ui {

using clock::kSchedulers;

// Pixels of a row in which the warp is mostly in one state.
struct Piece {
  float left = 0.0F;
  float right = 0.0F;
  clock::WarpState state = clock::WarpState::Wait;
};
// Pixels with a share of issue slots, 0 to 1.
struct Level {
  float left = 0.0F;
  float right = 0.0F;
  float level = 0.0F;
};

// All pixels; remade when the run or the view changes.
struct SmPixels {
  std::vector<std::size_t> warps;          // by row: index in the run
  std::vector<std::vector<Piece>> states;  // by row
  std::vector<std::vector<Level>> issues;  // by row
  std::array<std::vector<Level>, kSchedulers> schedulers;
  std::vector<Level> stage;
};

// `width`: pixels.
[[nodiscard]] SmPixels make_pixels(const workspace::ShownSm& sm, const state::SmView& view,
                                   ClockRange range, float width);

}  // namespace tilestep::ui
