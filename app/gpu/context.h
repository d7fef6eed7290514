// The device's primary context, its stream and timing events: shared by everything that lives in
// it.
#pragma once

#include "gpu/driver_api.h"

#include <cstddef>
#include <span>

namespace tilestep::gpu {

class Context {
 public:
  Context(Driver driver, CuDevice device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  Context(Context&&) = delete;
  Context& operator=(Context&&) = delete;

  [[nodiscard]] const DriverApi& api() const { return driver_.api; }
  [[nodiscard]] CuDevice device() const { return device_; }
  [[nodiscard]] CuStream stream() const { return stream_; }

  // Makes the context current on the calling thread. First line of whatever calls the driver:
  // a worker may use a device that another thread opened.
  void enter() const;
  // The same for destructors, where a failure has nobody to go to.
  void enter_quietly() const noexcept { driver_.api.ctx_set_current(context_); }
  void check(CuResult result, const char* call) const { gpu::check(driver_.api, result, call); }

  [[nodiscard]] int attribute(int attribute) const;

  // Events around work that is already in the stream.
  void mark_start();
  void mark_end();
  [[nodiscard]] float wait_for_end();  // milliseconds from start to end
  void wait();

  // Overwrites a scratch buffer of twice the L2 cache, so that what the last launch left there is
  // gone. Allocates it at the first call.
  void flush_l2();

 private:
  Driver driver_;
  CuDevice device_ = 0;
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr;
  CuEvent start_ = nullptr;
  CuEvent end_ = nullptr;
  CuDevicePtr scratch_ = 0;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace tilestep::gpu
