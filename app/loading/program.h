// Launch and kernel → a program that is ready to execute.
#pragma once

#include "loading/kernel.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "simt/machine/program.h"

#include <memory>

namespace tilestep::loading {

// warp_size: 32, or a smaller power of two as a teaching warp (labelled as such wherever shown).
// Fails when description and kernel disagree (see pack_arguments).
[[nodiscard]] Result<std::shared_ptr<const simt::Program>> make_program(
    const Kernel& kernel, const problem::Launch& launch, int warp_size = simt::kWarpSize);

}  // namespace tilestep::loading
