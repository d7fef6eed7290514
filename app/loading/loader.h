// Launch → compiled and parsed kernel, shared-array types included.
//
// NVRTC -G writes no DWARF for function-local __shared__ arrays. The remedy is a probe: the same
// text with an unused pointer `decltype(As)* As__tilestep_probe_0;` after each declaration,
// compiled with the same options; the types found there are copied into the module that is executed
// (docs/reading-ptx.md). Everything goes through the compiler's cache: a cache that serves a launch
// without NVRTC is one that load_kernel of both builds has filled.
#pragma once

#include "compile/compiler.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::loading {

// A kernel as the compiler made it, read.
struct Kernel {
  std::shared_ptr<const ptx::Module> module;
  std::uint32_t entry = 0;  // index into Module::functions
  compile::Build build = compile::Build::Step;
  compile::Output output;  // diagnostics (warnings too), compiler name
  std::string note;        // why shared arrays have no types, as a sentence; empty: they have
  // The step build of the same text beside a fast one, whose PTX does not declare the parameters
  // (load_kernel says when); else null.
  std::shared_ptr<const Kernel> step;
};

struct LoadFailure {
  Error error;                                   // one sentence for the status line
  std::vector<compile::Diagnostic> diagnostics;  // at their lines, when the text did not compile
};

// Which fast builds bring the step build of their text along (Kernel::step), whose debug
// information declares the parameters. It costs one more compile where the cache has none.
enum class Declarations {
  WhereNeeded,  // where PTX does not say how an argument is laid out: structures, __half
  Always,       // so that every argument is checked against its type, which a message then names
};

// Compiles (or fetches), parses, finds the entry and types the shared arrays. A fast build takes
// types from a step build's probe: one more compile where the cache has none.
[[nodiscard]] tl::expected<Kernel, LoadFailure> load_kernel(
    compile::Compiler& compiler, const problem::Launch& launch, compile::Build build,
    Declarations declarations = Declarations::WhereNeeded);

}  // namespace tilestep::loading
