// An off-screen window for render tests, and the colors of its pixels.
#pragma once

#include "folders.h"
#include "platform/window.h"

#include <array>
#include <cstdlib>
#include <string>

namespace tilestep::test {

inline platform::WindowOptions off_screen_options(int width, int height) {
  platform::WindowOptions options;
  options.width = width;
  options.height = height;
  options.off_screen = true;
  options.fonts = tilestep::test::share_folder() / "fonts";
  options.shaders = tilestep::test::source_folder() / "shaders";
  return options;
}

struct Pixel {
  int r = 0;
  int g = 0;
  int b = 0;
};

inline Pixel pixel(const platform::Image& image, int x, int y) {
  const auto i = (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                  static_cast<std::size_t>(x)) *
                 4;
  return {image.rgba.at(i), image.rgba.at(i + 1), image.rgba.at(i + 2)};
}

// Equal within 2/255 per channel: the tolerance for drivers.
inline bool is_near(Pixel p, ImU32 colour) {
  const auto channel = [colour](int shift) {
    return static_cast<int>((colour >> static_cast<unsigned>(shift)) & 0xffU);
  };
  return std::abs(p.r - channel(IM_COL32_R_SHIFT)) <= 2 &&
         std::abs(p.g - channel(IM_COL32_G_SHIFT)) <= 2 &&
         std::abs(p.b - channel(IM_COL32_B_SHIFT)) <= 2;
}

inline std::string to_string(Pixel p) {
  return "(" + std::to_string(p.r) + ", " + std::to_string(p.g) + ", " + std::to_string(p.b) + ")";
}

}  // namespace tilestep::test
