#include "gpu/fake_driver.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tuple>

namespace tilestep::fake {

namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidPtx = 218;
constexpr int kNotFound = 500;
constexpr int kNotReady = 600;
constexpr int kIllegalAddress = 700;

struct Module {
  std::string text;
  std::vector<std::unique_ptr<std::string>> functions;
};

// The allocation that holds [address, address + bytes), or null.
std::byte* find(std::uint64_t address, std::size_t bytes) {
  for (auto& [base, contents] : driver().memory) {
    if (address >= base && address + bytes <= base + contents.size()) {
      return contents.data() + (address - base);
    }
  }
  return nullptr;
}

// PTX is text; an ELF file ends with its table of sections.
std::string image_text(const char* image) {
  if (std::strncmp(image, "\177ELF", 4) != 0) {
    return image;
  }
  std::uint64_t sections = 0;
  std::uint16_t size = 0;
  std::uint16_t count = 0;
  std::memcpy(&sections, image + 0x28, sizeof sections);
  std::memcpy(&size, image + 0x3a, sizeof size);
  std::memcpy(&count, image + 0x3c, sizeof count);
  return {image, sections + std::uint64_t{size} * count};
}

void copy_text(const std::string& text, char* to, std::size_t bytes) {
  const std::size_t length = text.copy(to, bytes - 1);
  to[length] = '\0';
}

// For tests of the whole program, which cannot call into the driver.
Driver from_environment() {
  const auto number = [](const char* name) {
    const char* const text = std::getenv(name);
    int value = 0;
    if (text != nullptr) {
      std::from_chars(text, text + std::strlen(text), value);
    }
    return value;
  };
  Driver driver;
  driver.init_result = number("TILESTEP_FAKE_INIT");
  driver.alloc_result = number("TILESTEP_FAKE_ALLOC");
  const int lost_at = number("TILESTEP_FAKE_LOST_AT");
  const int endless_at = number("TILESTEP_FAKE_ENDLESS_AT");
  driver.on_launch = [lost_at, endless_at, launches = 0](const Launch&) mutable {
    ++launches;
    fake::driver().never_ends = launches == endless_at;
    return launches == lost_at ? kIllegalAddress : 0;
  };
  return driver;
}

// A function on a separate thread is left alone; any other is called here.
bool host_function_has_ended() {
  const auto& host = driver().host_function;
  if (!host.valid()) {
    return true;
  }
  if (host.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) {
    host.wait();
  }
  return host.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

int under_way() {
  return !host_function_has_ended() || driver().never_ends ? kNotReady : 0;
}

void wait_for_host_function() {
  if (driver().host_function.valid()) {
    driver().host_function.wait();
  }
}

}  // namespace

Driver& driver() {
  static Driver instance = from_environment();
  return instance;
}

void reset() {
  driver() = Driver{};
}

}  // namespace tilestep::fake

using tilestep::fake::driver;

