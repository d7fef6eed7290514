#include "timing/cublas_series.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tilestep::timing {
namespace {

using gpu::Math;

constexpr std::array<CublasSeries, 7> kSeries{{
    {kCublas, "pedantic", Message("cuBLAS SGEMM"), Math::Float32},
    {"cublas_default", "default", Message("cuBLAS, default mode"), Math::Default},
    {kCublasTf32, "tf32", Message("cuBLAS, TF32 tensor cores"), Math::Tf32},
    {"cublas_fast_tf32", "fast_tf32", Message("cuBLAS, fast TF32"), Math::FastTf32},
    {"cublas_fast_16f", "fast_16f", Message("cuBLAS, fast FP16"), Math::Fast16F},
    {"cublas_fast_16bf", "fast_16bf", Message("cuBLAS, fast BF16"), Math::Fast16BF},
    {"cublas_emulated_16bfx9", "emulated_16bfx9", Message("cuBLAS, emulated by BF16"),
     Math::Emulated16BFX9},
}};

}  // namespace

std::span<const CublasSeries> cublas_series() {
  return kSeries;
}

const CublasSeries* find_cublas(std::string_view id) {
  const auto found =
      std::find_if(kSeries.begin(), kSeries.end(), [&](const auto& one) { return one.id == id; });
  return found == kSeries.end() ? nullptr : &*found;
}

std::vector<std::string> cublas_words() {
  std::vector<std::string> words;
  for (const CublasSeries& series : kSeries) {
    words.emplace_back(series.word);
  }
  words.emplace_back("all");
  return words;
}

Result<std::vector<std::string>> parse_cublas(const std::string& words) {
  std::vector<std::string> ids;
  const auto add = [&ids](const char* id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      ids.emplace_back(id);
    }
  };
  for (const std::string& word : comma_separated(words)) {
    bool is_known = word.empty();
    for (const CublasSeries& series : kSeries) {
      if (word == series.word || word == "all") {
        add(series.id);
        is_known = true;
      }
    }
    if (!is_known) {
      return fail(tr("--cublas {}: '{}' is no way to call cuBLAS. Choose from: {}.", words, word,
                     fmt::join(cublas_words(), ", ")));
    }
  }
  return ids;
}

}  // namespace tilestep::timing
