// Private to app/ptx: which of a PTX file's sources is the kernel's own text.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>

namespace tilestep::ptx {

inline constexpr std::uint32_t kSourceFile = 1;

// NVRTC numbers files as it meets them, so with `#include <cooperative_groups.h>` the kernel's own
// text may be number 22. The file in which the first kernel starts changes places with number 1,
// in Module::files and in every Line. Returns the number it had.
std::uint32_t make_source_file_first(Module& module);

}  // namespace tilestep::ptx
