// Launch → compiled and parsed kernel, shared-array types included.
//
// NVRTC -G writes no DWARF for function-local __shared__ arrays. The remedy is a probe: the same
// text with an unused pointer `decltype(As)* As__tilestep_probe_0;` after each declaration,
// compiled with the same options; the types found there are copied into the module that is executed
// (docs/ptx.md). Everything goes through the compiler's cache: a cache that serves a launch without
// NVRTC is one that load_kernel of both builds has filled.
#pragma once

#include "compile/compiler.h"
#include "loading/kernel.h"
#include "problem/launch/launch.h"

#include <optional>

namespace tilestep::loading {

// Compiles (or fetches), parses, finds the entry and types the shared arrays. A fast build takes
// types from a step build's probe: one more compile where the cache has none.
[[nodiscard]] tl::expected<Kernel, LoadFailure> load_kernel(compile::Compiler& compiler,
                                                            const problem::Launch& launch,
                                                            compile::Build build);

// The step build of the same text where an argument is a struct: its debug information says how the
// members are laid out. Nothing for other launches.
[[nodiscard]] tl::expected<std::optional<Kernel>, LoadFailure> load_layouts(
    compile::Compiler& compiler, const problem::Launch& launch);

}  // namespace tilestep::loading
