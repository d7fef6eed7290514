#include "gpu/context.h"

#include "problem/tr.h"

#include <algorithm>
#include <thread>

namespace tilestep::gpu {

namespace {

constexpr std::size_t kSmallestScratch = std::size_t{8} << 20;

// Waiting begins by asking again and again, as the driver does: most launches are short.
constexpr std::chrono::milliseconds kImpatient{2};
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::milliseconds kLongestHold{500};

}  // namespace

Context::Context(Driver driver, CuDevice device) : driver_(std::move(driver)), device_(device) {
  const DriverApi& api = driver_.api;
  check(api.primary_ctx_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    enter();
    check(api.stream_create(&stream_, kStreamDefault), "cuStreamCreate");
    check(api.event_create(&start_, 0), "cuEventCreate");
    check(api.event_create(&end_, 0), "cuEventCreate");
  } catch (...) {
    api.primary_ctx_release(device_);
    throw;
  }
}

// Errors are dropped: after a lost context every one of these calls fails, and there is nobody to
// tell.
Context::~Context() {
  const DriverApi& api = driver_.api;
  if (!enter_to_release()) {
    return;
  }
  // A hold reads this object.
  while (api.stream_query(stream_) == kCudaNotReady) {
    std::this_thread::sleep_for(kNap);
  }
  if (scratch_ != 0) {
    api.mem_free(scratch_);
  }
  api.event_destroy(start_);
  api.event_destroy(end_);
  api.stream_destroy(stream_);
  api.primary_ctx_release(device_);
}

void Context::enter() const {
  if (!given_up_.empty()) {
    throw GpuError(given_up_, kCudaLaunchTimeout, true);
  }
  check(driver_.api.ctx_set_current(context_), "cuCtxSetCurrent");
}

bool Context::enter_to_release() const noexcept {
  return given_up_.empty() && driver_.api.ctx_set_current(context_) == kCudaSuccess;
}

int Context::attribute(int attribute) const {
  int value = 0;
  check(driver_.api.device_get_attribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

void Context::mark_start() {
  check(driver_.api.event_record(start_, stream_), "cuEventRecord");
}

void Context::mark_end() {
  check(driver_.api.event_record(end_, stream_), "cuEventRecord");
}

float Context::wait_for_end() {
  wait_for([this] { return driver_.api.event_query(end_); }, "cuEventQuery");
  float milliseconds = 0.0F;
  check(driver_.api.event_elapsed_time(&milliseconds, start_, end_), "cuEventElapsedTime");
  return milliseconds;
}

void Context::wait() {
  wait_for([this] { return driver_.api.stream_query(stream_); }, "cuStreamQuery");
}

void Context::wait_for(const std::function<CuResult()>& query, const char* call) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const CuResult result = query();
    if (result != kCudaNotReady) {
      check(result, call);
      return;
    }
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > time_limit_) {
      given_up_ =
          tr("The kernel did not end within {:g} s. It may never end: 'tilestep check' finds waits "
             "that never finish. If it only needs more time, raise --time-limit. It keeps the GPU "
             "busy until this program ends: restart the program before using the GPU again.",
             std::chrono::duration<double>(time_limit_).count());
      throw GpuError(given_up_, kCudaLaunchTimeout, true);
    }
    if (waited > kImpatient) {
      std::this_thread::sleep_for(kNap);
    }
  }
}

void Context::flush_l2() {
  if (scratch_ == 0) {
    scratch_bytes_ =
        std::max(kSmallestScratch, static_cast<std::size_t>(attribute(kAttributeL2Bytes)));
    check(driver_.api.mem_alloc(&scratch_, scratch_bytes_), "cuMemAlloc");
  }
  check(driver_.api.memset_d8_async(scratch_, 0, scratch_bytes_, stream_), "cuMemsetD8Async");
}

void Context::hold() {
  released_ = false;
  check(driver_.api.launch_host_func(
            stream_, [](void* self) { static_cast<Context*>(self)->wait_for_release(); }, this),
        "cuLaunchHostFunc");
}

void Context::release() {
  released_ = true;
}

// On a thread of the driver's.
void Context::wait_for_release() {
  const auto end = std::chrono::steady_clock::now() + kLongestHold;
  while (!released_) {
    if (std::chrono::steady_clock::now() > end) {
      hold_timed_out_ = true;
      return;
    }
  }
}

}  // namespace tilestep::gpu
