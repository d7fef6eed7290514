// A PTX kernel from any bytes: every byte is a choice, so that a small change of the bytes is a
// small change of the kernel.
#pragma once

#include "targets.h"

#include <cstdint>
#include <string>

namespace tilestep::fuzz {

struct RandomKernel {
  std::string ptx;
  std::uint32_t blocks = 1;
  std::uint32_t threads = 32;
  int warp_size = 32;
};

inline constexpr std::uint32_t kBufferBytes = 1024;

[[nodiscard]] RandomKernel make_kernel(Bytes bytes);

}  // namespace tilestep::fuzz
