// The meaning of CUDA's words: keywords, variables and functions that a kernel uses without
// declaring them. The editor's hover reads this table.
#pragma once

#include "problem/words.h"

#include <span>
#include <string_view>

namespace tilestep::problem {

// A CUDA word with its explanation.
struct CudaTerm {
  std::string_view word;     // "__syncthreads"
  std::string_view form;     // as written in code: "void __syncthreads()"
  Message meaning;           // one sentence
  std::string_view section;  // where NVIDIA defines it
};

[[nodiscard]] std::span<const CudaTerm> cuda_terms();

// Null if it is not a CUDA word. Vector types (float2, int4, …) share one row, which each of them
// finds; so do the functions that make them.
[[nodiscard]] const CudaTerm* find_cuda_term(std::string_view word);

}  // namespace tilestep::problem
