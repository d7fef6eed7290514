// Pixels, and PNG files of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::platform {

// A picture with 8 bits per channel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<unsigned char> rgba;  // top row first
};

[[nodiscard]] std::string png_of(const Image& image);                   // throws PlatformError
void write_png(const Image& image, const std::filesystem::path& file);  // throws PlatformError

}  // namespace tilestep::platform
