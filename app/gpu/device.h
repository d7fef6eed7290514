// The CUDA driver, cuBLAS and NVML, opened with dlopen when first needed.
//
//   open()            → Device, or a sentence that says why there is none
//   make_buffer()     → Buffer: device memory, freed by its owner
//   load()            → LoadedKernel: PTX compiled by the driver for this GPU, or its messages;
//                       or machine code as it is
//   launch(), time()  run it and wait; time() is one event-timed launch on a cold L2 cache
//   sgemm(), time_sgemm()  the same for cublasSgemm and cublasGemmEx; dgemm() for cublasDgemm
//
// A Device is for one thread at a time. Buffers and kernels may outlive it. Failures of the driver
// after a device was found throw GpuError.
#pragma once

#include "gpu/probe.h"
#include "problem/launch/launch.h"
#include "problem/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilestep::gpu {

// what(): the API call, CUDA's name for the error, the cure.
class GpuError : public std::runtime_error {
 public:
  GpuError(const std::string& message, int code, bool context_lost)
      : std::runtime_error(message), code_(code), context_lost_(context_lost) {}

  [[nodiscard]] int code() const { return code_; }  // CUresult, or cublasStatus_t
  // The kernel destroyed the context (for example by a wild pointer): every later call of this
  // process would fail in the same way (CUDA Driver API, CUDA_ERROR_ILLEGAL_ADDRESS and similar
  // errors).
  [[nodiscard]] bool context_lost() const { return context_lost_; }

 private:
  int code_;
  bool context_lost_;
};

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  int max_threads_per_sm = 0;
  std::string driver_version;  // "580.159" (NVML), or "CUDA 13.0" without NVML
  int cuda_driver_api = 0;     // 13000
  int max_sm_clock_mhz = 0;    // 0: unknown to NVML
};

struct Clocks {
  int sm_mhz = 0;  // 0: unknown to NVML
  int memory_mhz = 0;
  int temperature_c = 0;
  // Why the clocks were below their maximum, "power cap, thermal"; empty: not limited.
  std::string held_back_by{};
};

// Device memory; move-only.
class Buffer {
 public:
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::uint64_t address() const;
  [[nodiscard]] std::size_t bytes() const;
  void write(std::span<const std::byte> contents);  // as many bytes as the buffer has
  void fill(std::byte value);                       // 0xff poisons floats: NaN
  [[nodiscard]] std::vector<std::byte> read() const;
  void read(std::span<std::byte> into) const;  // as many bytes as the buffer has

 private:
  friend class Device;
  struct Impl;
  explicit Buffer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The resources of the kernel as compiled by the driver for this GPU (cuFuncGetAttribute).
struct KernelResources {
  int registers = 0;            // per thread
  int static_shared_bytes = 0;  // per block
  int local_bytes = 0;          // per thread: spills and local arrays
};

// One kernel's code in the context; move-only.
class LoadedKernel {
 public:
  ~LoadedKernel();
  LoadedKernel(LoadedKernel&&) noexcept;
  LoadedKernel& operator=(LoadedKernel&&) noexcept;
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  [[nodiscard]] const KernelResources& resources() const;

 private:
  friend class Device;
  struct Impl;
  explicit LoadedKernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Optimization of PTX by the driver's compiler. Not: debug code stays unoptimized (-O0).
enum class Optimise { Fully, Not };

struct LaunchShape {
  problem::Dim3 grid;
  problem::Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
};

// The L2 cache before a timed launch: none of its data, or what the previous launch left.
enum class L2 { Cold, Warm };

// Rough: calls are issued as the host makes them. For warming up, and for a first launch, which may
// load code. Exact: before the launch and its two events begin, the flush has ended and all of them
// are queued. So the time includes no gap and no write-back of the flushed lines.
enum class Care { Rough, Exact };

struct TimeOptions {
  L2 l2 = L2::Cold;
  Care care = Care::Exact;
  Clocks* during = nullptr;  // read while the launch runs
};

// Arithmetic that cuBLAS may use for a float32 product: float32 throughout (CUBLAS_PEDANTIC_MATH),
// its default, tensor cores on factors rounded to TF32; and, with cublasGemmEx, what its
// CUBLAS_COMPUTE_32F_… of that name allows.
enum class Math { Float32, Default, Tf32, FastTf32, Fast16F, Fast16BF, Emulated16BFX9 };

// Addresses of A: M×K, B: K×N, C: M×N, row-major float32.
struct SgemmOperands {
  problem::Problem problem;
  std::uint64_t A = 0;
  std::uint64_t B = 0;
  std::uint64_t C = 0;
  Math math = Math::Float32;
};

// Host memory: as an allocation returns it, or page-locked (cuMemAllocHost), which the GPU reads
// and writes directly.
enum class HostMemory { Pageable, PageLocked };

struct CopyTimes {
  double to_device_ms = 0.0;
  double to_host_ms = 0.0;
};

// A launch that takes longer than this is assumed never to end.
inline constexpr std::chrono::seconds kTimeLimit{60};

class Device {
 public:
  // Opens one of the devices. Fails with a sentence (and its cure) if there is no driver or no
  // device.
  [[nodiscard]] static Result<std::unique_ptr<Device>> open(
      const LibraryNames& libraries = default_libraries(), int ordinal = 0);
  [[nodiscard]] static Result<int> count(const LibraryNames& libraries = default_libraries());
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;

