// A CUDA driver, cuBLAS and NVML in host memory: one shared library with NVIDIA's symbol names, so
// that everything above dlopen runs in tests on a machine without a GPU.
//
// "Device" addresses are host addresses. A launch calls on_launch; timed launches take the time
// that the test sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::fake {

struct Launch {
  std::string entry;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;
};

struct Driver {
  // Set by the test.
  int init_result = 0;
  int device_count = 1;
  int alloc_result = 0;
  std::string jit_error;                        // not empty: module loading fails with this log
  std::function<int(const Launch&)> on_launch;  // a CUresult; null: nothing happens
  std::vector<float> durations_ms;              // of timed launches, in order; then the last one
                                                // repeats
  int blas_create_status = 0;
  int sgemm_status = 0;
  int refused_compute = 0;  // a cublasComputeType_t that this cuBLAS lacks
  double dgemm_slip = 0.0;  // added by cublasDgemm to every element: 0 is correct
  // A kernel's parameters: offset and bytes. Empty: this driver does not report them, and expects
  // them in one piece.
  std::vector<std::pair<std::size_t, std::size_t>> parameters;
  std::vector<std::uint64_t> tensor_map;  // inputs of the last one, and its map's contents
  bool never_ends = false;                // for any launch
  bool blocking_launches = false;         // as with CUDA_LAUNCH_BLOCKING
  // Host functions run on another thread, as in the real driver; otherwise when the caller asks
  // whether the work has ended, so that no test waits for a thread on a busy machine.
  bool own_thread = false;
  std::size_t memory_bytes = std::size_t{16} << 30;
  unsigned long long held_back = 0;  // nvmlClocksEventReason…

  // Read by the test.
  std::vector<std::string> calls;  // "memset 8388608", "record", "launch NAME", …
  std::map<std::uint64_t, std::vector<std::byte>> memory;
  std::size_t timed = 0;
  std::future<void> host_function;
  std::size_t calls_at_release = 0;  // size of `calls` when the last host function ended
  int contexts = 0;
  int modules = 0;
  std::map<void*, std::shared_ptr<void>> loaded;  // given up ones end with the process
  int blas_handles = 0;
  int math_mode = -1;
};

// The one driver of this process; the C interface has no other place for its state.
Driver& driver();
void reset();

}  // namespace tilestep::fake
