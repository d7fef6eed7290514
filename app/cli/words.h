// Words for the output of commands.
#pragma once

#include "cli/counters_report.h"
#include "problem/words.h"

namespace tilestep {

namespace cli {

enum class CheckedBuilds { Both, Fast, Step, Machine };
enum class CheckedBlocks { Auto, All, Classes };

}  // namespace cli

template <>
inline constexpr auto kWords<cli::CheckedBuilds> = std::to_array<Word<cli::CheckedBuilds>>(
    {{cli::CheckedBuilds::Both, "both", "both builds",
      "fast build first, then what only the step build shows"},
     {cli::CheckedBuilds::Fast, "fast", "fast", "as the hardware runs it"},
     {cli::CheckedBuilds::Step, "step", "step", "-G: nothing is optimized"},
     {cli::CheckedBuilds::Machine, "machine", "machine code", "the instructions of the hardware"}});

template <>
inline constexpr auto kWords<cli::CheckedBlocks> = std::to_array<Word<cli::CheckedBlocks>>(
    {{cli::CheckedBlocks::Auto, "auto", "auto", "classes if all blocks would take too long"},
     {cli::CheckedBlocks::All, "all", "all blocks", "every block"},
     {cli::CheckedBlocks::Classes, "classes", "classes of blocks",
      "one block from each class of provably equivalent blocks"}});

template <>
inline constexpr auto kWords<cli::CountersBy> =
    std::to_array<Word<cli::CountersBy>>({{cli::CountersBy::Kernel, "kernel", "kernel"},
                                          {cli::CountersBy::Line, "line", "line"},
                                          {cli::CountersBy::Warp, "warp", "warp"},
                                          {cli::CountersBy::Access, "access", "access"}});

}  // namespace tilestep