extern "C" {

int cuInit(unsigned) {
  return driver().init_result;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cuGetErrorName(int error, const char** text) {
  *text = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 100 ? "CUDA_ERROR_NO_DEVICE"
          : error == 218 ? "CUDA_ERROR_INVALID_PTX"
          : error == 500 ? "CUDA_ERROR_NOT_FOUND"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                         : nullptr;
  return *text == nullptr ? 1 : 0;
}

int cuGetErrorString(int error, const char** text) {
  *text = error == 2 ? "out of memory" : error == 700 ? "an illegal memory access" : nullptr;
  return *text == nullptr ? 1 : 0;
}

int cuDeviceGetCount(int* count) {
  *count = driver().device_count;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < driver().device_count ? 0 : 101;
}

int cuDeviceGetName(char* name, int bytes, int) {
  tilestep::fake::copy_text("Fake GPU", name, static_cast<std::size_t>(bytes));
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = driver().memory_bytes;
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> values = {{1, 1024}, {16, 4}, {38, 6 << 20}, {39, 2048},
                                     {75, 9},   {76, 0}, {97, 232448}};
  const auto it = values.find(attribute);
  *value = it == values.end() ? 0 : it->second;
  return it == values.end() ? 1 : 0;
}

int cuDeviceGetPCIBusId(char* id, int bytes, int) {
  tilestep::fake::copy_text("0000:01:00.0", id, static_cast<std::size_t>(bytes));
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &driver();
  ++driver().contexts;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  --driver().contexts;
  return 0;
}

int cuCtxSetCurrent(void*) {
  return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
  if (!driver().jit_error.empty()) {
    std::size_t bytes = 0;
    char* log = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      bytes = options[i] == 6 ? reinterpret_cast<std::size_t>(values[i]) : bytes;
      log = options[i] == 5 ? static_cast<char*>(values[i]) : log;
    }
    tilestep::fake::copy_text(driver().jit_error, log, bytes);
    return tilestep::fake::kInvalidPtx;
  }
  auto loaded = std::make_shared<tilestep::fake::Module>();
  loaded->text = tilestep::fake::image_text(static_cast<const char*>(image));
  *module = loaded.get();
  driver().loaded.emplace(*module, std::move(loaded));
  ++driver().modules;
  return 0;
}

int cuModuleUnload(void* module) {
  driver().loaded.erase(module);
  --driver().modules;
  return 0;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  auto* loaded = static_cast<tilestep::fake::Module*>(module);
  if (loaded->text.find(name) == std::string::npos) {
    return tilestep::fake::kNotFound;
  }
  loaded->functions.push_back(std::make_unique<std::string>(name));
  *function = loaded->functions.back().get();
  return 0;
}

int cuFuncGetAttribute(int* value, int attribute, void*) {
  const std::map<int, int> values = {{0, 1024}, {1, 2048}, {3, 0}, {4, 37}};
  *value = values.at(attribute);
  return 0;
}

int cuFuncSetAttribute(void*, int attribute, int value) {
  driver().calls.push_back("attribute " + std::to_string(attribute) + " " + std::to_string(value));
  return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                std::size_t shared) {
  driver().calls.push_back("occupancy " + *static_cast<std::string*>(function) + " " +
                           std::to_string(threads) + " " + std::to_string(shared));
  *blocks = 2048 / threads;
  return 0;
}

int cuFuncGetParamInfo(void*, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (index >= driver().parameters.size()) {
    return tilestep::fake::kInvalidValue;
  }
  std::tie(*offset, *bytes) = driver().parameters[index];
  return 0;
}

// The map holds its inputs.
int cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void* address,
                           const std::uint64_t* dimensions, const std::uint64_t* strides,
                           const std::uint32_t* box, const std::uint32_t*, int, int swizzle, int,
                           int) {
  const std::vector<std::uint64_t> parts{static_cast<std::uint64_t>(type),
                                         rank,
                                         reinterpret_cast<std::uint64_t>(address),
                                         dimensions[0],
                                         dimensions[1],
                                         strides[0],
                                         box[0],
                                         box[1],
                                         static_cast<std::uint64_t>(swizzle)};
  driver().tensor_map = parts;
  std::memcpy(map, parts.data(), parts.size() * sizeof(parts[0]));
  return 0;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void*, void** parameters, void** extra) {
  const bool in_one_piece = extra != nullptr && extra[0] == reinterpret_cast<void*>(1) &&
                            extra[2] == reinterpret_cast<void*>(2) && extra[4] == nullptr;
  if ((parameters == nullptr) != in_one_piece || in_one_piece != driver().parameters.empty()) {
    return tilestep::fake::kInvalidValue;
  }
  tilestep::fake::Launch launch{
      *static_cast<std::string*>(function), {gx, gy, gz}, {bx, by, bz}, shared, {}};
  if (in_one_piece) {
    const auto* bytes = static_cast<const std::byte*>(extra[1]);
    launch.arguments.assign(bytes, bytes + *static_cast<const std::size_t*>(extra[3]));
  }
  for (std::size_t i = 0; i < driver().parameters.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(parameters[i]);
    launch.arguments.insert(launch.arguments.end(), bytes, bytes + driver().parameters[i].second);
  }
  driver().calls.push_back("launch " + launch.entry);
  if (driver().blocking_launches) {
    tilestep::fake::wait_for_host_function();
  }
  return driver().on_launch ? driver().on_launch(launch) : 0;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (driver().alloc_result != 0) {
    return driver().alloc_result;
  }
  std::vector<std::byte> contents(bytes);
  *address = reinterpret_cast<std::uint64_t>(contents.data());
  driver().memory.emplace(*address, std::move(contents));
  return 0;
}

int cuMemFree_v2(std::uint64_t address) {
  return driver().memory.erase(address) == 1 ? 0 : tilestep::fake::kInvalidValue;
}

int cuMemAllocPitch_v2(std::uint64_t* address, std::size_t* pitch, std::size_t row_bytes,
                       std::size_t rows, unsigned) {
  constexpr std::size_t kPitch = 512;
  *pitch = (row_bytes + kPitch - 1) / kPitch * kPitch;
  return cuMemAlloc_v2(address, *pitch * rows);
}

int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return 0;
}

