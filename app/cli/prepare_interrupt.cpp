#include "cli/prepare.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>

namespace tilestep::cli {
namespace {

constexpr int kWake = SIGUSR1;  // sent only to the watcher: it must end

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kWake);
  return signals;
}

}  // namespace

struct Interrupt::Signals {
  sigset_t before{};
};

Interrupt::Interrupt(std::chrono::milliseconds grace)
    : grace_(grace), signals_(std::make_unique<Signals>()) {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &signals_->before);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  ending_ = true;
  pthread_kill(watcher_.native_handle(), kWake);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &signals_->before, nullptr);
}

void Interrupt::watch() {
  const sigset_t signals = watched_signals();
  int first = 0;  // the first signal received
  while (!ending_) {
    const timespec left{grace_.count() / 1000,
                        static_cast<long>(grace_.count() % 1000 * 1'000'000)};
    const int signal =
        first != 0 ? sigtimedwait(&signals, nullptr, &left) : sigwaitinfo(&signals, nullptr);
    if (signal == kWake || (signal < 0 && errno != EAGAIN)) {
      continue;
    }
    if (cancelled_.exchange(true)) {
      constexpr int kShellsBase = 128;
      end_program(kShellsBase + first);
    }
    first = signal;
  }
}

}  // namespace tilestep::cli
