// What CUDA's words mean: keywords, variables and functions that a kernel uses without declaring
// them. One table, which the editor's hover reads.
#pragma once

#include "problem/words.h"

#include <span>
#include <string_view>

namespace tilestep::problem {

struct CudaTerm {
  std::string_view word;     // "__syncthreads"
  std::string_view form;     // as it is written: "void __syncthreads()"
  Message meaning;           // one sentence
  std::string_view section;  // where NVIDIA defines it
};

[[nodiscard]] std::span<const CudaTerm> cuda_terms();

// Null: no word of CUDA's. Types of vectors (float2, int4, …) share one row, which is found by each
// of them; so do the functions that make them.
[[nodiscard]] const CudaTerm* find_cuda_term(std::string_view word);

}  // namespace tilestep::problem
