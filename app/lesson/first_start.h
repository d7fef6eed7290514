// What the window opens with when nothing is asked for: the tiled kernel in the middle of its first
// tile, so that something is lit, the sum has three terms and the next key has an effect.
#pragma once

#include "lesson/place.h"
#include "state/app_state.h"

namespace tilestep::lesson {

struct FirstStart {
  state::AppState state;
  Place place;  // the third product of tile 0
};
[[nodiscard]] FirstStart first_start();

}  // namespace tilestep::lesson
