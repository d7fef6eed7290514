// The device's primary context, its stream and timing events: shared by all objects in it.
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

  // Makes the context current on the calling thread. Call it first in every function that calls the
  // driver: a worker may use a device that another thread opened. Throws after a kernel has been
  // given up, because the driver would wait for it.
  void enter() const;
  // The same for destructors, which cannot report a failure. False: leave owned objects to the end
  // of the process.
  [[nodiscard]] bool enter_to_release() const noexcept;
  void check(CuResult result, const char* call) const { gpu::check(driver_.api, result, call); }

  [[nodiscard]] int attribute(int attribute) const;

  // Events around work that is already in the stream.
  void mark_start();
  void mark_end();
  [[nodiscard]] float wait_for_end();  // milliseconds from start to end
  void wait();
  // Work that takes longer is given up: both waits throw, and so does every later call.
  void set_time_limit(std::chrono::milliseconds limit) { time_limit_ = limit; }

  // Overwrites a scratch buffer of the L2 cache's size, which evicts what the last launch left
  // there. Allocates it at the first call.
  void flush_l2();

  // Later work in the stream begins when release() is called, or after kLongestHold. The limit is
  // for hosts that wait inside the launch call (CUDA_LAUNCH_BLOCKING, a profiler) and would never
  // reach release(). After such a time-out holds() is false, and holding again is useless.
  void hold();
  void release();
  [[nodiscard]] bool holds() const { return !hold_timed_out_; }

 private:
  // Waits until `query` returns anything but "not ready".
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
  std::string given_up_;  // the reason; empty: nothing was given up
  std::atomic<bool> released_{true};
  std::atomic<bool> hold_timed_out_{false};
};

// Host memory for copies, freed by its owner.

// Every page is written once: the first use of a page costs time in the operating system, not in
// the copy.
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

// The positions of a kernel's parameters among its arguments' bytes.

// cuLaunchKernel's `kernelParams`: the addresses in `packed` of each parameter's bytes. Empty if
// the driver does not report them (before CUDA 12.4).
[[nodiscard]] std::vector<void*> parameters_of(const DriverApi& api, CuFunction function,
                                               std::span<const std::byte> packed);

// Tensor maps as a GPU reads them: only its driver knows their layout.

// The 128 bytes of a CUtensorMap; `map.address` is a device address. Elements outside the matrix
// are read as zeros. Fails with a sentence if the driver is too old, or refuses it.
[[nodiscard]] Result<problem::TensorMapBytes> encode_tensor_map(const DriverApi& api,
                                                                const problem::TensorMap& map);

}  // namespace tilestep::gpu
