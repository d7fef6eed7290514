#include "gpu/driver_api.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::gpu {
namespace {

// CUresult values with a known cause. Numbers: CUDA Driver API, "CUresult".
struct KnownError {
  CuResult code;
  bool destroys_context;
  Message cure;
};

constexpr std::array kKnownErrors = {
    KnownError{2, false,
               Message("Choose smaller sizes, or close other programs that use the GPU.")},
    KnownError{34, false,
               Message("The library found is the toolkit's link-time stub. Install the NVIDIA "
                       "driver, or remove the stubs folder from LD_LIBRARY_PATH.")},
    KnownError{46, false, Message("Another program uses the GPU exclusively: end it, or wait.")},
    KnownError{
        100, false,
        Message(
            "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it.")},
    KnownError{101, false, Message("Check CUDA_VISIBLE_DEVICES.")},
    KnownError{209, false,
               Message("The PTX targets a newer GPU than this one: compile for compute_80.")},
    KnownError{214, true,
               Message("The GPU's memory failed: restart the program, then the machine.")},
    KnownError{218, false, Message("The driver's compiler rejected the PTX; its messages follow.")},
    KnownError{
        221, false,
        Message("libnvidia-ptxjitcompiler is missing: install the driver's complete package.")},
    KnownError{
        222, false,
        Message(
            "The PTX is newer than the driver: update the NVIDIA driver, or use the NVRTC of an "
            "older CUDA Toolkit.")},
    KnownError{223, false, Message("Unset CUDA_DISABLE_PTX_JIT.")},
    KnownError{500, false, Message("The PTX has no entry of that name.")},
    KnownError{
        700, true,
        Message("The kernel read or stored outside its buffers: 'tilestep check' names the thread "
                "and the line. Restart the program before using the GPU again.")},
    KnownError{
        701, false,
        Message("The block needs more registers or shared memory than an SM has: choose a smaller "
                "BLOCK_SIZE.")},
    KnownError{
        702, true,
        Message(
            "The display driver's watchdog ended the kernel: choose smaller sizes, or a GPU that "
            "drives no display. Restart the program before using the GPU again.")},
    KnownError{710, true, Message("An assert in the kernel failed. Restart the program.")},
    KnownError{714, true, Message("The kernel's call stack overflowed. Restart the program.")},
    KnownError{715, true,
               Message("The kernel executed an illegal instruction. Restart the program.")},
    KnownError{
        716, true,
        Message("The kernel used a misaligned address: 'tilestep check' names the thread and the "
                "line. Restart the program before using the GPU again.")},
    KnownError{717, true,
               Message("The kernel used an address of another memory space. Restart the program.")},
    KnownError{718, true, Message("The kernel jumped to an invalid address. Restart the program.")},
    KnownError{
        719, true,
        Message("The kernel failed on the device: 'tilestep check' finds most causes. Restart the "
                "program before using the GPU again.")},
    KnownError{802, false,
               Message("The system is not ready: start the NVIDIA fabric manager, then retry.")},
    KnownError{803, false,
               Message("The driver's kernel module and its library have different versions: "
                       "restart the machine.")},
    KnownError{804, false, Message("Remove the CUDA compatibility package, or update the driver.")},
    KnownError{
        999, true,
        Message("Restart the program. If the error remains, check dmesg and restart the machine.")},
};

const KnownError* find_known(CuResult error) {
  const auto* it = std::ranges::find_if(
      kKnownErrors, [error](const KnownError& known) { return known.code == error; });
  return it == kKnownErrors.end() ? nullptr : it;
}

template <class Function>
void bind_if_there(const SharedLibrary& library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(library.symbol(name));
}

void bind_all(SharedLibrary& library, DriverApi& api) {
  library.bind(api.init, "cuInit");
  library.bind(api.driver_get_version, "cuDriverGetVersion");
  library.bind(api.get_error_name, "cuGetErrorName");
  library.bind(api.get_error_string, "cuGetErrorString");
  library.bind(api.device_get_count, "cuDeviceGetCount");
  library.bind(api.device_get, "cuDeviceGet");
  library.bind(api.device_get_name, "cuDeviceGetName");
  library.bind(api.device_total_mem, "cuDeviceTotalMem_v2");
  library.bind(api.device_get_attribute, "cuDeviceGetAttribute");
  library.bind(api.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  library.bind(api.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  library.bind(api.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  library.bind(api.ctx_set_current, "cuCtxSetCurrent");
  library.bind(api.module_load_data_ex, "cuModuleLoadDataEx");
  library.bind(api.module_unload, "cuModuleUnload");
  library.bind(api.module_get_function, "cuModuleGetFunction");
  library.bind(api.func_get_attribute, "cuFuncGetAttribute");
  library.bind(api.func_set_attribute, "cuFuncSetAttribute");
  library.bind(api.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.bind(api.launch_kernel, "cuLaunchKernel");
  library.bind(api.mem_alloc, "cuMemAlloc_v2");
  library.bind(api.mem_alloc_pitch, "cuMemAllocPitch_v2");
  library.bind(api.mem_free, "cuMemFree_v2");
  library.bind(api.mem_alloc_host, "cuMemAllocHost_v2");
  library.bind(api.mem_free_host, "cuMemFreeHost");
  library.bind(api.memcpy_to_device, "cuMemcpyHtoD_v2");
  library.bind(api.memcpy_to_host, "cuMemcpyDtoH_v2");
  library.bind(api.memset_d8_async, "cuMemsetD8Async");
  library.bind(api.stream_create, "cuStreamCreate");
  library.bind(api.stream_destroy, "cuStreamDestroy_v2");
  library.bind(api.stream_query, "cuStreamQuery");
  library.bind(api.launch_host_func, "cuLaunchHostFunc");
  library.bind(api.event_create, "cuEventCreate");
  library.bind(api.event_destroy, "cuEventDestroy_v2");
  library.bind(api.event_record, "cuEventRecord");
  library.bind(api.event_query, "cuEventQuery");
  library.bind(api.event_elapsed_time, "cuEventElapsedTime");
  bind_if_there(library, api.func_get_param_info, "cuFuncGetParamInfo");
  bind_if_there(library, api.tensor_map_encode_tiled, "cuTensorMapEncodeTiled");
}

constexpr int kNvmlSuccess = 0;
// nvmlClockType_t
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
// nvmlTemperatureSensors_t
constexpr int kSensorGpu = 0;

// nvmlClocksEventReason…; nothing limits the clocks of an idle GPU (bit 0).
std::string reasons_text(unsigned long long reasons) {
  constexpr std::pair<unsigned long long, const char*> kReasons[] = {
      {0x2, "application clocks"}, {0x4, "power cap"},       {0x8, "hardware slowdown"},
      {0x10, "sync boost"},        {0x20, "thermal"},        {0x40, "hardware thermal"},
      {0x80, "power brake"},       {0x100, "display clocks"}};
  std::string text;
  for (const auto& [bit, name] : kReasons) {
    if ((reasons & bit) != 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
  }
  return text;
}

}  // namespace

Result<Driver> open_driver(const LibraryNames& names) {
  Result<SharedLibrary> library = SharedLibrary::open(names.driver);
  if (!library) {
    return fail(tr("No CUDA driver: {}. Install the NVIDIA driver to run kernels on a GPU.",
                   library.error().message));
  }
  Driver driver{std::move(*library), {}};
  bind_all(driver.library, driver.api);
  if (!driver.library.missing().empty()) {
    return fail(tr("The CUDA driver {} is too old: it lacks {}. Update the NVIDIA driver.",
                   driver.library.name(), fmt::join(driver.library.missing(), ", ")));
  }
  return driver;
}

Result<int> device_count(const DriverApi& api) {
  if (const CuResult result = api.init(0); result != kCudaSuccess) {
    return fail(tr("No GPU: {}", describe(api, result, "cuInit")));
  }
  int count = 0;
  if (const CuResult result = api.device_get_count(&count); result != kCudaSuccess) {
    return fail(tr("No GPU: {}", describe(api, result, "cuDeviceGetCount")));
  }
  if (count == 0) {
    return fail(
        tr("No GPU: the driver lists no device. Check that nvidia-smi lists a GPU and that "
           "CUDA_VISIBLE_DEVICES does not hide it."));
  }
  return count;
}

Result<CuDevice> device_at(const DriverApi& api, int ordinal) {
  const Result<int> count = device_count(api);
  if (!count) {
    return tl::unexpected(count.error());
  }
  if (ordinal < 0 || ordinal >= *count) {
    return fail(
        tr("No GPU {}: GPUs are numbered from 0, and the driver lists {}.", ordinal, *count));
  }
  CuDevice device = 0;
  if (const CuResult result = api.device_get(&device, ordinal); result != kCudaSuccess) {
    return fail(tr("No GPU: {}", describe(api, result, "cuDeviceGet")));
  }
  return device;
}

std::string describe(const DriverApi& api, CuResult error, const std::string& call) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.get_error_name(error, &name);
  api.get_error_string(error, &text);
  std::string message = tr("{} failed: {} ({}).", call, name ? name : tr("an unknown error"),
                           text ? text : std::to_string(error));
  if (const KnownError* known = find_known(error)) {
    message += ' ';
    message += known->cure.text();
  }
  return message;
}

bool destroys_context(CuResult error) {
  const KnownError* known = find_known(error);
  return known != nullptr && known->destroys_context;
}

void check(const DriverApi& api, CuResult result, const std::string& call) {
  if (result != kCudaSuccess) {
    throw GpuError(describe(api, result, call), result, destroys_context(result));
  }
}

Result<Cublas> open_cublas(const LibraryNames& names) {
  Result<SharedLibrary> library = SharedLibrary::open(names.cublas);
  if (!library) {
    return fail(
        tr("No cuBLAS: {}. Install the CUDA Toolkit's cuBLAS (libcublas.so.13) to compare with it.",
           library.error().message));
  }
  Cublas cublas{std::move(*library), {}, {}};
  cublas.library.bind(cublas.api.create, "cublasCreate_v2");
  cublas.library.bind(cublas.api.destroy, "cublasDestroy_v2");
  cublas.library.bind(cublas.api.set_stream, "cublasSetStream_v2");
  cublas.library.bind(cublas.api.set_math_mode, "cublasSetMathMode");
  cublas.library.bind(cublas.api.get_property, "cublasGetProperty");
  cublas.library.bind(cublas.api.get_status_string, "cublasGetStatusString");
  cublas.library.bind(cublas.api.sgemm, "cublasSgemm_v2");
  if (!cublas.library.missing().empty()) {
    return fail(tr("cuBLAS {} is too old: it lacks {}. Install version 12 or newer.",
                   cublas.library.name(), fmt::join(cublas.library.missing(), ", ")));
  }
  // Functions that only some commands need are reported missing by those commands.
  cublas.library.bind(cublas.api.gemm_ex, "cublasGemmEx");
  cublas.library.bind(cublas.api.dgemm, "cublasDgemm_v2");
  int version[3] = {0, 0, 0};
  for (int property = 0; property < 3; ++property) {
    if (cublas.api.get_property(property, &version[property]) != kCublasSuccess) {
      return fail(tr("cuBLAS {} did not report its version. Reinstall the CUDA Toolkit.",
                     cublas.library.name()));
    }
  }
  cublas.version = fmt::format("{}.{}.{}", version[0], version[1], version[2]);
  return cublas;
}

Result<Nvml> Nvml::open(const LibraryNames& names) {
  Result<SharedLibrary> library = SharedLibrary::open(names.nvml);
  if (!library) {
    return fail(
        tr("No NVML: {}. NVML is part of the NVIDIA driver; without it, clock rates are unknown.",
           library.error().message));
  }
  Nvml nvml;
  nvml.library_ = std::move(*library);
  nvml.library_.bind(nvml.api_.init, "nvmlInit_v2");
  nvml.library_.bind(nvml.api_.shutdown, "nvmlShutdown");
  nvml.library_.bind(nvml.api_.system_driver_version, "nvmlSystemGetDriverVersion");
  nvml.library_.bind(nvml.api_.device_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  nvml.library_.bind(nvml.api_.clock, "nvmlDeviceGetClockInfo");
  nvml.library_.bind(nvml.api_.max_clock, "nvmlDeviceGetMaxClockInfo");
  nvml.library_.bind(nvml.api_.temperature, "nvmlDeviceGetTemperature");
  nvml.library_.bind(nvml.api_.held_back, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!nvml.library_.missing().empty()) {
    return fail(tr("NVML {} is too old: it lacks {}. Update the NVIDIA driver.",
                   nvml.library_.name(), fmt::join(nvml.library_.missing(), ", ")));
  }
  if (const int status = nvml.api_.init(); status != kNvmlSuccess) {
    return fail(
        tr("NVML: nvmlInit failed with {}; clock rates are unknown. Check that nvidia-smi runs.",
           status));
  }
  nvml.session_ = std::shared_ptr<void>(
      nullptr, [shutdown = nvml.api_.shutdown](void* /*unused*/) { shutdown(); });
  return nvml;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const int status =
      api_.system_driver_version(text.data(), static_cast<unsigned>(text.size() - 1));
  return status == kNvmlSuccess ? std::string(text.data()) : std::string();
}

void Nvml::select(const std::string& pci_bus_id) {
  if (api_.device_by_pci(pci_bus_id.c_str(), &device_) != kNvmlSuccess) {
    device_ = nullptr;
  }
}

Clocks Nvml::clocks() const {
  Clocks clocks;
  if (device_ == nullptr) {
    return clocks;
  }
  unsigned value = 0;
  if (api_.clock(device_, kClockSm, &value) == kNvmlSuccess) {
    clocks.sm_mhz = static_cast<int>(value);
  }
  if (api_.clock(device_, kClockMemory, &value) == kNvmlSuccess) {
    clocks.memory_mhz = static_cast<int>(value);
  }
  if (api_.temperature(device_, kSensorGpu, &value) == kNvmlSuccess) {
    clocks.temperature_c = static_cast<int>(value);
  }
  unsigned long long reasons = 0;
  if (api_.held_back(device_, &reasons) == kNvmlSuccess) {
    clocks.held_back_by = reasons_text(reasons);
  }
  return clocks;
}

int Nvml::max_sm_clock_mhz() const {
  unsigned value = 0;
  if (device_ == nullptr || api_.max_clock(device_, kClockSm, &value) != kNvmlSuccess) {
    return 0;
  }
  return static_cast<int>(value);
}

}  // namespace tilestep::gpu
