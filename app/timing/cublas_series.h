// The ways to ask cuBLAS for a float32 product: each is a series of its own in a data set.
#pragma once

#include "gpu/device.h"
#include "problem/result.h"
#include "problem/words.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::timing {

struct CublasSeries {
  const char* id;    // Point::kernel: "cublas", which shares are of, or "cublas_default"
  const char* word;  // in --cublas: "pedantic"
  Message title;     // as plots call it
  gpu::Math math;
};

// cuBLAS as shares mean it comes first.
[[nodiscard]] std::span<const CublasSeries> cublas_series();
// Null: it is none of these.
[[nodiscard]] const CublasSeries* find_cublas(std::string_view id);
[[nodiscard]] inline bool is_cublas(std::string_view id) {
  return find_cublas(id) != nullptr;
}

// What --cublas takes: "pedantic", …, "all".
[[nodiscard]] std::vector<std::string> cublas_words();
// Ids of words, "default,tf32" or "all", each once; an error names the words there are.
[[nodiscard]] Result<std::vector<std::string>> parse_cublas(const std::string& words);

}  // namespace tilestep::timing
