// Every CUDA word that a kernel of the catalog uses is explained.
#include "folders.h"
#include "problem/file.h"
#include "problem/source/cuda_glossary.h"
#include "problem/source/cuda_scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace tilestep {
namespace {

namespace fs = std::filesystem;

// Words with a meaning only in CUDA: those with two underscores, and the known ones.
bool is_of_cuda(std::string_view word) {
  constexpr std::string_view kStarts[] = {"__",       "atomic",   "make_",   "threadIdx",
                                          "blockIdx", "blockDim", "gridDim", "warpSize"};
  return std::ranges::any_of(kStarts, [&](std::string_view s) { return word.starts_with(s); });
}

TEST(Glossary, ExplainsEveryWordOfCudaInTheCatalog) {
  std::set<std::string> used;
  for (const auto& entry : fs::directory_iterator(test::source_folder() / "kernels")) {
    if (entry.path().extension() != ".cu") {
      continue;
    }
    const std::string text = problem::read_file(entry.path()).value();
    const problem::CudaWords words = problem::scan_cuda(text);
    for (const problem::CudaWord& word : words.code) {
      if (is_of_cuda(word.text)) {
        used.insert(std::string(word.text));
      }
    }
    for (const auto& directive : words.directives) {
      if (directive.size() > 1 && directive[0].text == "pragma") {
        used.insert(std::string(directive[1].text));
      }
    }
  }
  EXPECT_GT(used.size(), 15U);
  for (const std::string& word : used) {
    EXPECT_NE(problem::find_cuda_term(word), nullptr) << word;
  }
}

TEST(Glossary, HasSentencesAndSections) {
  std::set<std::string_view> seen;
  for (const problem::CudaTerm& term : problem::cuda_terms()) {
    EXPECT_TRUE(seen.insert(term.word).second) << term.word;
    EXPECT_NE(term.form.find(term.word), std::string_view::npos) << term.word;
    EXPECT_TRUE(std::string_view(term.meaning.english).ends_with('.')) << term.word;
    EXPECT_FALSE(term.section.empty()) << term.word;
  }
}

TEST(Glossary, KnowsVectorsByEveryName) {
  EXPECT_EQ(problem::find_cuda_term("uint2"), problem::find_cuda_term("float4"));
  EXPECT_EQ(problem::find_cuda_term("make_int2"), problem::find_cuda_term("make_float4"));
  EXPECT_EQ(problem::find_cuda_term("float5"), nullptr);
  EXPECT_EQ(problem::find_cuda_term(""), nullptr);
}

}  // namespace
}  // namespace tilestep
