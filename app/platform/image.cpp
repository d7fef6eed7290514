#include "platform/image.h"

#include "platform/error.h"
#include "platform/window.h"
#include "problem/file.h"

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
  std::string png;
  const auto append = [](void* to, void* bytes, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes),
                                          static_cast<std::size_t>(size));
  };
  const int made = stbi_write_png_to_func(append, &png, image.width, image.height, 4,
                                          image.rgba.data(), image.width * 4);
  if (made == 0) {
    throw PlatformError(
        fmt::format("{}: {} × {} pixels cannot be encoded as PNG. Choose "
                    "another size.",
                    file.string(), image.width, image.height));
  }
  if (const Result<void> written = problem::write_file(file, png); !written) {
    throw PlatformError(written.error().message);
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
