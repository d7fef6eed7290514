// The functions of the CUDA driver (libcuda.so.1) that Tilestep calls, as declared in the CUDA
// Driver API manual (NVIDIA CUDA Driver API, TRM-06703-001), so that a build needs no CUDA headers.
// A function whose interface was revised has its _v2 symbol, to which cuda.h's macros map the plain
// name.
#pragma once

#include "gpu/device.h"
#include "gpu/probe.h"
#include "problem/file.h"
#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
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
inline constexpr int kAttributeSmCount = 16;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeMaxThreadsPerSm = 39;
inline constexpr int kAttributeComputeMajor = 75;
inline constexpr int kAttributeComputeMinor = 76;

// CUfunction_attribute
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicSharedBytes = 8;

// CUjit_option
inline constexpr int kJitErrorLog = 5;
inline constexpr int kJitErrorLogBytes = 6;
inline constexpr int kJitOptimizationLevel = 7;

// Ordered with the legacy default stream, on which the last part of a cuMemcpyHtoD may still be
// under way when it returns (CUDA Driver API, "API synchronization behavior").
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
  // Null in older drivers. The first is of CUDA 12.4, the second of 12.0.
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

// Fails with the sentence that doctor shows: the library is missing, or lacks functions.
[[nodiscard]] Result<Driver> open_driver(const LibraryNames& names);

// After cuInit: the number of devices (at least one), and one of them. They fail with a sentence
// that says why there is none.
[[nodiscard]] Result<int> device_count(const DriverApi& api);
[[nodiscard]] Result<CuDevice> device_at(const DriverApi& api, int ordinal);

// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory). Choose smaller sizes …"
[[nodiscard]] std::string describe(const DriverApi& api, CuResult error, const std::string& call);

// After one of these the context returns only the same error.
[[nodiscard]] bool destroys_context(CuResult error);

// Throws GpuError unless `result` is success.
void check(const DriverApi& api, CuResult result, const std::string& call);

// cuBLAS as declared by its manual (DU-06702-001): the few functions for one matrix product, in
// float32 (in several ways) and in float64.

struct CublasHandleTag;
using CublasHandle = CublasHandleTag*;
using CublasStatus = int;

inline constexpr CublasStatus kCublasSuccess = 0;
inline constexpr int kCublasNoTranspose = 0;
inline constexpr CublasStatus kCublasInvalidValue = 7;
inline constexpr CublasStatus kCublasArchMismatch = 8;
inline constexpr CublasStatus kCublasNotSupported = 15;
inline constexpr int kCublasDefaultMath = 0;
inline constexpr int kCublasPedanticMath = 2;
inline constexpr int kCublasTf32Math = 3;
inline constexpr int kCublasFloat = 0;  // cudaDataType CUDA_R_32F
// cublasComputeType_t
inline constexpr int kCompute32fFast16f = 74;
inline constexpr int kCompute32fFast16bf = 75;
inline constexpr int kCompute32fFastTf32 = 77;
inline constexpr int kCompute32fEmulated16bfx9 = 78;
inline constexpr int kCublasDefaultAlgorithm = -1;  // cublasGemmAlgo_t CUBLAS_GEMM_DEFAULT

struct CublasApi {
  CublasStatus (*create)(CublasHandle* handle) = nullptr;
  CublasStatus (*destroy)(CublasHandle handle) = nullptr;
  CublasStatus (*set_stream)(CublasHandle handle, CuStream stream) = nullptr;
  CublasStatus (*set_math_mode)(CublasHandle handle, int mode) = nullptr;
  // libraryPropertyType: 0 major, 1 minor, 2 patch. Needs no handle.
  CublasStatus (*get_property)(int property, int* value) = nullptr;
  const char* (*get_status_string)(CublasStatus status) = nullptr;
  CublasStatus (*sgemm)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
                        const float* alpha, const float* A, int lda, const float* B, int ldb,
                        const float* beta, float* C, int ldc) = nullptr;
  // Null in versions without them.
  CublasStatus (*gemm_ex)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n,
                          int k, const void* alpha, const void* A, int type_a, int lda,
                          const void* B, int type_b, int ldb, const void* beta, void* C, int type_c,
                          int ldc, int compute, int algorithm) = nullptr;
  CublasStatus (*dgemm)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
                        const double* alpha, const double* A, int lda, const double* B, int ldb,
                        const double* beta, double* C, int ldc) = nullptr;
};

struct Cublas {
  SharedLibrary library;
  CublasApi api;
  std::string version;  // "13.1.0"
};

// Fails with the sentence that doctor shows.
[[nodiscard]] Result<Cublas> open_cublas(const LibraryNames& names);

// NVML (libnvidia-ml.so.1): the driver's version, clocks, power and temperature of one device, as
// declared by the NVML API reference manual. All of its values are optional.

struct NvmlDeviceTag;

class Nvml {
 public:
  // Fails with the sentence that doctor shows.
  [[nodiscard]] static Result<Nvml> open(const LibraryNames& names);

  [[nodiscard]] std::string driver_version() const;  // "580.159.03"; empty: unknown to NVML

  // The device with this PCI bus id (cuDeviceGetPCIBusId): CUDA and NVML number devices
  // differently.
  void select(const std::string& pci_bus_id);
  [[nodiscard]] Clocks clocks() const;         // zeros: unknown to NVML
  [[nodiscard]] int max_sm_clock_mhz() const;  // 0: unknown

 private:
  struct Api {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*system_driver_version)(char* text, unsigned bytes) = nullptr;
    int (*device_by_pci)(const char* pci_bus_id, NvmlDeviceTag** device) = nullptr;
    int (*clock)(NvmlDeviceTag* device, int type, unsigned* mhz) = nullptr;
    int (*max_clock)(NvmlDeviceTag* device, int type, unsigned* mhz) = nullptr;
    int (*temperature)(NvmlDeviceTag* device, int sensor, unsigned* celsius) = nullptr;
    int (*held_back)(NvmlDeviceTag* device, unsigned long long* reasons) = nullptr;
  };

  SharedLibrary library_;
  Api api_;
  std::shared_ptr<void> session_;  // nvmlShutdown with its last owner
  NvmlDeviceTag* device_ = nullptr;
};

}  // namespace tilestep::gpu
