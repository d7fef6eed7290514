// The loop that executes one warp.
#pragma once

#include "simt/exec/context.h"

#include <cstdint>
#include <vector>

namespace tilestep::simt {

enum class AtBarrier { RunOn, Pause };

// Steps a Ready warp until it is not Ready or `most` steps are done; returns the steps made. Starts
// and ends the warp's block. Pause: also returns after a barrier that did not hold the warp up.
std::uint64_t run_warp(MachineState& machine, WarpId id, std::uint64_t most, Observer* observer,
                       AtBarrier at_barrier = AtBarrier::RunOn);
// Machine::run_to().
std::uint64_t run_warp_to(MachineState& machine, WarpId id, const std::vector<bool>& places,
                          std::uint64_t most, Observer& observer);

}  // namespace tilestep::simt
