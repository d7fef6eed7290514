#include "cli/interrupt.h"

#include <cstdlib>
#include <pthread.h>

namespace tilestep::cli {

namespace {

constexpr int kWake = SIGUSR1;  // to the watcher alone: it is to end

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kWake);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  ending_ = true;
  pthread_kill(watcher_.native_handle(), kWake);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::watch() {
  const sigset_t signals = watched_signals();
  while (!ending_) {
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal <= 0 || signal == kWake) {
      continue;
    }
    if (cancelled_.exchange(true)) {
      constexpr int kShellsBase = 128;
      std::_Exit(kShellsBase + signal);
    }
  }
}

}  // namespace tilestep::cli
