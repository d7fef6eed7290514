// Ctrl-C as a flag, without a signal handler (which could reach only globals).
#pragma once

#include <mutex>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>
#include <utility>

namespace tilestep::cli {

// While it lives, SIGINT and SIGTERM set cancelled() instead of ending the program. A second one
// ends it (a kernel may never return), and so does the end of the time that whoever looks at
// cancelled() has. What must not be lost then is saved by AtEnd. Make it before any other
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

  // While it lives, `save` is called, by another thread, before the program is ended. Its end waits
  // for a call that has begun, after which the program ends.
  class AtEnd {
   public:
    AtEnd(Interrupt& interrupt, std::function<void()> save) : interrupt_(interrupt) {
      interrupt_.set_save(std::move(save));
    }
    ~AtEnd() { interrupt_.set_save({}); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    AtEnd(AtEnd&&) = delete;
    AtEnd& operator=(AtEnd&&) = delete;

   private:
    Interrupt& interrupt_;
  };

 private:
  void set_save(std::function<void()> save);
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
