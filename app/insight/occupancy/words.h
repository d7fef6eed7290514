// The words for what limits the blocks of an SM.
#pragma once

#include "insight/occupancy/occupancy.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<insight::Limit> = std::to_array<Word<insight::Limit>>(
    {{insight::Limit::Warps, "warps", "warps"},
     {insight::Limit::Registers, "registers", "registers"},
     {insight::Limit::SharedMemory, "shared memory", "shared memory"},
     {insight::Limit::Blocks, "blocks", "blocks"},
     {insight::Limit::Barriers, "barriers", "barriers"}});

}  // namespace tilestep
