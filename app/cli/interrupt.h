// Ctrl-C as a flag, without a signal handler (which could reach only globals).
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace tilestep::cli {

// While it lives, SIGINT and SIGTERM set cancelled() instead of ending the program. A second one
// ends it (a kernel may never return), and so does the end of the time that whoever looks at
// cancelled() has: what takes longer has nothing to save. Make it before any other thread: they
// inherit the mask.
class Interrupt {
 public:
  // Results that are kept, of a GPU say, are worth waiting for.
  static constexpr std::chrono::milliseconds kNoEnd = std::chrono::milliseconds::max();

  explicit Interrupt(std::chrono::milliseconds grace = std::chrono::milliseconds(400));
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  Interrupt(Interrupt&&) = delete;
  Interrupt& operator=(Interrupt&&) = delete;

  [[nodiscard]] const std::atomic<bool>& cancelled() const { return cancelled_; }

 private:
  void watch();

  std::chrono::milliseconds grace_;
  sigset_t before_{};
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> ending_ = false;
  std::thread watcher_;
};

}  // namespace tilestep::cli
