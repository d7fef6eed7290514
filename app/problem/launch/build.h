// How a kernel's text is compiled.
#pragma once

namespace tilestep::problem {

// Step: -G, source order, DWARF; for stepping. Fast: -lineinfo, optimised, what hardware executes;
// for counters, checks, GPU.
enum class Build { Step, Fast };

}  // namespace tilestep::problem
