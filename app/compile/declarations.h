// The declarations at namespace scope of a CUDA C++ text, and which of them are device code.
//
// It is not a compiler: it uses marks (__device__, __global__, constexpr …), brackets and names.
// Macros count as their replacements, so it needs the directives of every text of the program.
#pragma once

#include "problem/source/cuda_scanner.h"

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::compile {

using CodeWords = std::span<const problem::CudaWord>;
using Names = std::set<std::string, std::less<>>;

struct Macro {
  bool has_parameters = false;
  CodeWords replacement;
};

// The replacement of `#define NAME words` and `#define NAME(a, b) words`; empty for other
// directives.
[[nodiscard]] CodeWords replacement_of(CodeWords directive);

struct Macros {
  std::multimap<std::string_view, Macro> by_name;
  Names marks;  // __device__ and similar ones, and the macros with one of them in their replacement
};

// Views into `texts`.
[[nodiscard]] Macros read_macros(std::span<const problem::CudaWords> texts);

struct Declaration {
  enum class Kind { Function, Type, Macro, Other };
  std::size_t begin = 0;  // [begin, end) of the text's words
  std::size_t end = 0;
  Kind kind = Kind::Other;
  std::string_view name;  // Function
  Names declares;         // names by which others refer to it; extra names do no harm
  bool is_device = true;  // may be device code: marked, or of a kind that both sides use
  // Nothing marks it for the device only (types, constants, constexpr functions): without a use in
  // device code it is not part of a kernel.
  bool is_for_users = false;
  bool is_called_host = false;  // a host function that device code calls
};

// In the text's order. Enters namespaces and extern "C" { }, and skips bodies.
[[nodiscard]] std::vector<Declaration> read_declarations(CodeWords words, const Macros& macros);

// The declarations in the braces of a type of `words`.
[[nodiscard]] std::vector<Declaration> read_members(CodeWords words, const Declaration& type,
                                                    const Macros& macros);

// A function's definition without a mark that launches, calls the host's libraries or names their
// types. It may be a member or part of a macro's replacement.
[[nodiscard]] bool is_host_function(CodeWords words, const Declaration& declaration);

}  // namespace tilestep::compile
