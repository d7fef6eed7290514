// Ctrl-C as a flag, without a signal handler (which could reach only globals).
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

namespace tilestep::cli {

// While it lives, SIGINT and SIGTERM set cancelled() instead of ending the program; a second one
// ends it (a kernel may never return). Make it before any other thread: they inherit the mask.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  Interrupt(Interrupt&&) = delete;
  Interrupt& operator=(Interrupt&&) = delete;

  [[nodiscard]] const std::atomic<bool>& cancelled() const { return cancelled_; }

 private:
  void watch();

  sigset_t before_{};
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> ending_ = false;
  std::thread watcher_;
};

}  // namespace tilestep::cli
