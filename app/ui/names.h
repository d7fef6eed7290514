// How blocks and threads are written, everywhere the same.
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <string>

namespace tilestep::ui {

// "(1,0)"; with a third number where the extent has one.
[[nodiscard]] std::string index_name(problem::Dim3 index, problem::Dim3 extent);
// "block (1,0)"
[[nodiscard]] std::string block_name(const simt::Program& program, std::uint32_t block);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_name(const simt::Program& program, std::uint32_t block,
                                      std::uint32_t thread);

}  // namespace tilestep::ui
