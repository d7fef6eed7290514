// How a program launches a kernel, as far as its text gives numbers and names. There is no compiler
// here, so these are guesses.
#pragma once

#include "problem/launch/launch.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// In an expression "{2}" means the kernel's third argument, "{threads}" the threads of a block.
struct HostLaunch {
  std::vector<std::string> template_arguments;
  std::optional<std::array<int, 3>> grid;  // if all of it are numbers
  std::optional<std::array<int, 3>> block;
  std::array<std::optional<std::string>, 3> grid_expressions;  // by axis; nullopt: unknown
  std::optional<std::string> shared_bytes;
  // The passed values by parameter; nullopt: not a number.
  std::vector<std::optional<int>> arguments;
};

// The parts of `kernel<arguments><<<grid, block, shared>>>(…)` or cudaLaunchKernel(kernel, …). Of
// several launches, the first with a known block, otherwise the first. Missing template arguments
// are those of an explicit instantiation.
[[nodiscard]] HostLaunch host_launch(const CudaText& text, const std::string& kernel);

// The number that is passed for an argument; `place`: "argument 2".
[[nodiscard]] std::optional<int> passed_at(const HostLaunch& launch, const std::string& place);

// `text` with placeholders replaced by the description's arguments and block; anything that is not
// an integer stays.
[[nodiscard]] std::string with_arguments(std::string text, const LaunchSpec& spec);

// How a kernel's text uses its parameters. There is no compiler here, so these are guesses.
struct ParameterUse {
  bool is_read = false;
  bool is_written = false;
  bool is_atomic = false;
  bool is_passed_on = false;  // by pointer arithmetic, another name or a call
};

[[nodiscard]] ParameterUse use_of(const CudaText& text, const CudaKernel& kernel,
                                  const std::string& parameter);

// Whether the kernel, or a function that it calls, may add products: `+=` with a factor, a product
// of two elements, an fma or mma of any name. A sum of two matrices does not, whatever the names.
[[nodiscard]] bool adds_products(const CudaText& text, const CudaKernel& kernel);

// Whether no block multiplies its index by anything but a parameter, as in `blockIdx.x * cols`:
// then a block is a row.
[[nodiscard]] bool block_is_a_row(const CudaText& text, const CudaKernel& kernel);

// Finds the values of expressions in a program's host code by following variables and macros.

// A position in host code: only definitions before `at` count. `known`: names (also "dims.x") with
// the text that replaces them.
struct HostPlace {
  const CudaText& text;
  std::size_t at = 0;  // a token
  std::map<std::string, std::string> known;
};

// As an expression of a description (expression.h) over the texts of `known`. CEIL_DIV(a, b) and
// similar calls become ceil_div. Nullopt if a name has no value.
[[nodiscard]] std::optional<std::string> host_expression(const HostPlace& place,
                                                         const std::vector<std::string>& tokens);

// The meaning of a name that is not a number, if the place is in a template and calls of the
// template give it: the first call's type, or the last call's value (an enumerator). Otherwise the
// tokens.
[[nodiscard]] std::vector<std::string> host_words(const HostPlace& place,
                                                  const std::vector<std::string>& tokens);

// The three sizes of `dim3(a, b)`, of a named dim3, or of one number; nullopt for unknown ones.
using HostDimensions = std::array<std::optional<std::string>, 3>;
[[nodiscard]] HostDimensions host_dimensions(const HostPlace& place,
                                             const std::vector<std::string>& tokens);

// The number at the start of a text; 0 if it does not fit.
[[nodiscard]] int number_of(std::string_view text);

// The tokens [first, last), split at top-level commas.
[[nodiscard]] std::vector<std::vector<std::string>> split_at_commas(
    const std::vector<std::string>& tokens, std::size_t first, std::size_t last);

// The position after the bracket that closes the one at `open`; the number of tokens if none does.
[[nodiscard]] std::size_t behind_bracket(const std::vector<std::string>& tokens, std::size_t open);

}  // namespace tilestep::problem
