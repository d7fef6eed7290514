// Window sizes for testing layouts.
#pragma once

#include <algorithm>

namespace tilestep::test {

struct Screen {
  int width = 1920;
  int height = 1080;
  float scale = 1.0F;
};

// Height of a line of text in pixels, as the window chooses it.
inline float font_of(const Screen& screen) {
  return 18.0F * screen.scale * std::min(1.0F, static_cast<float>(screen.height) / 900.0F);
}

}  // namespace tilestep::test
