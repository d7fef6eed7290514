#include "platform/image.h"

#include "platform/error.h"
#include "platform/window.h"

#include <fmt/format.h>

#include <system_error>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace tilestep::platform {

void write_png(const Image& image, const std::filesystem::path& file) {
  // Written beside and renamed: a full disk leaves the old picture.
  std::filesystem::path beside = file;
  beside += ".part";
  const int written = stbi_write_png(beside.c_str(), image.width, image.height, 4,
                                     image.rgba.data(), image.width * 4);
  std::error_code error;
  if (written != 0) {
    std::filesystem::rename(beside, file, error);
  }
  if (written == 0 || error) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw PlatformError(fmt::format(
        "{}: the picture cannot be written{}. Choose an existing folder that you can write to.",
        file.string(), error ? " (" + error.message() + ")" : ""));
  }
}

std::string save_picture(const Image& image, const std::filesystem::path& folder) {
  std::filesystem::path file;
  std::error_code ignored;
  for (int number = 1; file.empty() || std::filesystem::exists(file, ignored); ++number) {
    file = folder / fmt::format("tilestep-{}.png", number);
  }
  try {
    write_png(image, file);
  } catch (const PlatformError& error) {
    return error.what();
  }
  return fmt::format("Saved as {}", file.string());
}

}  // namespace tilestep::platform
