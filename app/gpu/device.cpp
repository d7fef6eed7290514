#include "gpu/device.h"

#include "gpu/context.h"
#include "gpu/driver_api.h"
#include "gpu/products.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <optional>
#include <utility>

namespace tilestep::gpu {

// --- Buffer ---

struct Buffer::Impl {
  std::shared_ptr<Context> context;
  CuDevicePtr address = 0;
  std::size_t bytes = 0;

  Impl(std::shared_ptr<Context> owner, std::size_t size) : context(std::move(owner)), bytes(size) {
    context->enter();
    // A buffer of no bytes still needs a unique address.
    context->check(context->api().mem_alloc(&address, bytes == 0 ? 1 : bytes), "cuMemAlloc");
  }
  ~Impl() {
    if (context->enter_to_release()) {
      context->api().mem_free(address);  // fails only with a lost context
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;
};

Buffer::Buffer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;

std::uint64_t Buffer::address() const {
  return impl_->address;
}

std::size_t Buffer::bytes() const {
  return impl_->bytes;
}

void Buffer::write(std::span<const std::byte> contents) {
  assert(contents.size() == impl_->bytes);
  Context& context = *impl_->context;
  context.enter();
  context.check(context.api().memcpy_to_device(impl_->address, contents.data(), contents.size()),
                "cuMemcpyHtoD");
}

void Buffer::fill(std::byte value) {
  Context& context = *impl_->context;
  context.enter();
  context.check(context.api().memset_d8_async(impl_->address, std::to_integer<unsigned char>(value),
                                              impl_->bytes, context.stream()),
                "cuMemsetD8Async");
  context.wait();
}

std::vector<std::byte> Buffer::read() const {
  std::vector<std::byte> contents(impl_->bytes);
  read(contents);
  return contents;
}

void Buffer::read(std::span<std::byte> into) const {
  assert(into.size() == impl_->bytes);
  Context& context = *impl_->context;
  context.enter();
  context.check(context.api().memcpy_to_host(into.data(), impl_->address, into.size()),
                "cuMemcpyDtoH");
}

// --- LoadedKernel ---

struct LoadedKernel::Impl {
  std::shared_ptr<Context> context;
  CuModule module = nullptr;
  CuFunction function = nullptr;
  KernelResources resources;

  explicit Impl(std::shared_ptr<Context> owner) : context(std::move(owner)) {}
  ~Impl() {
    if (module != nullptr && context->enter_to_release()) {
      context->api().module_unload(module);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  // Above 48 KiB a launch is refused without it.
  void allow_dynamic_shared(std::uint32_t bytes) const;

  [[nodiscard]] int attribute(int which) const {
    int value = 0;
    context->check(context->api().func_get_attribute(&value, which, function),
                   "cuFuncGetAttribute");
    return value;
  }
};

LoadedKernel::LoadedKernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LoadedKernel::~LoadedKernel() = default;
LoadedKernel::LoadedKernel(LoadedKernel&&) noexcept = default;
LoadedKernel& LoadedKernel::operator=(LoadedKernel&&) noexcept = default;

const KernelResources& LoadedKernel::resources() const {
  return impl_->resources;
}

// --- Device ---

struct Device::Impl {
  std::shared_ptr<Context> context;
  LibraryNames libraries;
  DeviceInfo info;
  std::optional<Nvml> nvml;

  std::unique_ptr<Products> opened_products;  // after the first request

  // cuBLAS is opened at the first call.
  Products& products() {
    if (opened_products == nullptr) {
      opened_products = std::make_unique<Products>(libraries, *context, info.driver_version);
    }
    return *opened_products;
  }
  void enqueue(const LoadedKernel::Impl& kernel, const LaunchShape& shape,
               std::span<const std::byte> packed_arguments);

  template <class Enqueue>
  float time(const Enqueue& enqueue_work, const TimeOptions& options);
};

namespace {

class Hold {
 public:
  explicit Hold(Context& context) : context_(context) { context_.hold(); }
  ~Hold() { context_.release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  Hold(Hold&&) = delete;
  Hold& operator=(Hold&&) = delete;

 private:
  Context& context_;
};

DeviceInfo read_info(const Context& context) {
  const DriverApi& api = context.api();
  const CuDevice device = context.device();
  DeviceInfo info;
  std::array<char, 256> name{};
  context.check(api.device_get_name(name.data(), static_cast<int>(name.size() - 1), device),
                "cuDeviceGetName");
  info.name = name.data();
  context.check(api.device_total_mem(&info.memory_bytes, device), "cuDeviceTotalMem");
  context.check(api.driver_get_version(&info.cuda_driver_api), "cuDriverGetVersion");
  info.compute_major = context.attribute(kAttributeComputeMajor);
  info.compute_minor = context.attribute(kAttributeComputeMinor);
  info.sm_count = context.attribute(kAttributeSmCount);
  info.l2_bytes = static_cast<std::size_t>(context.attribute(kAttributeL2Bytes));
  info.max_threads_per_sm = context.attribute(kAttributeMaxThreadsPerSm);
  info.driver_version =
      fmt::format("CUDA {}.{}", info.cuda_driver_api / 1000, info.cuda_driver_api % 1000 / 10);
  return info;
}

std::string pci_bus_id(const Context& context) {
  std::array<char, 32> id{};
  context.check(context.api().device_get_pci_bus_id(id.data(), static_cast<int>(id.size() - 1),
                                                    context.device()),
                "cuDeviceGetPCIBusId");
  return id.data();
}

}  // namespace

Device::Device(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Device::~Device() = default;

Result<int> Device::count(const LibraryNames& libraries) {
  const Result<Driver> driver = open_driver(libraries);
  return driver ? device_count(driver->api) : tl::unexpected(driver.error());
}

Result<std::unique_ptr<Device>> Device::open(const LibraryNames& libraries, int ordinal) {
  Result<Driver> driver = open_driver(libraries);
  if (!driver) {
    return tl::unexpected(driver.error());
  }
  const Result<CuDevice> device = device_at(driver->api, ordinal);
  if (!device) {
    return tl::unexpected(device.error());
  }
  auto impl = std::make_unique<Impl>();
  impl->libraries = libraries;
  try {
    impl->context = std::make_shared<Context>(std::move(*driver), *device);
    impl->info = read_info(*impl->context);
    if (Result<Nvml> nvml = Nvml::open(libraries)) {
      nvml->select(pci_bus_id(*impl->context));
      impl->info.max_sm_clock_mhz = nvml->max_sm_clock_mhz();
      if (std::string version = nvml->driver_version(); !version.empty()) {
        impl->info.driver_version = std::move(version);
      }
      impl->nvml = std::move(*nvml);
    }
  } catch (const GpuError& error) {
    return fail(tr("The GPU cannot be used: {}", error.what()));
  }
  return std::unique_ptr<Device>(new Device(std::move(impl)));
}

const DeviceInfo& Device::info() const {
  return impl_->info;
}

void Device::set_time_limit(std::chrono::milliseconds limit) {
  impl_->context->set_time_limit(limit);
}

Clocks Device::clocks() const {
  return impl_->nvml ? impl_->nvml->clocks() : Clocks{};
}

Buffer Device::make_buffer(std::size_t bytes) {
  return Buffer(std::make_unique<Buffer::Impl>(impl_->context, bytes));
}

Result<problem::TensorMapBytes> Device::tensor_map(const problem::TensorMap& map) const {
  impl_->context->enter();
  return encode_tensor_map(impl_->context->api(), map);
}

std::size_t Device::pitch_of(std::size_t row_bytes, std::size_t rows) {
  constexpr unsigned kElementBytes = 4;
  Context& context = *impl_->context;
  context.enter();
  CuDevicePtr address = 0;
  std::size_t pitch = 0;
  context.check(context.api().mem_alloc_pitch(&address, &pitch, row_bytes, rows, kElementBytes),
                "cuMemAllocPitch");
  context.api().mem_free(address);
  return pitch;
}

CopyTimes Device::time_copies(std::size_t bytes, HostMemory memory) {
  HostBuffer host(impl_->context, bytes, memory);
  Buffer buffer = make_buffer(bytes);
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  const Clock::time_point start = Clock::now();
  buffer.write(host.bytes());
  const Clock::time_point middle = Clock::now();
  buffer.read(host.bytes());
  return {ms(middle - start), ms(Clock::now() - middle)};
}

Result<LoadedKernel> Device::load(const std::string& image, const std::string& entry,
                                  Optimise optimise) {
  Context& context = *impl_->context;
  context.enter();
  constexpr std::size_t kLogBytes = 16 * 1024;
  std::vector<char> error_log(kLogBytes, '\0');
  std::array<int, 3> options = {kJitErrorLogBytes, kJitErrorLog, kJitOptimizationLevel};
  // Numbers are passed by value in the pointer (CUDA Driver API, cuModuleLoadDataEx).
  const std::uintptr_t level = optimise == Optimise::Not ? 0 : 4;
  std::array<void*, 3> values = {reinterpret_cast<void*>(kLogBytes - 1), error_log.data(),
                                 reinterpret_cast<void*>(level)};
  auto kernel = std::make_unique<LoadedKernel::Impl>(impl_->context);
  CuResult result = context.api().module_load_data_ex(&kernel->module, image.c_str(),
                                                      static_cast<unsigned>(options.size()),
                                                      options.data(), values.data());
  if (result != kCudaSuccess) {
    kernel->module = nullptr;
    return fail(fmt::format("{}: {} {}", entry,
                            describe(context.api(), result, "cuModuleLoadDataEx"),
                            error_log.data()));
  }
  result = context.api().module_get_function(&kernel->function, kernel->module, entry.c_str());
  if (result != kCudaSuccess) {
    return fail(
        fmt::format("{}: {}", entry, describe(context.api(), result, "cuModuleGetFunction")));
  }
  kernel->resources.registers = kernel->attribute(kFunctionRegisters);
  kernel->resources.static_shared_bytes = kernel->attribute(kFunctionSharedBytes);
  kernel->resources.local_bytes = kernel->attribute(kFunctionLocalBytes);
  return LoadedKernel(std::move(kernel));
}

void LoadedKernel::Impl::allow_dynamic_shared(std::uint32_t bytes) const {
  if (bytes > 0) {
    context->check(context->api().func_set_attribute(function, kFunctionMaxDynamicSharedBytes,
                                                     static_cast<int>(bytes)),
                   "cuFuncSetAttribute(dynamic shared memory)");
  }
}

int Device::max_active_blocks(const LoadedKernel& kernel, const LaunchShape& shape) {
  const Context& context = *impl_->context;
  context.enter();
  kernel.impl_->allow_dynamic_shared(shape.dynamic_shared_bytes);
  int blocks = 0;
  context.check(context.api().occupancy_max_active_blocks(&blocks, kernel.impl_->function,
                                                          static_cast<int>(shape.block.count()),
                                                          shape.dynamic_shared_bytes),
                "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

void Device::Impl::enqueue(const LoadedKernel::Impl& kernel, const LaunchShape& shape,
                           std::span<const std::byte> packed_arguments) {
  const DriverApi& api = context->api();
  kernel.allow_dynamic_shared(shape.dynamic_shared_bytes);
  // Separately if their positions are known: in one piece of memory (cuLaunchKernel's `extra`: 1 =
  // its address, 2 = its size, 0 = end), parameters that are aligned to 64 bytes do not arrive.
  std::vector<void*> places = parameters_of(api, kernel.function, packed_arguments);
  std::size_t bytes = packed_arguments.size();
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1),
                                const_cast<std::byte*>(packed_arguments.data()),
                                reinterpret_cast<void*>(2), &bytes, nullptr};
  context->check(
      api.launch_kernel(kernel.function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                        shape.block.y, shape.block.z, shape.dynamic_shared_bytes, context->stream(),
                        places.empty() ? nullptr : places.data(),
                        places.empty() ? extra.data() : nullptr),
      "cuLaunchKernel");
}

void Device::launch(const LoadedKernel& kernel, const LaunchShape& shape,
                    std::span<const std::byte> packed_arguments) {
  impl_->context->enter();
  impl_->enqueue(*kernel.impl_, shape, packed_arguments);
  impl_->context->wait();
}

template <class Enqueue>
float Device::Impl::time(const Enqueue& enqueue_work, const TimeOptions& options) {
  context->enter();
  // The flush runs long enough for the next calls to be queued even without a hold.
  context->flush_l2();
  if (options.l2 == L2::Warm) {
    enqueue_work();
  }
  const bool is_held = options.care == Care::Exact && context->holds();
  {
    std::optional<Hold> hold;
    if (is_held) {
      hold.emplace(*context);
    }
    context->mark_start();
    enqueue_work();
    context->mark_end();
  }
  if (options.during != nullptr) {
    *options.during = nvml ? nvml->clocks() : Clocks{};
  }
  const float milliseconds = context->wait_for_end();
  const bool was_let_go_too_early = is_held && !context->holds();
  return was_let_go_too_early ? time(enqueue_work, options) : milliseconds;
}

float Device::time(const LoadedKernel& kernel, const LaunchShape& shape,
                   std::span<const std::byte> packed_arguments, const TimeOptions& options) {
  return impl_->time([&] { impl_->enqueue(*kernel.impl_, shape, packed_arguments); }, options);
}

bool Device::has_cublas() {
  return why_no_cublas().empty();
}

std::string Device::why_no_cublas() {
  return impl_->products().why_not();
}

std::string Device::cublas_version() {
  return has_cublas() ? impl_->products().version() : std::string();
}

void Device::sgemm(const SgemmOperands& operands) {
  Products& products = impl_->products();
  impl_->context->enter();
  products.set_math(operands.math);
  products.enqueue_sgemm(operands);
  impl_->context->wait();
}

void Device::dgemm(const SgemmOperands& operands) {
  Products& products = impl_->products();
  impl_->context->enter();
  products.set_math(Math::Float32);
  products.enqueue_dgemm(operands);
  impl_->context->wait();
}

float Device::time_sgemm(const SgemmOperands& operands, const TimeOptions& options) {
  Products& products = impl_->products();
  impl_->context->enter();
  products.set_math(operands.math);
  return impl_->time([&] { products.enqueue_sgemm(operands); }, options);
}

}  // namespace tilestep::gpu
