// Sentences about the copy engine and the tensor cores, which access memory for a thread.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/sentences.h"
#include "simt/machine/program.h"

#include <string>

namespace tilestep::insight {

// A unit reads what a thread has stored, and fence.proxy.async is missing.
[[nodiscard]] std::string hidden_from_unit(const simt::Program& program, const Finding& finding,
                                           const RaceShape& shape);
// The first of the two is a bulk copy, and nobody has waited for its mbarrier.
[[nodiscard]] std::string unfinished_bulk_copy(const simt::Program& program,
                                               const Finding& finding);

}  // namespace tilestep::insight
