#include "problem/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tilestep::problem {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& file) {
  std::error_code ignored;
  const fs::file_type type = fs::status(file, ignored).type();
  if (type == fs::file_type::directory) {
    return fail(fmt::format("{} is a folder, not a file.", file.string()));
  }
  if (type == fs::file_type::character || type == fs::file_type::block) {
    return fail(fmt::format("{} is a device, not a file.", file.string()));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    return fail(fmt::format("{} cannot be read: {}.", file.string(), std::strerror(errno)));
  }
  return text;
}

}  // namespace tilestep::problem
