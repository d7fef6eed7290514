#include "workspace/child.h"

#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

std::string own_program() {
  return "/proc/self/exe";  // also if the program's file was replaced since
}

}  // namespace tilestep::workspace
