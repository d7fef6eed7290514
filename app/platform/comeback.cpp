#include "platform/comeback.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace tilestep::platform {
namespace {

constexpr const char* kVariable = "TILESTEP_RETURNED";
constexpr char kMostReturns = '3';
constexpr std::time_t kForgottenAfter = 30;  // seconds
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The arguments of execve, prepared in advance, because a signal handler may not allocate. The only
// data of the process that a handler without arguments can reach.
struct Start {
  std::string arguments;  // each terminated by 0
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> envp;
  char* count = nullptr;  // the digit of kVariable, in `variables`
  std::time_t since = 0;  // when it was prepared
};
Start* the_start = nullptr;

// May be called by a signal handler.
std::time_t seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

char returns_so_far() {
  const char* const value = std::getenv(kVariable);
  return value != nullptr && value[0] >= '1' && value[0] <= kMostReturns ? value[0] : '0';
}

void make_start(Start& start) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  start.arguments.assign(std::istreambuf_iterator<char>(file), {});
  for (char* at = start.arguments.data(); at < start.arguments.data() + start.arguments.size();
       at += std::strlen(at) + 1) {
    start.argv.push_back(at);
  }
  start.argv.push_back(nullptr);
  const std::string prefix = std::string(kVariable) + "=";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string(*variable).starts_with(prefix)) {
      start.variables.emplace_back(*variable);
    }
  }
  start.variables.push_back(prefix + static_cast<char>(returns_so_far() + 1));
  start.count = &start.variables.back().back();
  for (std::string& variable : start.variables) {
    start.envp.push_back(variable.data());
  }
  start.envp.push_back(nullptr);
  start.since = seconds();
}

void on_crash(int signal) {
  come_back();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_crashes() {
  for (const int signal : kSignals) {
    struct sigaction now {};
    const bool is_free = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
    if (is_free) {
      struct sigaction ours {};
      ours.sa_handler = on_crash;
      ours.sa_flags = SA_NODEFER;
      sigaction(signal, &ours, nullptr);
    }
  }
}

}  // namespace

bool has_come_back() {
  return returns_so_far() != '0';
}

void come_back_from_now_on() {
  if (the_start != nullptr) {
    return;
  }
  auto start = std::make_unique<Start>();
  make_start(*start);
  the_start = start.release();  // until the process ends
  handle_crashes();
}

void come_back() {
  if (the_start != nullptr && seconds() - the_start->since > kForgottenAfter) {
    *the_start->count = '1';
  }
  if (the_start == nullptr || *the_start->count > kMostReturns || the_start->argv.size() < 2) {
    return;
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int file = STDERR_FILENO + 1; file < 1024; ++file) {
    fcntl(file, F_SETFD, FD_CLOEXEC);  // connections and files of the lost process
  }
  execve("/proc/self/exe", the_start->argv.data(), the_start->envp.data());
}

}  // namespace tilestep::platform
