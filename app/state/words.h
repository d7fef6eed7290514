// The words for what is on screen. The tooltip of a page is that of its action as well.
#pragma once

#include "problem/words.h"
#include "state/app_state.h"
#include "state/command.h"

namespace tilestep {

template <>
inline constexpr auto kWords<state::Tab> = std::to_array<Word<state::Tab>>(
    {{state::Tab::Step, "step", "Step", "Steps through the kernel."},
     {state::Tab::Timing, "timing", "Timing", "Shows speed over BLOCK_SIZE, next to cuBLAS."}});

template <>
inline constexpr auto kWords<state::Theme> = std::to_array<Word<state::Theme>>(
    {{state::Theme::Dark, "dark", "dark"}, {state::Theme::Light, "light", "light"}});

template <>
inline constexpr auto kWords<state::InspectorPage> = std::to_array<Word<state::InspectorPage>>(
    {{state::InspectorPage::Thread, "thread", "Thread",
      "Shows the focus thread's variables and sum."},
     {state::InspectorPage::Warp, "warp", "Warp", "Shows one variable in all lanes of the warp."},
     {state::InspectorPage::Memory, "memory", "Memory",
      "Shows what the last statement read and stored."},
     {state::InspectorPage::Findings, "findings", "Findings",
      "Shows races, faults and the check of C."}});

template <>
inline constexpr auto kWords<state::SourcePage> = std::to_array<Word<state::SourcePage>>(
    {{state::SourcePage::Source, "source", "source"},
     {state::SourcePage::Ptx, "ptx", "PTX"},
     {state::SourcePage::Sass, "sass", "SASS"},
     {state::SourcePage::Difference, "difference", "difference"}});

template <>
inline constexpr auto kWords<state::TimingPage> = std::to_array<Word<state::TimingPage>>(
    {{state::TimingPage::BlockSize, "block_size", "BLOCK_SIZE",
      "Shows speed over BLOCK_SIZE, measured and predicted."},
     {state::TimingPage::Size, "size", "N", "Shows speed over N at one BLOCK_SIZE."},
     {state::TimingPage::Ladder, "ladder", "kernels",
      "Shows every kernel as a bar, the fastest on top."},
     {state::TimingPage::Roofline, "roofline", "roofline",
      "Shows speed over operations per byte, below the GPU's ceilings."},
     {state::TimingPage::Occupancy, "occupancy", "occupancy",
      "Shows how many warps an SM holds, and what limits them."},
     {state::TimingPage::Counters, "counters", "counters",
      "Shows Tilestep's counts next to the hardware's counters."}});

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
