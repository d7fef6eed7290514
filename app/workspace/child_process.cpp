#include "workspace/child_process.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace tilestep::workspace {
namespace {

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
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const home = std::getenv(name); home != nullptr) {
      all.push_back(fs::path(home) / "bin");
    }
  }
  all.emplace_back("/usr/local/cuda/bin");
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

fs::path find_cuda_tool(const std::string& name) {
  for (const fs::path& folder : folders()) {
    if (is_program(folder / name)) {
      return folder / name;
    }
  }
  return {};
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
    arguments.push_back(const_cast<char*>(argument.c_str()));  // which posix_spawn leaves as it is
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
