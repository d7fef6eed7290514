// The words for what is on screen. The tooltip of a page is that of its action as well.
#pragma once

#include "problem/words.h"
#include "state/app_state.h"
#include "state/command.h"

namespace tilestep {

template <>
inline constexpr auto kWords<state::Tab> = std::to_array<Word<state::Tab>>(
    {{state::Tab::Step, "step", "Step", "Step the kernel."},
     {state::Tab::Timing, "timing", "Timing", "Speed over BLOCK_SIZE next to cuBLAS."}});

template <>
inline constexpr auto kWords<state::Theme> = std::to_array<Word<state::Theme>>(
    {{state::Theme::Dark, "dark", "dark"}, {state::Theme::Light, "light", "light"}});

template <>
inline constexpr auto kWords<state::InspectorPage> = std::to_array<Word<state::InspectorPage>>(
    {{state::InspectorPage::Thread, "thread", "Thread", "The focus thread's variables and sum."},
     {state::InspectorPage::Warp, "warp", "Warp", "One variable in all lanes of the warp."},
     {state::InspectorPage::Memory, "memory", "Memory", "What the last statement read and wrote."},
     {state::InspectorPage::Findings, "findings", "Findings",
      "Races, faults and the check of C."}});

template <>
inline constexpr auto kWords<state::SourcePage> = std::to_array<Word<state::SourcePage>>(
    {{state::SourcePage::Source, "source", "source"}, {state::SourcePage::Ptx, "ptx", "PTX"}});

template <>
inline constexpr auto kWords<state::TimingPage> = std::to_array<Word<state::TimingPage>>(
    {{state::TimingPage::BlockSize, "block_size", "BLOCK_SIZE",
      "Speed over BLOCK_SIZE, measured and predicted."},
     {state::TimingPage::Size, "size", "N", "Speed over N at one BLOCK_SIZE."},
     {state::TimingPage::Ladder, "ladder", "kernels", "Every kernel as a bar, the fastest on top."},
     {state::TimingPage::Roofline, "roofline", "roofline",
      "Speed over operations for each byte, under the GPU's ceilings."},
     {state::TimingPage::Occupancy, "occupancy", "occupancy",
      "How many warps an SM holds, and what limits it."},
     {state::TimingPage::Counters, "counters", "counters",
      "What is counted here beside what the hardware counted."}});

// The tooltip is what the axis says.
template <>
inline constexpr auto kWords<state::SpeedUnit> = std::to_array<Word<state::SpeedUnit>>(
    {{state::SpeedUnit::Gflops, "gflops", "GFLOP/s", "GFLOP/s"},
     {state::SpeedUnit::OfCublas, "of_cublas", "% of cuBLAS", "% of cuBLAS SGEMM"},
     {state::SpeedUnit::OfPeak, "of_peak", "% of peak", "% of the FFMA peak"}});

template <>
inline constexpr auto kWords<state::ChartFormat> = std::to_array<Word<state::ChartFormat>>(
    {{state::ChartFormat::Svg, "svg", "SVG"}, {state::ChartFormat::Csv, "csv", "CSV"}});

}  // namespace tilestep
