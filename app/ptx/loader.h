// Launch → compiled and parsed kernel, shared-array types included.
//
// NVRTC -G writes no DWARF for function-local __shared__ arrays. The remedy is a probe: the same
// text with an unused pointer `decltype(As)* As__tilestep_probe_0;` after each declaration,
// compiled with the same options; the types found there are copied into the module that is executed
// (docs/ptx.md). Everything goes through the compiler's cache: a cache that serves a launch without
// NVRTC is one that load_kernel of both builds has filled.
#pragma once

#include "compile/compiler.h"
#include "problem/launch.h"
#include "ptx/module.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ptx {

struct Kernel {
  std::shared_ptr<const Module> module;
  std::uint32_t entry = 0;  // index into Module::functions
  compile::Build build = compile::Build::Step;
  compile::Output output;  // diagnostics (warnings too), compiler name
  std::string note;        // why shared arrays have no types, as a sentence; empty: they have
};

struct LoadFailure {
  Error error;                                   // one sentence for the status line
  std::vector<compile::Diagnostic> diagnostics;  // at their lines, when the text did not compile
};

// Compiles (or fetches), parses, finds the entry and types the shared arrays. A fast build takes
// types from a step build's probe: one more compile where the cache has none.
[[nodiscard]] tl::expected<Kernel, LoadFailure> load_kernel(compile::Compiler& compiler,
                                                            const problem::Launch& launch,
                                                            compile::Build build);

// The step build of the same text where an argument is a struct: its debug information says how the
// members are laid out. Nothing for other launches.
[[nodiscard]] tl::expected<std::optional<Kernel>, LoadFailure> load_layouts(
    compile::Compiler& compiler, const problem::Launch& launch);

// Text with a probe inserted for each shared array of `module`; empty when there is nothing to
// probe.
[[nodiscard]] std::string make_probe_source(const std::string& source, const Module& module);
// Copies the types a probe's module found into `module`, and makes the variables visible in their
// blocks. Symbols without a match, or of another size, keep raw bytes. In a module without debug
// information, variables outside functions get their types from `probe` as well.
void apply_probe(Module& module, const Module& probe);

// The kernel's parameter bytes for a launch: scalars by parameter type, buffers as the device
// addresses given, structs laid out from DWARF. Fails with a sentence when description and kernel
// disagree (argument count, missing member, value out of range).
// `debug` is the step build of the same text when `kernel` is a fast build (load_layouts); may be
// null where no argument is a struct.
[[nodiscard]] Result<std::vector<std::byte>> pack_arguments(
    const Kernel& kernel, const Kernel* debug, const problem::Launch& launch,
    const std::vector<std::uint64_t>& buffer_addresses);

}  // namespace tilestep::ptx
