#include "platform/image.h"

#include "platform/error.h"
#include "platform/window.h"
#include "problem/file.h"
#include "problem/tr.h"

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

std::string png_of(const Image& image) {
  std::string png;
  const auto append = [](void* to, void* bytes, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes),
                                          static_cast<std::size_t>(size));
  };
  const int made = stbi_write_png_to_func(append, &png, image.width, image.height, 4,
                                          image.rgba.data(), image.width * 4);
  if (made == 0) {
    throw PlatformError(tr("{} × {} pixels cannot be encoded as PNG. Choose another size.",
                           image.width, image.height));
  }
  return png;
}

void write_png(const Image& image, const std::filesystem::path& file) {
  if (const Result<void> written = problem::write_file(file, png_of(image)); !written) {
    throw PlatformError(written.error().message);
  }
}

}  // namespace tilestep::platform
