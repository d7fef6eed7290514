// The words of a CUDA C++ text, as far as finding declarations needs them.
//
// Comments, strings and character constants separate words and are dropped. A preprocessor
// directive (with its continuation lines) is a stream of words of its own, so that the text around
// it reads as if it were not there.
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

// Names that a text declares itself: such a name cannot be a macro of a build script.

// Whether one of the places where `tokens` (CudaText::tokens) name it declares it: as a variable,
// parameter, member, template parameter, function, type, alias or enumerator, in any scope.
[[nodiscard]] bool declares_name(const std::vector<std::string>& tokens, std::string_view name);

// A number that a text gives a name, given another value: `#define TILE 16`, `constexpr int TILE =
// 16;`. So BLOCK_SIZE keeps its slider whatever it is called.

// Names that the text gives a number once, and not under an #ifndef of them: -D does not change
// those. Sorted.
[[nodiscard]] std::vector<std::string> fixed_constants(std::string_view source);
[[nodiscard]] bool has_fixed_constant(std::string_view source, std::string_view name);

// The text with that value in place of its own; as it is where it has none. Lines stay where they
// are.
[[nodiscard]] std::string with_constant(std::string source, std::string_view name,
                                        std::string_view value);

}  // namespace tilestep::problem
