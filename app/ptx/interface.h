// What a description has to know about a kernel, from its compile: parameters with their types,
// shared arrays, __constant__ variables, launch bounds, lines.
#pragma once

#include "problem/proposal.h"
#include "ptx/loader.h"

namespace tilestep::ptx {

// `kernel`: a step build.
[[nodiscard]] problem::KernelInterface interface_of(const Kernel& kernel);

}  // namespace tilestep::ptx
