// Inputs that once broke a target, and small ones with a wide coverage, through each target.
#include "folders.h"
#include "targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <vector>

namespace tilestep::fuzz {

void PrintTo(const Target& target, std::ostream* stream) {
  *stream << target.name;
}

namespace {

using Input = std::vector<std::uint8_t>;

std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::filesystem::path all_cases() {
  return tilestep::test::source_folder() / "tests/fuzz/cases";
}

Input contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Copies a range elsewhere, or changes some bytes.
Input mutated(Input bytes, std::mt19937& random) {
  if (bytes.empty()) {
    return bytes;
  }
  const auto place = [&] { return bytes.begin() + static_cast<int>(random() % bytes.size()); };
  if (random() % 2 == 0) {
    const auto from = place();
    const auto most = static_cast<std::ptrdiff_t>(random() % 64);
    const Input piece(from, from + std::min(most, bytes.end() - from));
    bytes.insert(place(), piece.begin(), piece.end());
  }
  for (std::uint32_t change = random() % 4; change > 0; --change) {
    *place() = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

class Fuzz : public testing::TestWithParam<Target> {
 protected:
  [[nodiscard]] static std::vector<std::filesystem::path> cases() {
    return sorted_entries(all_cases() / GetParam().name);
  }
};

TEST_P(Fuzz, EveryCaseKeepsItsPromises) {
  ASSERT_FALSE(cases().empty());
  for (const auto& file : cases()) {
    SCOPED_TRACE(file.string());
    GetParam().run(contents(file));
  }
}

// A little fuzzing without feedback, the same every time: it tests the targets themselves.
TEST_P(Fuzz, SoDoCasesWithSomeBytesChanged) {
  std::mt19937 random(11);
  for (const auto& file : cases()) {
    const Input bytes = contents(file);
    for (int round = 0; round < 20; ++round) {
      GetParam().run(mutated(bytes, random));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(FuzzCases, BelongToATarget) {
  std::vector<std::string> folders;
  for (const auto& folder : sorted_entries(all_cases())) {
    folders.push_back(folder.filename().string());
  }
  std::vector<std::string> names;
  for (const Target& target : targets()) {
    names.emplace_back(target.name);
  }
  EXPECT_THAT(folders, testing::ContainerEq(names));
}

}  // namespace
}  // namespace tilestep::fuzz
