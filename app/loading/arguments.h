// A launch's arguments as the bytes of the kernel's parameters, and these parameters for a
// description.
#pragma once

#include "loading/loader.h"
#include "problem/launch/launch.h"
#include "problem/propose/proposal.h"
#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::loading {

// Makes the 128 bytes of a tensor map: for the machine, or for a GPU by its driver.
using TensorMapMaker =
    std::function<Result<problem::TensorMapBytes>(const problem::TensorMap& map)>;
[[nodiscard]] Result<problem::TensorMapBytes> machine_tensor_map(const problem::TensorMap& map);

// The kernel's parameter bytes for a launch: scalars by parameter type, buffers as the given device
// addresses, structs laid out from DWARF. Fails with a sentence if description and kernel disagree
// (argument count, missing member, value out of range).
[[nodiscard]] Result<std::vector<std::byte>> pack_arguments(
    const Kernel& kernel, const problem::Launch& launch,
    const std::vector<std::uint64_t>& buffer_addresses, const TensorMapMaker& tensor_map);

// The interface of a kernel for descriptions, from its compile: parameters with their types, shared
// arrays, __constant__ variables, launch bounds, lines.

// `kernel`: a step build.
[[nodiscard]] problem::KernelInterface interface_of(const Kernel& kernel);

}  // namespace tilestep::loading
