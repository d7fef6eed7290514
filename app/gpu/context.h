// The device's primary context, its stream and timing events: shared by everything that lives in
// it.
#pragma once

#include "gpu/device.h"
#include "gpu/driver_api.h"
#include "problem/launch/tensor_map.h"
#include "problem/result.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  // Throws once a kernel has been given up: the driver would wait for it.
  void enter() const;
  // The same for destructors, where a failure has nobody to go to; false: leave what you own to the
  // end of the process.
  [[nodiscard]] bool enter_to_release() const noexcept;
  void check(CuResult result, const char* call) const { gpu::check(driver_.api, result, call); }

  [[nodiscard]] int attribute(int attribute) const;

  // Events around work that is already in the stream.
  void mark_start();
  void mark_end();
  [[nodiscard]] float wait_for_end();  // milliseconds from start to end
  void wait();
  // Work that takes longer is given up: both waits throw, and so does whatever comes after them.
  void set_time_limit(std::chrono::milliseconds limit) { time_limit_ = limit; }

  // Overwrites a scratch buffer of the L2 cache's size, so that what the last launch left there is
  // gone. Allocates it at the first call.
  void flush_l2();

  // What comes after it in the stream begins when release() is called, or after kLongestHold: who
  // waits for a launch where it is made (CUDA_LAUNCH_BLOCKING, a profiler) would never get to
  // release(). After such a time-out holds() is false, and it is no use to hold again.
  void hold();
  void release();
  [[nodiscard]] bool holds() const { return !hold_timed_out_; }

 private:
  // Until `query` says something else than "not ready".
  void wait_for(const std::function<CuResult()>& query, const char* call);
  void wait_for_release();

  Driver driver_;
  CuDevice device_ = 0;
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr;
  CuEvent start_ = nullptr;
  CuEvent end_ = nullptr;
  CuDevicePtr scratch_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::chrono::milliseconds time_limit_ = kTimeLimit;
  std::string given_up_;  // why; empty: nothing was
  std::atomic<bool> released_{true};
  std::atomic<bool> hold_timed_out_{false};
};

// Memory of the host's that copies go from and to, freed by its owner.

// Touched once: the first use of a page is the operating system's work, not the copy's.
class HostBuffer {
 public:
  HostBuffer(std::shared_ptr<Context> context, std::size_t bytes, HostMemory memory);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  HostBuffer(HostBuffer&&) = delete;
  HostBuffer& operator=(HostBuffer&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes();

 private:
  std::shared_ptr<Context> context_;
  std::size_t size_;
  void* locked_ = nullptr;
  std::vector<std::byte> pageable_;
};

// Where a kernel's parameters lie among its arguments' bytes.

// cuLaunchKernel's `kernelParams`: the addresses in `packed` of each parameter's bytes. Empty where
// the driver does not tell (before CUDA 12.4).
[[nodiscard]] std::vector<void*> parameters_of(const DriverApi& api, CuFunction function,
                                               std::span<const std::byte> packed);

// Tensor maps as a GPU reads them: only its driver knows their layout.

// The 128 bytes of a CUtensorMap; `map.address` is one of the device's. Elements outside the matrix
// are read as zeros. Fails with a sentence where the driver is too old, or refuses it.
[[nodiscard]] Result<problem::TensorMapBytes> encode_tensor_map(const DriverApi& api,
                                                                const problem::TensorMap& map);

}  // namespace tilestep::gpu
