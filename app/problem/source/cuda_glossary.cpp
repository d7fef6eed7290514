#include "problem/source/cuda_glossary.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tilestep::problem {
namespace {

constexpr std::string_view kText =
#include "problem/source/cuda_glossary.txt.inc"
    ;

// The file's terms. They point into `text`, where every line ends with a null character.
struct Glossary {
  std::string text{kText};
  std::vector<CudaTerm> terms;

  Glossary() {
    std::ranges::replace(text, '\n', '\0');
    std::vector<const char*> lines;  // of one term
    for (const char* line = text.data(); line < text.data() + text.size();) {
      const std::size_t length = std::string_view(line).size();
      if (length != 0 && !std::string_view(line).starts_with("# ")) {
        lines.push_back(line);
      }
      line += length + 1;
      if (lines.size() == 4) {
        terms.push_back({lines[0], lines[1], lines[2], lines[3]});
        lines.clear();
      }
    }
  }
};

const Glossary& glossary() {
  static const Glossary read;
  return read;
}

// "float", "int", "uint", … and then 1 to 4.
bool is_vector_type(std::string_view word) {
  constexpr std::string_view kOf[] = {"float", "double", "int",  "uint",  "char",     "uchar",
                                      "short", "ushort", "long", "ulong", "longlong", "ulonglong"};
  return !word.empty() && word.back() >= '1' && word.back() <= '4' &&
         std::ranges::find(kOf, word.substr(0, word.size() - 1)) != std::end(kOf);
}

}  // namespace

std::span<const CudaTerm> cuda_terms() {
  return glossary().terms;
}

const CudaTerm* find_cuda_term(std::string_view word) {
  constexpr std::string_view kMake = "make_";
  if (is_vector_type(word)) {
    word = "float4";
  } else if (word.starts_with(kMake) && is_vector_type(word.substr(kMake.size()))) {
    word = "make_float4";
  } else if (word == "__half") {
    word = "half";
  }
  const std::span<const CudaTerm> terms = cuda_terms();
  const auto found = std::ranges::find(terms, word, &CudaTerm::word);
  return found == terms.end() ? nullptr : &*found;
}

}  // namespace tilestep::problem
