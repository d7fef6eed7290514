// The interface of a kernel for descriptions, from its compile: parameters with their types, shared
// arrays, __constant__ variables, launch bounds, lines.
#pragma once

#include "loading/loader.h"
#include "problem/propose/proposal.h"

namespace tilestep::loading {

// `kernel`: a step build.
[[nodiscard]] problem::KernelInterface interface_of(const Kernel& kernel);

}  // namespace tilestep::loading
