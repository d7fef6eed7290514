// The words for what commands print.
#pragma once

#include "cli/counters_report.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<cli::CountersBy> =
    std::to_array<Word<cli::CountersBy>>({{cli::CountersBy::Kernel, "kernel", "kernel"},
                                          {cli::CountersBy::Line, "line", "line"},
                                          {cli::CountersBy::Warp, "warp", "warp"},
                                          {cli::CountersBy::Access, "access", "access"}});

}  // namespace tilestep
