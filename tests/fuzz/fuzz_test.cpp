// Inputs that once broke something, and the small ones that reach furthest, through each target.
#include "folders.h"
#include "targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace tilestep::fuzz {
namespace {

using Input = std::vector<std::uint8_t>;

std::vector<std::filesystem::path> cases(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tilestep::test::source_folder() /
                                                               "tests/fuzz/cases" / target)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Input contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void run_cases(const std::string& target, void (*run)(Bytes)) {
  const auto files = cases(target);
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    run(contents(file));
  }
}

TEST(FuzzCases, OfPtxText) {
  run_cases("ptx", read_ptx);
}

TEST(FuzzCases, OfLaunchDescriptions) {
  run_cases("description", read_description);
}

TEST(FuzzCases, OfTheMachine) {
  run_cases("machine", execute);
}

// A little fuzzing without feedback, the same every time: the targets themselves work.
TEST(FuzzCases, OfTheMachineAtRandom) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    Input bytes(4 + random() % 160);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    execute(bytes);
  }
}

}  // namespace
}  // namespace tilestep::fuzz
