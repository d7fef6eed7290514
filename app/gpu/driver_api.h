// The functions of the CUDA driver (libcuda.so.1) that Tilestep calls, as the CUDA Driver API
// manual declares them (NVIDIA CUDA Driver API, TRM-06703-001), so that building needs no CUDA
// headers. A function whose interface was revised carries its _v2 symbol: that is what cuda.h's
// macros turn the plain name into.
#pragma once

#include "gpu/device.h"
#include "gpu/probe.h"
#include "problem/file.h"
#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilestep::gpu {

// Opaque handles and scalars of the C interface.
struct CuContextTag;
struct CuModuleTag;
struct CuFunctionTag;
struct CuStreamTag;
struct CuEventTag;
using CuContext = CuContextTag*;
using CuModule = CuModuleTag*;
using CuFunction = CuFunctionTag*;
using CuStream = CuStreamTag*;
using CuEvent = CuEventTag*;
using CuDevice = int;
using CuDevicePtr = unsigned long long;
using CuResult = int;

inline constexpr CuResult kCudaSuccess = 0;
inline constexpr CuResult kCudaNotReady = 600;       // CUDA_ERROR_NOT_READY: work is under way
inline constexpr CuResult kCudaLaunchTimeout = 702;  // CUDA_ERROR_LAUNCH_TIMEOUT

// CUdevice_attribute
inline constexpr int kAttributeMaxThreadsPerBlock = 1;
inline constexpr int kAttributeSmCount = 16;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeMaxThreadsPerSm = 39;
inline constexpr int kAttributeComputeMajor = 75;
inline constexpr int kAttributeComputeMinor = 76;
inline constexpr int kAttributeSharedPerBlockOptin = 97;

// CUfunction_attribute
inline constexpr int kFunctionMaxThreadsPerBlock = 0;
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicSharedBytes = 8;

// CUjit_option
inline constexpr int kJitErrorLog = 5;
inline constexpr int kJitErrorLogBytes = 6;
inline constexpr int kJitOptimizationLevel = 7;

// Ordered with the legacy default stream, on which cuMemcpyHtoD's last part may still be under way
// when it returns (CUDA Driver API, "API synchronization behavior").
inline constexpr unsigned kStreamDefault = 0;

struct DriverApi {
  CuResult (*init)(unsigned flags) = nullptr;
  CuResult (*driver_get_version)(int* version) = nullptr;
  CuResult (*get_error_name)(CuResult error, const char** text) = nullptr;
  CuResult (*get_error_string)(CuResult error, const char** text) = nullptr;
  CuResult (*device_get_count)(int* count) = nullptr;
  CuResult (*device_get)(CuDevice* device, int ordinal) = nullptr;
  CuResult (*device_get_name)(char* name, int bytes, CuDevice device) = nullptr;
  CuResult (*device_total_mem)(std::size_t* bytes, CuDevice device) = nullptr;
  CuResult (*device_get_attribute)(int* value, int attribute, CuDevice device) = nullptr;
  CuResult (*device_get_pci_bus_id)(char* id, int bytes, CuDevice device) = nullptr;
  CuResult (*primary_ctx_retain)(CuContext* context, CuDevice device) = nullptr;
  CuResult (*primary_ctx_release)(CuDevice device) = nullptr;
  CuResult (*ctx_set_current)(CuContext context) = nullptr;
  CuResult (*module_load_data_ex)(CuModule* module, const void* image, unsigned option_count,
                                  int* options, void** option_values) = nullptr;
  CuResult (*module_unload)(CuModule module) = nullptr;
  CuResult (*module_get_function)(CuFunction* function, CuModule module,
                                  const char* name) = nullptr;
  CuResult (*func_get_attribute)(int* value, int attribute, CuFunction function) = nullptr;
  CuResult (*func_set_attribute)(CuFunction function, int attribute, int value) = nullptr;
  CuResult (*occupancy_max_active_blocks)(int* blocks, CuFunction function, int threads,
                                          std::size_t dynamic_shared_bytes) = nullptr;
  CuResult (*launch_kernel)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CuStream stream, void** parameters,
                            void** extra) = nullptr;
  CuResult (*mem_alloc)(CuDevicePtr* address, std::size_t bytes) = nullptr;
  CuResult (*mem_alloc_pitch)(CuDevicePtr* address, std::size_t* pitch, std::size_t row_bytes,
                              std::size_t rows, unsigned element_bytes) = nullptr;
  CuResult (*mem_free)(CuDevicePtr address) = nullptr;
  CuResult (*mem_alloc_host)(void** memory, std::size_t bytes) = nullptr;
  CuResult (*mem_free_host)(void* memory) = nullptr;
  CuResult (*memcpy_to_device)(CuDevicePtr to, const void* from, std::size_t bytes) = nullptr;
  CuResult (*memcpy_to_host)(void* to, CuDevicePtr from, std::size_t bytes) = nullptr;
  CuResult (*memset_d8_async)(CuDevicePtr to, unsigned char value, std::size_t bytes,
                              CuStream stream) = nullptr;
  CuResult (*stream_create)(CuStream* stream, unsigned flags) = nullptr;
  CuResult (*stream_destroy)(CuStream stream) = nullptr;
  CuResult (*stream_query)(CuStream stream) = nullptr;
  CuResult (*launch_host_func)(CuStream stream, void (*function)(void*), void* data) = nullptr;
  CuResult (*event_create)(CuEvent* event, unsigned flags) = nullptr;
  CuResult (*event_destroy)(CuEvent event) = nullptr;
  CuResult (*event_record)(CuEvent event, CuStream stream) = nullptr;
  CuResult (*event_query)(CuEvent event) = nullptr;
  CuResult (*event_elapsed_time)(float* milliseconds, CuEvent start, CuEvent end) = nullptr;
  // Older drivers have none of these: null. The first is of CUDA 12.4, the second of 12.0.
  CuResult (*func_get_param_info)(CuFunction function, std::size_t index, std::size_t* offset,
                                  std::size_t* bytes) = nullptr;
  CuResult (*tensor_map_encode_tiled)(void* map, int type, std::uint32_t rank, void* address,
                                      const std::uint64_t* dimensions, const std::uint64_t* strides,
                                      const std::uint32_t* box,
                                      const std::uint32_t* element_strides, int interleave,
                                      int swizzle, int l2_promotion, int out_of_bounds) = nullptr;
};

struct Driver {
  SharedLibrary library;
  DriverApi api;
};

// Fails with the sentence doctor shows: the library is missing, or lacks functions.
[[nodiscard]] Result<Driver> open_driver(const LibraryNames& names);

// cuInit and the first device. Fails with a sentence.
// How many there are (at least one), and one of them. They fail with the sentence why not.
[[nodiscard]] Result<int> device_count(const DriverApi& api);
[[nodiscard]] Result<CuDevice> device_at(const DriverApi& api, int ordinal);

// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory). Choose smaller sizes …"
[[nodiscard]] std::string describe(const DriverApi& api, CuResult error, const std::string& call);

// After one of these the context answers nothing but the same error.
[[nodiscard]] bool destroys_context(CuResult error);

// Throws GpuError unless `result` is success.
void check(const DriverApi& api, CuResult result, const std::string& call);

}  // namespace tilestep::gpu
