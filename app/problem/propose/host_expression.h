// Finds the values of expressions in a program's host code by following variables and macros.
#pragma once

#include "problem/source/cuda_text.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

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
