// A request to the compiler.
#pragma once

#include "compile/declarations.h"
#include "problem/launch/launch.h"
#include "problem/source/cuda_text.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::compile {

using problem::Build;

// Ptx: for our machine, and for a GPU's driver to translate. Cubin: machine code for one
// architecture, an ELF file (ptx/sass/sass.h reads it); NVRTC makes it without a GPU.
enum class Product { Ptx, Cubin };

struct Request {
  std::string source_name;  // shown in messages and .file
  std::string source;
  std::map<std::string, std::string> headers;  // targets of #include "name"
  std::vector<std::string> options;            // complete, in order: build, arch, std, -D…
  std::string name_expression;  // "matmul_tiled<4>"; empty: entry is an extern "C" or plain name
  Product product = Product::Ptx;
  // Its #include <name> of files that are in no folder and belong to no known library. They are
  // omitted; a text that does not compile may need them.
  std::vector<problem::Included> left_out{};

  friend bool operator==(const Request&, const Request&) = default;
};

// The request for a launch's entry. `-arch=compute_80 -std=c++20` (or the launch's architecture)
// and the build's option, then the launch's defines in the map's order.
[[nodiscard]] Request make_request(const problem::Launch& launch, Build build);

// The same for the machine code of the fast build: `-arch=sm_90` for the architecture 90.
[[nodiscard]] Request make_cubin_request(const problem::Launch& launch, int architecture);

// The same for the text without an instance: equal for each build and product.
[[nodiscard]] Request make_text_request(const Request& request);

// 128-bit content hash of a request as 32 hex digits: the cache's key and file name.
[[nodiscard]] std::string cache_key(const Request& request);

// Names that the host compiler provides to device code under nvcc, and that are missing under
// NVRTC: predefined macros (__FLT_MAX__, __linux__, …) and built-in functions (__builtin_popcount,
// …).
[[nodiscard]] bool is_of_host_compiler(std::string_view name);

// A header for `-include` that defines these names (is_of_host_compiler), and no others: the
// toolkit's headers use some of them to identify the compiler.
inline constexpr const char* kHostCompilerName = "tilestep/host_compiler.h";

}  // namespace tilestep::compile
