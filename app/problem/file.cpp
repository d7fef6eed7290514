#include "problem/file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace tilestep::problem {

namespace fs = std::filesystem;

namespace {

const char* cure(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG
             ? "Free some space, then try again"
             : "Choose a place that exists and can be written to";
}

tl::unexpected<Error> not_written(const fs::path& file, const char* what, int error) {
  return fail(
      fmt::format("{}: {}: {}. {}.", file.string(), what, std::strerror(error), cure(error)));
}

// 0, or errno of what failed.
int write_bytes(int descriptor, std::string_view bytes, Keep keep) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  if (keep == Keep::WhileRunning) {
    return 0;
  }
  // EINVAL: a pipe or a device, which keeps nothing.
  return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
}

int write_to(const fs::path& file, std::string_view bytes, fs::perms mode, Keep keep) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                                static_cast<mode_t>(mode & fs::perms::mask));
  if (descriptor < 0) {
    return errno;
  }
  const int error = write_bytes(descriptor, bytes, keep);
  return ::close(descriptor) != 0 && error == 0 ? errno : error;
}

}  // namespace

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
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    return fail(fmt::format("{} cannot be read: {}.", file.string(), std::strerror(errno)));
  }
  return text;
}

Result<void> write_file(const fs::path& file, std::string_view bytes, Keep keep) {
  std::error_code error;
  const fs::file_status old = fs::status(file, error);
  if (fs::exists(old) && !fs::is_regular_file(old) && !fs::is_directory(old)) {
    const int failed = write_to(file, bytes, old.permissions(), keep);
    return failed == 0 ? Result<void>{} : not_written(file, "cannot be written", failed);
  }
  const fs::path real = fs::is_symlink(file, error) ? fs::weakly_canonical(file, error) : file;
  constexpr auto kReadable = static_cast<fs::perms>(0644);
  fs::path beside = real;  // another thread's or process's is another file
  beside += fmt::format(".{}{}", ::gettid(), kUnfinishedFile);
  const int failed =
      write_to(beside, bytes, fs::is_regular_file(old) ? old.permissions() : kReadable, keep);
  if (failed == 0) {
    fs::rename(beside, real, error);
    if (!error) {
      return {};
    }
  }
  std::error_code ignored;
  fs::remove(beside, ignored);
  return failed != 0 ? not_written(file, "cannot be written", failed)
                     : not_written(file, "cannot be replaced", error.value());
}

}  // namespace tilestep::problem
