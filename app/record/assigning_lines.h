// The source lines on which a variable of the kernel is assigned, whatever value it gets.
#pragma once

#include "simt/machine/program.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilestep::record {

// Sorted. Of variables in registers; those in memory tell by their stores.
[[nodiscard]] std::vector<std::uint32_t> assigning_lines(const simt::Program& program,
                                                         std::string_view variable);

}  // namespace tilestep::record
