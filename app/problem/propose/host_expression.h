// What a number in a program's host code is: variables and macros are followed to their values.
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

// Where host code is read: definitions count where they stand before `at`. `known`: names (also
// "dims.x") that stay, as the text they stand for.
struct HostPlace {
  const CudaText& text;
  std::size_t at = 0;  // a token
  std::map<std::string, std::string> known;
};

// As an expression of a description (expression.h) and the texts of `known`. CEIL_DIV(a, b) and
// calls like it become ceil_div. Nothing where a name has no value.
[[nodiscard]] std::optional<std::string> host_expression(const HostPlace& place,
                                                         const std::vector<std::string>& tokens);

// What a name that is no number stands for, where the place is in a template and calls of that give
// it: of a type the first, of a value (an enumerator) the last of them. Otherwise the tokens.
[[nodiscard]] std::vector<std::string> host_words(const HostPlace& place,
                                                  const std::vector<std::string>& tokens);

// The three sizes of `dim3(a, b)`, of a dim3 by name, or of one number; nothing for those that are
// not known.
using HostDimensions = std::array<std::optional<std::string>, 3>;
[[nodiscard]] HostDimensions host_dimensions(const HostPlace& place,
                                             const std::vector<std::string>& tokens);

// The number a text starts with; 0 where none fits.
[[nodiscard]] int number_of(std::string_view text);

// [first, last) of the tokens, split at commas of the outer level.
[[nodiscard]] std::vector<std::vector<std::string>> split_at_commas(
    const std::vector<std::string>& tokens, std::size_t first, std::size_t last);

// Behind the bracket that closes the one at `open`; the number of tokens where none does.
[[nodiscard]] std::size_t behind_bracket(const std::vector<std::string>& tokens, std::size_t open);

}  // namespace tilestep::problem
