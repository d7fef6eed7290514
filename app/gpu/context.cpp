#include "gpu/context.h"

#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

namespace tilestep::gpu {
namespace {

constexpr std::size_t kSmallestScratch = std::size_t{8} << 20;

// Waiting begins with polling, as in the driver: most launches are short.
constexpr std::chrono::milliseconds kImpatient{2};
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::milliseconds kLongestHold{500};

using problem::ElementType;

// CUtensorMapDataType (CUDA Driver API). It has no signed byte or 16-bit integer, but a copy
// depends only on the number of bytes of an element.
[[nodiscard]] int data_type(ElementType type) {
  switch (type) {
    case ElementType::S8:
    case ElementType::U8:
      return 0;
    case ElementType::S16:
    case ElementType::U16:
      return 1;
    case ElementType::U32:
      return 2;
    case ElementType::S32:
      return 3;
    case ElementType::U64:
      return 4;
    case ElementType::S64:
      return 5;
    case ElementType::F16:
      return 6;
    case ElementType::F32:
      return 7;
    case ElementType::F64:
      return 8;
    case ElementType::BF16:
      return 9;
  }
  return 7;
}

// CUtensorMapSwizzle: none, 32, 64, 128 bytes.
[[nodiscard]] int swizzle_of(std::uint32_t bytes) {
  return bytes == 0 ? 0 : std::countr_zero(bytes) - 4;
}

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

// Errors are dropped: after a lost context every one of these calls fails, and a destructor cannot
// report it.
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
      given_up_ = tr(
          "The kernel did not finish within {:g} s. It may never end: 'tilestep check' finds waits "
          "that never finish. If it only needs more time, raise --time-limit. The kernel keeps the "
          "GPU busy until this program ends: restart the program before using the GPU again.",
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

// Runs on a thread of the driver.
void Context::wait_for_release() {
  const auto end = std::chrono::steady_clock::now() + kLongestHold;
  while (!released_) {
    if (std::chrono::steady_clock::now() > end) {
      hold_timed_out_ = true;
      return;
    }
  }
}

HostBuffer::HostBuffer(std::shared_ptr<Context> context, std::size_t bytes, HostMemory memory)
    : context_(std::move(context)), size_(bytes) {
  if (memory == HostMemory::Pageable) {
    pageable_.resize(size_);
    return;
  }
  context_->enter();
  context_->check(context_->api().mem_alloc_host(&locked_, size_), "cuMemAllocHost");
  std::memset(locked_, 0, size_);
}

HostBuffer::~HostBuffer() {
  if (locked_ != nullptr && context_->enter_to_release()) {
    context_->api().mem_free_host(locked_);
  }
}

std::span<std::byte> HostBuffer::bytes() {
  return locked_ == nullptr ? std::span(pageable_)
                            : std::span(static_cast<std::byte*>(locked_), size_);
}

std::vector<void*> parameters_of(const DriverApi& api, CuFunction function,
                                 std::span<const std::byte> packed) {
  std::vector<void*> places;
  if (api.func_get_param_info == nullptr) {
    return places;
  }
  // The first buffer begins after offset 0 if an alignment of 64 bytes requires it.
  std::size_t first = 0;
  for (std::size_t end = 0; end < packed.size();) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    if (api.func_get_param_info(function, places.size(), &offset, &bytes) != kCudaSuccess) {
      return {};
    }
    first = places.empty() ? offset : first;
    places.push_back(const_cast<std::byte*>(packed.data()) + (offset - first));
    end = offset - first + bytes;
  }
  return places;
}

Result<problem::TensorMapBytes> encode_tensor_map(const DriverApi& api,
                                                  const problem::TensorMap& map) {
  if (api.tensor_map_encode_tiled == nullptr) {
    return fail(
        tr("The CUDA driver is too old for tensor maps: it lacks cuTensorMapEncodeTiled. Update "
           "the NVIDIA driver to one that supports CUDA 12 or later."));
  }
  constexpr int kPromoteTo256 = 3;  // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
  constexpr std::uint32_t kRank = 2;
  const std::array<std::uint64_t, kRank> sizes{map.cols, map.rows};
  const std::array<std::uint64_t, kRank - 1> strides{map.row_bytes};
  const std::array<std::uint32_t, kRank> box{map.box_cols, map.box_rows};
  const std::array<std::uint32_t, kRank> every{1, 1};
  alignas(64) problem::TensorMapBytes bytes{};
  const CuResult result = api.tensor_map_encode_tiled(
      bytes.data(), data_type(map.type), kRank,
      reinterpret_cast<void*>(static_cast<std::uintptr_t>(map.address)), sizes.data(),
      strides.data(), box.data(), every.data(), 0, swizzle_of(map.swizzle), kPromoteTo256, 0);
  if (result != kCudaSuccess) {
    return fail(describe(api, result, "cuTensorMapEncodeTiled"));
  }
  return bytes;
}

}  // namespace tilestep::gpu
