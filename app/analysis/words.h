// Words for charts, for limiting resources and for causes of differences.
#pragma once

#include "analysis/chart.h"
#include "analysis/compare_points.h"
#include "analysis/launch_facts.h"
#include "analysis/prediction.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<analysis::Role> =
    std::to_array<Word<analysis::Role>>({{analysis::Role::Measured, "measured", "measured"},
                                         {analysis::Role::Predicted, "predicted", "predicted"},
                                         {analysis::Role::Library, "library", "library"},
                                         {analysis::Role::Ceiling, "ceiling", "ceiling"},
                                         {analysis::Role::Drawn, "drawn", "your prediction"}});

template <>
inline constexpr auto kWords<analysis::Resource> = std::to_array<Word<analysis::Resource>>(
    {{analysis::Resource::Issue, "issue slots", "issue slots"},
     {analysis::Resource::TensorCores, "tensor cores", "tensor cores"},
     {analysis::Resource::Latency, "latency", "latency"},
     {analysis::Resource::SharedMemory, "L1 and shared memory", "L1 and shared memory"},
     {analysis::Resource::L2, "L2", "L2"},
     {analysis::Resource::Dram, "DRAM", "DRAM"}});

template <>
inline constexpr auto kWords<analysis::Cause> = std::to_array<Word<analysis::Cause>>(
    {{analysis::Cause::Size, "size", "problem size"},
     {analysis::Cause::Gpu, "gpu", "GPU"},
     {analysis::Cause::Instructions, "instructions", "instructions"},
     {analysis::Cause::RegisterPorts, "register_ports", "register ports"},
     {analysis::Cause::TensorCores, "tensor_cores", "tensor cores"},
     {analysis::Cause::IdleLanes, "idle_lanes", "warps with idle lanes"},
     {analysis::Cause::SharedPasses, "shared_passes", "passes through shared memory"},
     {analysis::Cause::GlobalPasses, "global_passes", "passes of global accesses through L1"},
     {analysis::Cause::L2Sectors, "l2_sectors", "sectors from L2"},
     {analysis::Cause::Waits, "waits", "waits for global memory"},
     {analysis::Cause::Barriers, "barriers", "barriers"},
     {analysis::Cause::ResidentWarps, "resident_warps", "resident warps per SM"},
     {analysis::Cause::Tail, "tail", "the last wave"}});

template <>
inline constexpr auto kWords<analysis::LaunchQuantity> =
    std::to_array<Word<analysis::LaunchQuantity>>(
        {{analysis::LaunchQuantity::Blocks, "blocks", "blocks"},
         {analysis::LaunchQuantity::Loads, "loads", "loads per element of {}"},
         {analysis::LaunchQuantity::Sectors, "sectors", "sectors per request"},
         {analysis::LaunchQuantity::Passes, "passes", "shared-memory passes per 32 products"},
         {analysis::LaunchQuantity::IdleLanes, "idle_lanes", "idle lanes"},
         {analysis::LaunchQuantity::Waves, "waves", "waves at {}"},
         {analysis::LaunchQuantity::Speed, "speed", "GFLOP/s at {}"}});

}  // namespace tilestep
