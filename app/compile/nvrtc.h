// NVIDIA's run-time compiler, opened with dlopen.
#pragma once

#include "compile/compiler.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::compile {

// Search order:
//   the file or folder in TILESTEP_NVRTC (and then nowhere else),
//   the loader's own path,
//   /usr/local/cuda*/lib64 and targets/x86_64-linux/lib,
//   the pinned wheel below ${XDG_CACHE_HOME:-~/.cache} (third_party/README.md).
class Nvrtc {
 public:
  Nvrtc();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;
  Nvrtc(Nvrtc&&) = delete;
  Nvrtc& operator=(Nvrtc&&) = delete;

  [[nodiscard]] const NvrtcInfo& info() const;

  // Precondition: info().found. Thread-safe. A text that does not compile is an Output; an Error
  // means that the compiler itself failed.
  [[nodiscard]] Result<Output> compile(const Request& request);

 private:
  struct Api;
  std::unique_ptr<Api> api_;
};

// Possible locations of a compiler library on this machine.

// Files and bare sonames for dlopen, best first.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

}  // namespace tilestep::compile
