// How blocks and threads are written, by their linear indices (insight/names.h has the rule).
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <string>

namespace tilestep::ui {

// "block (1,0)"
[[nodiscard]] std::string block_name(const simt::Program& program, std::uint32_t block);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_name(const simt::Program& program, std::uint32_t block,
                                      std::uint32_t thread);

}  // namespace tilestep::ui
