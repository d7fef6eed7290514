#include "gpu/context.h"

#include <algorithm>

namespace tilestep::gpu {

namespace {

constexpr std::size_t kSmallestScratch = std::size_t{8} << 20;

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
  enter_quietly();
  if (scratch_ != 0) {
    api.mem_free(scratch_);
  }
  api.event_destroy(start_);
  api.event_destroy(end_);
  api.stream_destroy(stream_);
  api.primary_ctx_release(device_);
}

void Context::enter() const {
  check(driver_.api.ctx_set_current(context_), "cuCtxSetCurrent");
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
  check(driver_.api.event_synchronize(end_), "cuEventSynchronize");
  float milliseconds = 0.0F;
  check(driver_.api.event_elapsed_time(&milliseconds, start_, end_), "cuEventElapsedTime");
  return milliseconds;
}

void Context::wait() {
  check(driver_.api.stream_synchronize(stream_), "cuStreamSynchronize");
}

void Context::flush_l2() {
  if (scratch_ == 0) {
    scratch_bytes_ =
        std::max(kSmallestScratch, 2 * static_cast<std::size_t>(attribute(kAttributeL2Bytes)));
    check(driver_.api.mem_alloc(&scratch_, scratch_bytes_), "cuMemAlloc");
  }
  check(driver_.api.memset_d8_async(scratch_, 0, scratch_bytes_, stream_), "cuMemsetD8Async");
}

}  // namespace tilestep::gpu
