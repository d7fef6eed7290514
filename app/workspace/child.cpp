#include "workspace/child.h"

#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace tilestep::workspace {
namespace {

constexpr int kShellsBase = 128;
constexpr std::chrono::milliseconds kAskAgain{10};

// A file without a name, deleted with its last descriptor.
OwnedDescriptor memory_file(const char* name) {
  return OwnedDescriptor(::memfd_create(name, MFD_CLOEXEC));
}

std::string all_of(const OwnedDescriptor& file) {
  std::string text;
  std::array<char, 4096> part{};
  for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
    const ssize_t count = ::pread(file.number(), part.data(), part.size(), at);
    if (count <= 0) {
      return text;
    }
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

// The settings of the new program: three descriptors, and no signal blocked or ignored.
class SpawnSettings {
 public:
  SpawnSettings(int in, int out, int err) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, err, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  SpawnSettings(SpawnSettings&&) = delete;
  SpawnSettings& operator=(SpawnSettings&&) = delete;

  posix_spawn_file_actions_t* files() { return &files_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// A stream socket instead of a pipe: writing fails without a signal if the reader is gone.
bool make_stream(OwnedDescriptor& ours, OwnedDescriptor& theirs) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return false;
  }
  ours = OwnedDescriptor(ends[0]);
  theirs = OwnedDescriptor(ends[1]);
  return true;
}

namespace fs = std::filesystem;

constexpr std::size_t kPipeBytes = 65536;

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    all.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const fs::path& toolkit : cuda_toolkits()) {
    all.push_back(toolkit / "bin");
  }
  return all;
}

std::string read_to_end(int from) {
  std::string text;
  std::array<char, kPipeBytes> part{};
  while (true) {
    const ssize_t count = read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return text;
    }
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

int exit_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void OwnedDescriptor::reset() {
  if (number_ >= 0) {
    ::close(std::exchange(number_, -1));
  }
}

Result<Child> Child::start(const std::vector<std::string>& arguments,
                           std::optional<std::string_view> input) {
  Child child;
  child.output_ = memory_file("output");
  child.errors_ = memory_file("errors");
  OwnedDescriptor theirs;
  if (input) {
    theirs = memory_file("input");
    if (::write(theirs.number(), input->data(), input->size()) !=
        static_cast<ssize_t>(input->size())) {
      return fail(tr("{} cannot be started: not enough memory for its input.", arguments[0]));
    }
    ::lseek(theirs.number(), 0, SEEK_SET);
  } else if (!make_stream(child.input_, theirs)) {
    return fail(tr("{} cannot be started: {}.", arguments[0], std::strerror(errno)));
  }
  SpawnSettings settings(theirs.number(), child.output_.number(), child.errors_.number());
  std::vector<char*> words;
  for (const std::string& argument : arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, words[0], settings.files(), settings.attributes(),
                                   words.data(), environ);
  if (error != 0) {
    return fail(tr("{} cannot be started: {}.", arguments[0], std::strerror(error)));
  }
  child.process_ = process;
  return child;
}

Child::~Child() {
  if (process_ > 0 && !status_) {
    ::kill(static_cast<pid_t>(process_), SIGKILL);
    static_cast<void>(wait());
  }
}

bool Child::write(std::span<const unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(input_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

bool Child::is_running() {
  if (process_ <= 0 || status_) {
    return false;
  }
  int raw = 0;
  if (::waitpid(static_cast<pid_t>(process_), &raw, WNOHANG) != process_) {
    return true;
  }
  status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : kShellsBase + WTERMSIG(raw);
  return false;
}

int Child::wait() {
  while (process_ > 0 && !status_) {
    int raw = 0;
    if (::waitpid(static_cast<pid_t>(process_), &raw, 0) == process_) {
      status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : kShellsBase + WTERMSIG(raw);
    } else if (errno != EINTR) {
      status_ = kShellsBase;
    }
  }
  return status_.value_or(kShellsBase);
}

bool Child::wait_for(std::chrono::milliseconds longest) {
  if (!is_running()) {
    return true;
  }
  // A descriptor that becomes readable when the process ends. Kernels before Linux 5.3 have none,
  // so they are polled.
#ifdef SYS_pidfd_open
  const OwnedDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
#else
  const OwnedDescriptor process;
#endif
  const bool has_descriptor = process.number() >= 0;
  const auto end = std::chrono::steady_clock::now() + longest;
  for (auto left = longest; left.count() > 0 && is_running();
       left = std::chrono::duration_cast<std::chrono::milliseconds>(
           end - std::chrono::steady_clock::now())) {
    pollfd wait{process.number(), POLLIN, 0};
    const auto most = has_descriptor ? left : std::min(left, kAskAgain);
    static_cast<void>(::poll(&wait, has_descriptor ? 1 : 0, static_cast<int>(most.count())));
  }
  return !is_running();
}

void Child::stop() {
  if (is_running()) {
    ::kill(static_cast<pid_t>(process_), SIGTERM);
  }
}

void Child::kill() {
  if (is_running()) {
    ::kill(static_cast<pid_t>(process_), SIGKILL);
  }
}

std::string Child::output() const {
  return all_of(output_);
}

std::string Child::errors() const {
  return all_of(errors_);
}

fs::path find_cuda_tool(const std::string& name) {
  for (const fs::path& folder : folders()) {
    if (is_program(folder / name)) {
      return folder / name;
    }
  }
  return {};
}

std::string own_program() {
  return "/proc/self/exe";  // also if the program's file was replaced since
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(
        tr("{} cannot be started: {}.", command.front(), std::generic_category().message(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not change it
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = error == 0 ? read_to_end(ends[0]) : "";
  close(ends[0]);
  if (error != 0) {
    return fail(
        tr("{} cannot be started: {}.", command.front(), std::generic_category().message(error)));
  }
  if (const int status = exit_status(child); status != 0) {
    return fail(tr("{} ended with status {}.", command.front(), status));
  }
  return text;
}

}  // namespace tilestep::workspace
