// The style rules for a kernel's text: a reader pastes it into any CUDA program and learns from it.
#include "folders.h"
#include "support/catalog_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace tilestep {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::size_t characters(const std::string& utf8) {
  std::size_t count = 0;
  for (const char c : utf8) {
    count += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
  }
  return count;
}

class KernelText : public testing::TestWithParam<std::string> {
 protected:
  const problem::LaunchSpec spec_ = *test::repository_catalog().find(GetParam());
  const std::string name_ = std::filesystem::path(spec_.source_name).stem().string();
};

std::vector<std::string> ids() {
  std::vector<std::string> found;
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    found.push_back(spec.id);
  }
  return found;
}

TEST_P(KernelText, StartsWithIdeaChangeMapAndCosts) {
  const std::string& source = spec_.source;
  EXPECT_THAT(source, testing::StartsWith("// " + name_ + ": "));
  const std::string header = source.substr(0, source.find("\n\n"));
  std::size_t last = 0;
  for (const char* heading :
       {"\n// The idea", "\n// Changed since", "\n// Thread → data", "\n// Costs"}) {
    const std::size_t place = header.find(heading);
    ASSERT_NE(place, std::string::npos) << heading;
    EXPECT_GT(place, last) << heading << " stands too early";
    last = place;
  }
}

TEST_P(KernelText, EveryBarrier_SaysWhichHazardItPrevents) {
  for (const std::string& line : lines_of(spec_.source)) {
    const std::size_t barrier = line.find("__syncthreads()");
    if (barrier == std::string::npos) {
      continue;
    }
    EXPECT_TRUE(std::regex_search(
        line, std::regex(R"((read after write|write after read|write after write))")))
        << line;
  }
}

TEST_P(KernelText, SaysTheShapesOfItsArrays) {
  if (spec_.reference == "matmul") {
    for (const char* shape : {"A: M×K", "B: K×N", "C: M×N"}) {
      EXPECT_THAT(spec_.source, HasSubstr(shape));
    }
  }
  for (const problem::BufferSpec& buffer : spec_.buffers) {
    EXPECT_TRUE(std::regex_search(spec_.source, std::regex("// .*\\b" + buffer.name + ": ")))
        << buffer.name;
  }
}

TEST_P(KernelText, IsPlainCuda) {
  EXPECT_THAT(spec_.source, Not(HasSubstr("#include")));
  EXPECT_THAT(spec_.source, Not(HasSubstr("TILESTEP")));
  EXPECT_THAT(spec_.source, Not(HasSubstr("\t")));
}

// The source panel's font is small; other fonts' glyphs would not be aligned.
TEST_P(KernelText, BeyondAscii_UsesOnlyWhatTheFontHas) {
  std::string text = spec_.source;
  for (const std::string known : {"×", "·", "→", "–"}) {
    for (std::size_t at = text.find(known); at != std::string::npos; at = text.find(known)) {
      text.erase(at, known.size());
    }
  }
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) << text;
}

TEST_P(KernelText, FitsTheStage) {
  int number = 0;
  for (const std::string& line : lines_of(spec_.source)) {
    ++number;
    EXPECT_LE(characters(line), 100U) << spec_.source_name << ":" << number;
  }
}

// Another launch of a kernel's text that is not an instance has a name of its own.
TEST_P(KernelText, IsNamedLikeItsFile) {
  const problem::LaunchSpec* const named_so = test::repository_catalog().find(name_);
  const bool is_other_launch =
      spec_.instance.empty() && named_so != nullptr && named_so->entry != spec_.entry;
  EXPECT_TRUE(spec_.id == name_ || spec_.id == name_ + "_" + spec_.instance || is_other_launch)
      << spec_.id;
  const std::string product = spec_.reference == "matmul" ? "matmul_" : "";
  EXPECT_THAT(spec_.entry, testing::StartsWith(product + name_));
}

INSTANTIATE_TEST_SUITE_P(Catalog, KernelText, testing::ValuesIn(ids()),
                         [](const auto& test) { return test.param; });

TEST(Contrasts, AreOfKernelsOfTheCatalog) {
  const problem::Catalog& catalog = test::repository_catalog();
  EXPECT_GE(catalog.contrasts.size(), 2U);
  for (const std::vector<std::string>& contrast : catalog.contrasts) {
    EXPECT_GE(contrast.size(), 2U);
    for (const std::string& kernel : contrast) {
      EXPECT_NE(catalog.find(kernel), nullptr) << kernel;
    }
  }
}

TEST(BrokenKernels, SayItInFamilyAndSummaryAndFirstLine) {
  int broken = 0;
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    const bool says_so = spec.family == "Broken on purpose";
    const std::string first_line = spec.source.substr(0, spec.source.find('\n'));
    EXPECT_EQ(first_line.find("BROKEN ON PURPOSE") != std::string::npos, says_so) << spec.id;
    EXPECT_EQ(spec.summary.find("Broken on purpose") != std::string::npos, says_so) << spec.id;
    broken += says_so ? 1 : 0;
  }
  EXPECT_GE(broken, 7);
}

std::string read(const char* file) {
  std::ifstream stream(tilestep::test::source_folder() / file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Every claim's number in the tests is a row of the table, and vice versa.
TEST(Claims, AreInTheTableWhatTheyAreInTheTests) {
  const std::string tests =
      read("tests/kernels/claims_test.cpp") + read("tests/kernels/costs_test.cpp") +
      read("tests/timing/dataset_test.cpp") + read("tests/clock/timed_launch_test.cpp");
  std::set<std::string> tested;
  const std::regex test_name(R"(TEST(?:_F)?\((?:Claim|Cost), ([A-Z]\d+)_)");
  for (std::sregex_iterator i(tests.begin(), tests.end(), test_name); i != std::sregex_iterator();
       ++i) {
    EXPECT_TRUE(tested.insert((*i)[1]).second) << (*i)[1];
  }
  std::set<std::string> listed;
  const std::string table = read("docs/reports/claims.md");
  const std::regex row(R"(\n\| ([A-Z]\d+) \|)");
  for (std::sregex_iterator i(table.begin(), table.end(), row); i != std::sregex_iterator(); ++i) {
    EXPECT_TRUE(listed.insert((*i)[1]).second) << (*i)[1];
  }
  EXPECT_EQ(tested, listed);
}

}  // namespace
}  // namespace tilestep
