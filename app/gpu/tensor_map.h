// Tensor maps as a GPU reads them: only its driver knows their layout.
#pragma once

#include "gpu/driver_api.h"
#include "problem/launch/tensor_map.h"
#include "problem/result.h"

namespace tilestep::gpu {

// The 128 bytes of a CUtensorMap; `map.address` is one of the device's. Elements outside the matrix
// are read as zeros. Fails with a sentence where the driver is too old, or refuses it.
[[nodiscard]] Result<problem::TensorMapBytes> encode_tensor_map(const DriverApi& api,
                                                                const problem::TensorMap& map);

}  // namespace tilestep::gpu
