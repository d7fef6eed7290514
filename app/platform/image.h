// Pixels, and PNG files of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::platform {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<unsigned char> rgba;  // top row first
};

void write_png(const Image& image, const std::filesystem::path& file);  // throws PlatformError
// As tilestep-1.png, or the next number that is free; the sentence says where, or why not.
[[nodiscard]] std::string save_picture(const Image& image, const std::filesystem::path& folder);

}  // namespace tilestep::platform
