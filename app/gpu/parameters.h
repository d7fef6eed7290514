// Where a kernel's parameters lie among its arguments' bytes.
#pragma once

#include "gpu/driver_api.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tilestep::gpu {

// cuLaunchKernel's `kernelParams`: the addresses in `packed` of each parameter's bytes. Empty where
// the driver does not tell (before CUDA 12.4).
[[nodiscard]] std::vector<void*> parameters_of(const DriverApi& api, CuFunction function,
                                               std::span<const std::byte> packed);

}  // namespace tilestep::gpu
