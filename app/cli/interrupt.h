// Ctrl-C as a flag, without a signal handler (which could reach only globals).
#pragma once

#include <mutex>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace tilestep::cli {

// While it lives, SIGINT and SIGTERM set cancelled() instead of ending the program. A second one
// ends it (a kernel may never return), and so does the end of the time that whoever looks at
// cancelled() has. What must not be lost then is saved by at_end(). Make it before any other
// thread: they inherit the mask.
class Interrupt {
 public:
  explicit Interrupt(std::chrono::milliseconds grace = std::chrono::milliseconds(400));
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  Interrupt(Interrupt&&) = delete;
  Interrupt& operator=(Interrupt&&) = delete;

  [[nodiscard]] const std::atomic<bool>& cancelled() const { return cancelled_; }
  // Called once, by another thread, before the program is ended; {}: nothing any more, and a call
  // that has begun is over when this returns (the program then ends, so this does not return).
  void at_end(std::function<void()> save);

 private:
  void watch();

  std::chrono::milliseconds grace_;
  sigset_t before_{};
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;  // for save_
  std::function<void()> save_;
  std::thread watcher_;
};

}  // namespace tilestep::cli
