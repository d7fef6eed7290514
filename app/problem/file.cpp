#include "problem/file.h"

#include "problem/posix.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

namespace tilestep::problem {

namespace fs = std::filesystem;

namespace {

// Larger than any input of a launch that runs here; a sparse file may claim terabytes.
constexpr std::size_t kLargestFile =
    std::min(std::uint64_t{4} << 30U, std::uint64_t{std::numeric_limits<std::size_t>::max() / 4});

const char* cure(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG
             ? tr("Free some space, then try again")
             : tr("Choose a path that exists and is writable");
}

tl::unexpected<Error> not_written(const fs::path& file, int error) {
  return fail(
      tr("{}: cannot be written: {}. {}.", file.string(), std::strerror(error), cure(error)));
}

// Returns 0, or the errno of the failure.
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
  // EINVAL: a pipe or a device, which stores nothing.
  return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
}

// Owns an open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  // Returns 0 or errno: some file systems report a full disk only here.
  [[nodiscard]] int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

int write_to(const fs::path& file, int flags, std::string_view bytes, fs::perms mode, Keep keep) {
  Descriptor out(::open(file.string().c_str(), O_WRONLY | O_CLOEXEC | flags,
                        static_cast<mode_t>(mode & fs::perms::mask)));
  if (!out.is_open()) {
    return errno;
  }
  const int error = write_bytes(out.number(), bytes, keep);
  const int closed = out.close();
  return error != 0 ? error : closed;
}

// Whether the path names an open descriptor of this process: /dev/stdin, /dev/fd/63,
// /proc/self/fd/1.
bool names_descriptor(fs::path file) {
  std::error_code none;
  const fs::path own = fmt::format("/proc/{}/fd", ::getpid());
  constexpr int kMostLinks = 40;  // the kernel's own limit
  for (int links = 0; links < kMostLinks; ++links) {
    if (fs::weakly_canonical(file.parent_path(), none) == own) {
      return true;
    }
    const fs::path target = fs::read_symlink(file, none);  // /dev/stdin → /proc/self/fd/0
    if (target.empty()) {
      return false;
    }
    file = file.parent_path() / target;
  }
  return false;
}

// The reason not to read the file's bytes; null: none.
const char* unreadable_kind(const fs::path& file, mode_t mode) {
  if (S_ISDIR(mode)) {
    return tr("a folder");
  }
  if (S_ISCHR(mode) || S_ISBLK(mode)) {
    return tr("a device");
  }
  if (S_ISSOCK(mode)) {
    return tr("a socket");
  }
  return S_ISFIFO(mode) && !names_descriptor(file) ? tr("a named pipe") : nullptr;
}

tl::unexpected<Error> not_read(const fs::path& file, int error) {
  return fail(tr("{} cannot be read: {}. {}.", file.string(), std::strerror(error),
                 error == ENOENT || error == ENOTDIR ? tr("Check the path")
                 : error == EACCES                   ? tr("Change its permissions")
                                                     : tr("Name another file")));
}

// Waits until the writer of a pipe closes it.
Result<std::string> read_bytes(const Descriptor& in, const fs::path& file) {
  ::fcntl(in.number(), F_SETFL, 0);
  std::string text;
  constexpr std::size_t kPart = std::size_t{1} << 16U;
  const auto part = std::make_unique_for_overwrite<char[]>(kPart);
  while (true) {
    const ssize_t count = ::read(in.number(), part.get(), kPart);
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return not_read(file, errno);
    }
    text.append(part.get(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (text.size() > kLargestFile) {
      return fail(
          tr("{} is larger than {} GiB. Name a smaller file.", file.string(), kLargestFile >> 30U));
    }
  }
}

}  // namespace

#ifdef __EMSCRIPTEN__
// The page's script (app/page.html) implements this; node has none.
// clang-format off
EM_JS(int, page_fetches, (const char* path), {
  return Module.tilestep?.fetches(UTF8ToString(path)) ? 1 : 0;
})
EM_JS(int, page_fetched, (), { return Module.tilestep?.fetched ?? 0; })
// clang-format on

int files_fetched() {
  return page_fetched();
}

static bool is_fetched_now(const fs::path& file) {
  return page_fetches(file.c_str()) != 0;
}
#else
int files_fetched() {
  return 0;
}

static bool is_fetched_now(const fs::path& /*file*/) {
  return false;
}
#endif

Result<std::string> read_file(const fs::path& file) {
  if (file.empty()) {
    return fail(tr("The file's name is empty. Name a file."));
  }
  if (is_fetched_now(file)) {
    throw FileAwaited();
  }
#ifdef _WIN32
  if (file == "/dev/stdin") {  // a name that other systems have
    return read_bytes(Descriptor(::dup(STDIN_FILENO)), file);
  }
#endif
  // Checked before the file is opened, because opening a device may have an effect, and after,
  // because the name may refer to another file by then.
  struct stat status {};
  const auto refusal = [&]() -> std::optional<Error> {
    const char* const kind = unreadable_kind(file, status.st_mode);
    return kind == nullptr ? std::nullopt
                           : std::optional(Error{
                                 tr("{} is {}, not a file. Name a file.", file.string(), kind)});
  };
  if (::stat(file.string().c_str(), &status) == 0) {
    if (const auto refused = refusal()) {
      return tl::unexpected(*refused);
    }
  }
  // O_NONBLOCK: a named pipe without a writer opens at once.
  const Descriptor in(::open(file.string().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!in.is_open() || ::fstat(in.number(), &status) != 0) {
    return not_read(file, errno);
  }
  if (const auto refused = refusal()) {
    return tl::unexpected(*refused);
  }
  return read_bytes(in, file);
}

Result<void> write_file(const fs::path& file, std::string_view bytes, Keep keep) {
  if (file.empty()) {
    return fail(tr("The name of the file to write is empty. Name a file."));
  }
  if (file == "-") {
    return fail(tr("'-' is not a file. Name one, or /dev/stdout for standard output."));
  }
  std::error_code error;
  const fs::file_status old = fs::status(file, error);
  const bool is_special = fs::exists(old) && !fs::is_regular_file(old) && !fs::is_directory(old);
  if (is_special || names_descriptor(file)) {
    const int failed = write_to(file, O_APPEND, bytes, old.permissions(), keep);
    return failed == 0 ? Result<void>{} : not_written(file, failed);
  }
  const fs::path real = fs::is_symlink(file, error) ? fs::weakly_canonical(file, error) : file;
  constexpr auto kReadable = static_cast<fs::perms>(0644);
  fs::path beside = real;  // unique per thread and process
  beside += fmt::format(".{}{}", ::gettid(), kUnfinishedFile);
  fs::remove(beside, error);  // left by a killed process with the same number
  const int failed = write_to(beside, O_CREAT | O_EXCL, bytes,
                              fs::is_regular_file(old) ? old.permissions() : kReadable, keep);
  if (failed == 0) {
    fs::rename(beside, real, error);
    if (!error) {
      return {};
    }
  }
  std::error_code ignored;
  fs::remove(beside, ignored);
  return failed != 0 ? not_written(file, failed)
                     : fail(tr("{}: cannot be replaced: {}. {}.", file.string(),
                               std::strerror(error.value()), cure(error.value())));
}

Result<void> append_to_file(const fs::path& file, std::string_view bytes) {
  // O_NONBLOCK: a named pipe without a reader fails at once.
  Descriptor out(
      ::open(file.string().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644));
  struct stat old {};
  if (!out.is_open() || ::fstat(out.number(), &old) != 0) {
    return not_written(file, errno);
  }
  int error = write_bytes(out.number(), bytes, Keep::WhileRunning);
  if (error != 0) {
    // Half a line would spoil the next one. If truncation fails, the file stays as it is.
    static_cast<void>(::ftruncate(out.number(), old.st_size) == 0);
  }
  const int closed = out.close();
  error = error != 0 ? error : closed;
  return error == 0 ? Result<void>{} : not_written(file, error);
}

}  // namespace tilestep::problem
