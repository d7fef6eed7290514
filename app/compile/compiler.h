// CUDA C++ text → PTX, machine code or diagnostics, through NVRTC and a content-addressed cache.
//
// This room is the only user of NVRTC. The library (109 MB) is opened with dlopen at the first
// compile that no cache answers, so a start that shows a catalog kernel never opens it.
#pragma once

#include "compile/cache.h"
#include "compile/diagnostics.h"
#include "compile/request.h"
#include "problem/launch/launch.h"
#include "problem/result.h"

#include <filesystem>
#include <memory>
#include <string>

namespace tilestep::compile {

struct NvrtcInfo {
  bool found = false;
  std::string path;  // the path that dlopen opened
  int major = 0;
  int minor = 0;
  std::string include;  // the toolkit's headers; empty: not found, kernels cannot #include them
  std::string why_not;  // sentence with the cure if not found
};

// Thread-safe: several threads may call compile() at once; equal requests share one compile.
class Compiler {
 public:
  explicit Compiler(CacheOptions cache);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;

  // Tries the caches first (memory, user directory, shipped), then NVRTC, whose result is stored in
  // memory and in the user directory. A directory that cannot be written is no error. A text that
  // does not compile is an Output with diagnostics, not an Error. An Error means that nothing could
  // compile it: no cache entry and no NVRTC; the message says how to get one.
  [[nodiscard]] Result<Output> compile(const Request& request);

  // Opens NVRTC if it is not open yet.
  [[nodiscard]] NvrtcInfo nvrtc();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// $XDG_CACHE_HOME/tilestep/ptx or ~/.cache/tilestep/ptx.
[[nodiscard]] std::filesystem::path default_cache_directory();

}  // namespace tilestep::compile
