// The words for charts and for what binds a kernel.
#pragma once

#include "analysis/chart.h"
#include "analysis/prediction.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<analysis::Role> =
    std::to_array<Word<analysis::Role>>({{analysis::Role::Measured, "measured", "measured"},
                                         {analysis::Role::Predicted, "predicted", "predicted"},
                                         {analysis::Role::Library, "library", "library"},
                                         {analysis::Role::Ceiling, "ceiling", "ceiling"}});

template <>
inline constexpr auto kWords<analysis::Resource> = std::to_array<Word<analysis::Resource>>(
    {{analysis::Resource::Issue, "issue slots", "issue slots"},
     {analysis::Resource::Latency, "latency", "latency"},
     {analysis::Resource::SharedMemory, "L1 and shared memory", "L1 and shared memory"},
     {analysis::Resource::L2, "L2", "L2"},
     {analysis::Resource::Dram, "DRAM", "DRAM"}});

}  // namespace tilestep