int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  std::byte* target = tilestep::fake::find(to, bytes);
  if (target == nullptr) {
    return tilestep::fake::kInvalidValue;
  }
  std::memcpy(target, from, bytes);
  return 0;
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const std::byte* source = tilestep::fake::find(from, bytes);
  if (source == nullptr) {
    return tilestep::fake::kInvalidValue;
  }
  std::memcpy(to, source, bytes);
  return 0;
}

int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void*) {
  std::byte* target = tilestep::fake::find(to, bytes);
  if (target == nullptr) {
    return tilestep::fake::kInvalidValue;
  }
  std::memset(target, value, bytes);
  driver().calls.push_back("memset " + std::to_string(bytes));
  return 0;
}

int cuStreamCreate(void** stream, unsigned) {
  *stream = &driver();
  return 0;
}

int cuStreamDestroy_v2(void*) {
  return 0;
}

int cuStreamQuery(void*) {
  return tilestep::fake::under_way();
}

int cuLaunchHostFunc(void*, void (*function)(void*), void* data) {
  tilestep::fake::wait_for_host_function();
  driver().calls.emplace_back("hold");
  const auto when = driver().own_thread ? std::launch::async : std::launch::deferred;
  driver().host_function = std::async(when, [function, data] {
    function(data);
    driver().calls_at_release = driver().calls.size();
  });
  return 0;
}

int cuEventCreate(void** event, unsigned) {
  *event = &driver();
  return 0;
}

int cuEventDestroy_v2(void*) {
  return 0;
}

int cuEventRecord(void*, void*) {
  driver().calls.emplace_back("record");
  return 0;
}

int cuEventQuery(void*) {
  return tilestep::fake::under_way();
}

int cuEventElapsedTime(float* milliseconds, void*, void*) {
  const auto& durations = driver().durations_ms;
  *milliseconds =
      durations.empty() ? 1.0F : durations[std::min(driver().timed, durations.size() - 1)];
  ++driver().timed;
  return 0;
}

int cublasCreate_v2(void** handle) {
  if (driver().blas_create_status != 0) {
    return driver().blas_create_status;
  }
  *handle = &driver();
  ++driver().blas_handles;
  return 0;
}

int cublasDestroy_v2(void*) {
  --driver().blas_handles;
  return 0;
}

int cublasSetStream_v2(void*, void*) {
  return 0;
}

int cublasSetMathMode(void*, int mode) {
  driver().math_mode = mode;
  return 0;
}

int cublasGetProperty(int property, int* value) {
  *value = property == 0 ? 13 : property;
  return 0;
}

const char* cublasGetStatusString(int) {
  return "the library was not initialized";
}

// Column-major, no transposition: as documented by cuBLAS.
int cublasSgemm_v2(void*, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                   const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                   int ldc) {
  if (transpose_a != 0 || transpose_b != 0 || *alpha != 1.0F || *beta != 0.0F) {
    return 7;
  }
  driver().calls.emplace_back("sgemm");
  for (int col = 0; col < n; ++col) {
    float* const sums = C + col * ldc;
    std::fill(sums, sums + m, 0.0F);
    for (int i = 0; i < k; ++i) {  // along the columns of A, as stored
      for (int row = 0; row < m; ++row) {
        sums[row] += A[i * lda + row] * B[col * ldb + i];
      }
    }
  }
  return driver().sgemm_status;
}

int cublasGemmEx(void*, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                 const void* A, int, int lda, const void* B, int, int ldb, const void* beta,
                 void* C, int, int ldc, int compute, int) {
  if (driver().refused_compute == compute) {
    return 15;  // CUBLAS_STATUS_NOT_SUPPORTED
  }
  driver().calls.emplace_back("gemm_ex " + std::to_string(compute));
  return cublasSgemm_v2(nullptr, transpose_a, transpose_b, m, n, k,
                        static_cast<const float*>(alpha), static_cast<const float*>(A), lda,
                        static_cast<const float*>(B), ldb, static_cast<const float*>(beta),
                        static_cast<float*>(C), ldc);
}

int cublasDgemm_v2(void*, int, int, int m, int n, int k, const double*, const double* A, int lda,
                   const double* B, int ldb, const double*, double* C, int ldc) {
  driver().calls.emplace_back("dgemm");
  for (int col = 0; col < n; ++col) {
    for (int row = 0; row < m; ++row) {
      double sum = driver().dgemm_slip;
      for (int i = 0; i < k; ++i) {
        sum += A[i * lda + row] * B[col * ldb + i];
      }
      C[col * ldc + row] = sum;
    }
  }
  return 0;
}

}  // extern "C"
