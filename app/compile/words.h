// The words for how kernels are compiled.
#pragma once

#include "compile/request.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<compile::Build> = std::to_array<Word<compile::Build>>(
    {{compile::Build::Step, "step", "step", "-G: nothing is optimised"},
     {compile::Build::Fast, "fast", "fast", "as the hardware runs it"}});

}  // namespace tilestep
