// Launch → compiled and parsed kernel, with the types of shared arrays.
//
// NVRTC -G writes no DWARF for function-local __shared__ arrays. The remedy is a probe: the same
// text with an unused pointer `decltype(As)* As__tilestep_probe_0;` after each declaration,
// compiled with the same options. The types found there are copied into the module that is executed
// (docs/reading-ptx.md). Everything goes through the compiler's cache: a cache can serve a launch
// without NVRTC if load_kernel has filled it for both builds.
#pragma once

#include "compile/compiler.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "ptx/model/module.h"
#include "ptx/sass/sass.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::loading {

// A compiled kernel, parsed.
struct Kernel {
  std::shared_ptr<const ptx::Module> module;
  std::uint32_t entry = 0;  // index into Module::functions
  compile::Build build = compile::Build::Step;
  compile::Output output;  // diagnostics (warnings too), compiler name
  std::string note;        // why shared arrays have no types, as a sentence; empty: they have
  // With a fast build: the step build of the same text, if the PTX does not declare the parameters
  // (load_kernel says when); otherwise null.
  std::shared_ptr<const Kernel> step;
  // Build::Machine: the machine code itself; otherwise null.
  std::shared_ptr<const ptx::CubinKernel> cubin;
};

struct LoadFailure {
  Error error;                                   // one sentence for the status line
  std::vector<compile::Diagnostic> diagnostics;  // at their lines, if the text did not compile
};

// When a fast build includes the step build of its text (Kernel::step), whose debug information
// declares the parameters. It costs one more compile if the cache has none.
enum class Declarations {
  WhereNeeded,  // if PTX does not describe an argument's layout: structures, __half
  Always,       // so that every argument is checked against its type, which a message then names
};

// The architecture of Build::Machine: the launch's own if it uses features of one architecture only
// ("100a"), otherwise 9.0.
[[nodiscard]] int machine_architecture(const problem::Launch& launch);

// A kernel's machine code for one architecture, translated to PTX (ptx/translate.h), so that
// it is executed and counted like any other kernel. NVRTC makes it, without a GPU.
//
// `kernel`: the launch's fast build. Fails without NVRTC (and without a cache entry), or with the
// first instruction that is not known or not simulated.
[[nodiscard]] Result<Kernel> as_machine_code(compile::Compiler& compiler,
                                             const problem::Launch& launch, const Kernel& kernel,
                                             int architecture);

// Compiles (or reads from the cache), parses, finds the entry and sets the types of the shared
// arrays. A fast build takes types from a step build's probe: one more compile if the cache has
// none.
[[nodiscard]] tl::expected<Kernel, LoadFailure> load_kernel(
    compile::Compiler& compiler, const problem::Launch& launch, compile::Build build,
    Declarations declarations = Declarations::WhereNeeded);

}  // namespace tilestep::loading
