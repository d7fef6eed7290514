// What device code has from the host compiler under nvcc, and lacks under NVRTC: predefined macros
// (__FLT_MAX__, __linux__, …) and functions that are built in (__builtin_popcount, …).
#pragma once

#include "compile/declarations.h"

#include <string>
#include <string_view>

namespace tilestep::compile {

[[nodiscard]] bool is_of_host_compiler(std::string_view name);

// A header for `-include` that defines these names (is_of_host_compiler), and no others: the
// toolkit's headers ask for some of them to know which compiler they are read by.
inline constexpr const char* kHostCompilerName = "tilestep/host_compiler.h";
[[nodiscard]] std::string host_compiler_header(const Names& names);

}  // namespace tilestep::compile
