#include "gpu/driver_api.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tilestep::gpu {

namespace {

// CUresult values whose cause can be told in a sentence. Numbers: CUDA Driver API, "CUresult".
struct KnownError {
  CuResult code;
  bool destroys_context;
  Message cure;
};

constexpr std::array kKnownErrors = {
    KnownError{2, false,
               Message("Choose smaller sizes, or close other programs that use the GPU.")},
    KnownError{
        34, false,
        Message("This is the toolkit's link-time stub. Install the NVIDIA driver, or remove the "
                "stubs folder from LD_LIBRARY_PATH.")},
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
    KnownError{218, false, Message("The driver's compiler refused the PTX; its messages follow.")},
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
    KnownError{715, true, Message("The kernel hit an illegal instruction. Restart the program.")},
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
    KnownError{
        803, false,
        Message("Kernel module and driver library have different versions: restart the machine.")},
    KnownError{804, false, Message("Remove the CUDA compatibility package, or update the driver.")},
    KnownError{
        999, true,
        Message("Restart the program. If the error remains, check dmesg and restart the machine.")},
};

const KnownError* find_known(CuResult error) {
  const auto* it = std::find_if(kKnownErrors.begin(), kKnownErrors.end(),
                                [error](const KnownError& known) { return known.code == error; });
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
    return fail(tr("No GPU {}: the driver lists {}, numbered from 0.", ordinal, *count));
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

}  // namespace tilestep::gpu
