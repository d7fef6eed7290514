#include "cli/interrupt.h"

#include <cstdlib>
#include <ctime>
#include <pthread.h>

namespace tilestep::cli {

namespace {

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = interrupting_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  ending_ = true;
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::watch() {
  const sigset_t signals = interrupting_signals();
  constexpr timespec kPoll{0, 50'000'000};
  while (!ending_) {
    const int signal = sigtimedwait(&signals, nullptr, &kPoll);
    if (signal <= 0) {
      continue;
    }
    if (cancelled_.exchange(true)) {
      constexpr int kShellsBase = 128;
      std::_Exit(kShellsBase + signal);
    }
  }
}

}  // namespace tilestep::cli