  [[nodiscard]] const DeviceInfo& info() const;
  [[nodiscard]] Clocks clocks() const;

  // A wait for a launch throws after this time, and then the device is unusable: the driver cannot
  // end a kernel, only the process that started it can end. What this process holds there stays
  // until its end.
  void set_time_limit(std::chrono::milliseconds limit);

  [[nodiscard]] Buffer make_buffer(std::size_t bytes);

  // The 128 bytes of a CUtensorMap, as the driver writes them. Fails with a sentence if the driver
  // is too old.
  [[nodiscard]] Result<problem::TensorMapBytes> tensor_map(const problem::TensorMap& map) const;
  // The same as a function for pack_arguments (loading/arguments.h); the device must outlive it.
  [[nodiscard]] std::function<Result<problem::TensorMapBytes>(const problem::TensorMap&)>
  tensor_map_maker() const {
    return [this](const problem::TensorMap& map) { return tensor_map(map); };
  }

  // Bytes from one row to the next, as cuMemAllocPitch chooses them for rows of 4-byte elements.
  [[nodiscard]] std::size_t pitch_of(std::size_t row_bytes, std::size_t rows);
  // One copy in each direction, timed by the host's clock from the call to its return.
  [[nodiscard]] CopyTimes time_copies(std::size_t bytes, HostMemory memory);

  // Fails with the driver compiler's own messages (too much shared memory, PTX newer than the
  // driver, …): that is an error of the kernel or the installation, not a broken device. `image`:
  // PTX, or a cubin made for this GPU (which `optimise` does not change).
  [[nodiscard]] Result<LoadedKernel> load(const std::string& image, const std::string& entry,
                                          Optimise optimise = Optimise::Fully);

  // Number of such blocks that an SM holds at once, from the driver; the grid does not matter.
  [[nodiscard]] int max_active_blocks(const LoadedKernel& kernel, const LaunchShape& shape);

  // `packed_arguments`: the parameter bytes in the layout of loading::pack_arguments. Waits for the
  // end.
  void launch(const LoadedKernel& kernel, const LaunchShape& shape,
              std::span<const std::byte> packed_arguments);
  // Milliseconds between two CUDA events around one launch, after overwriting a scratch buffer of
  // the L2 cache's size; warm: after one more launch of the same kernel.
  [[nodiscard]] float time(const LoadedKernel& kernel, const LaunchShape& shape,
                           std::span<const std::byte> packed_arguments,
                           const TimeOptions& options = {});

  // C = A·B by cublasSgemm.
  [[nodiscard]] bool has_cublas();             // opens the library at the first call
  [[nodiscard]] std::string why_no_cublas();   // a sentence; empty if cuBLAS is available
  [[nodiscard]] std::string cublas_version();  // "13.1.0"; empty without cuBLAS
  void sgemm(const SgemmOperands& operands);   // waits for the end; throws without cuBLAS
  [[nodiscard]] float time_sgemm(const SgemmOperands& operands, const TimeOptions& options = {});
  // The same in float64 by cublasDgemm: the addresses are those of doubles, `math` is ignored.
  void dgemm(const SgemmOperands& operands);

 private:
  struct Impl;
  explicit Device(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::gpu
