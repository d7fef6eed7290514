// The words of a CUDA C++ text, as far as finding declarations needs them.
//
// Comments, strings and character constants separate words and are dropped. A preprocessor
// directive (with its continuation lines) is a stream of words of its own, so that the text around
// it reads as if it were not there.
#pragma once

#include <cstdint>
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

}  // namespace tilestep::problem
