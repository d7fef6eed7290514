// The words of a CUDA C++ text, as needed to find declarations.
//
// Comments, strings and character constants separate words and are dropped. A preprocessor
// directive (with its continuation lines) is a separate stream of words, so the surrounding text
// reads as if it were absent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

struct CudaWord {
  std::string_view text;     // an identifier, a number, or one punctuation character
  std::uint32_t offset = 0;  // of its first character
};

struct CudaWords {
  std::vector<CudaWord> code;                     // everything outside directives
  std::vector<std::vector<CudaWord>> directives;  // without the '#': "define", "TILE", "(", …
};

// Views into `source`.
[[nodiscard]] CudaWords scan_cuda(std::string_view source);

[[nodiscard]] bool is_identifier(std::string_view word);

template <std::size_t count>
[[nodiscard]] bool is_one_of(const std::string_view (&list)[count], std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// Finds names that a text declares: such a name cannot be a macro of a build script.

// Whether an occurrence of the name in `tokens` (CudaText::tokens) declares it: as a variable,
// parameter, member, template parameter, function, type, alias or enumerator, in any scope.
[[nodiscard]] bool declares_name(const std::vector<std::string>& tokens, std::string_view name);

// Replaces the value of a named constant: `#define TILE 16`, `constexpr int TILE = 16;`. So
// BLOCK_SIZE has its slider whatever its name in the text.

// Names, sorted, that the text defines once as a number and not under an #ifndef: -D does not
// change them.
[[nodiscard]] std::vector<std::string> fixed_constants(std::string_view source);
[[nodiscard]] bool has_fixed_constant(std::string_view source, std::string_view name);

// The text with `value` in place of its own; unchanged if it has no such constant. Line numbers do
// not change.
[[nodiscard]] std::string with_constant(std::string source, std::string_view name,
                                        std::string_view value);

}  // namespace tilestep::problem
