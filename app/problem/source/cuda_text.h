// The part of CUDA C++ that guessing a launch needs: the __global__ functions of a text with their
// parameters, its small constants, its structs. This is no compiler: misread text gives a wrong
// guess, which the user's .toml overrides.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// A parameter of a function or template, or a member of a struct.
struct CudaParameter {
  std::string type;  // "float", "Matrix": without const, * and __restrict__
  std::string name;
  bool is_pointer = false;
  bool is_const = false;
  std::string value;  // the default value
};

// The definition of a __global__ function.
struct CudaKernel {
  std::string name;
  std::vector<CudaParameter> template_parameters;  // type "typename" or "class" for type parameters
  std::vector<CudaParameter> parameters;
  std::size_t body_begin = 0;  // [begin, end) of CudaText::tokens, braces included
  std::size_t body_end = 0;
};

struct CudaText {
  std::vector<std::string> tokens;       // without comments, strings and directives
  std::vector<CudaKernel> kernels;       // definitions
  std::map<std::string, int> constants;  // #define X 16, constexpr int X = 16
  std::vector<std::string> overridable;  // the constants under an #ifndef X
  std::vector<std::string> fixed;        // constants that -D does not change (cuda_scanner.h)
  std::vector<std::string> macros;       // all #defined names
  std::map<std::string, std::vector<CudaParameter>> structs;  // members by struct name
  std::vector<std::string> header_tokens;                     // tokens of its headers

  [[nodiscard]] bool defines(const std::string& macro) const;
  // Whether the text or an included header declares or defines the name.
  [[nodiscard]] bool declares(const std::string& name) const;
  // Whether the tokens contain this sequence.
  [[nodiscard]] bool has_tokens(const std::vector<std::string>& sequence) const;
};

// `headers`: included texts, for their constants, macros, structs and names.
[[nodiscard]] CudaText read_cuda_text(const std::string& source,
                                      const std::map<std::string, std::string>& headers = {});

// A file in an #include directive.
struct Included {
  std::string name;  // empty: from a macro
  bool is_quoted = false;
  int line = 0;

  friend bool operator==(const Included&, const Included&) = default;
};
[[nodiscard]] std::vector<Included> includes_of(const std::string& source);

// Headers that only host code uses: "cuda_runtime.h", "../common/helper_cuda.h".
[[nodiscard]] bool is_host_header(std::string_view include_name);

// Headers of standards (C, C++, POSIX) and well-known libraries: "unistd.h", "thrust/sort.h".
[[nodiscard]] bool is_library_header(std::string_view include_name);

// Names in `#include "…"` lines.
[[nodiscard]] std::vector<std::string> quoted_includes(const std::string& source);

}  // namespace tilestep::problem
