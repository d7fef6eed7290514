// Each folder of golden/ is one case: input.ptx and expected.txt, the text of
// dump.h for it.
//
// After an intended change, TILESTEP_WRITE_GOLDEN=1 writes expected.txt anew; the test fails all
// the same, so that it cannot happen unnoticed. Then read the difference.
#include "ptx/dump.h"
#include "ptx/invariants.h"
#include "ptx/parse.h"
#include "ptx/round_trip.h"
#include "ptx/text/parsed_text.h"
#include "ptx/text_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace tilestep::ptx::test {
namespace {

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenPtx : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::filesystem::path folder() const { return golden_folder() / GetParam(); }
};

TEST_P(GoldenPtx, IsUnderstoodAsExpected) {
  const Result<ParsedText> parsed = parse_text(read_file(folder() / "input.ptx"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const std::string understood = dump(parsed->module);
  if (std::getenv("TILESTEP_WRITE_GOLDEN") != nullptr) {
    std::ofstream(folder() / "expected.txt", std::ios::binary) << understood;
    FAIL() << "expected.txt was written anew: read the difference";
  }
  EXPECT_EQ(understood, read_file(folder() / "expected.txt"));
}

// Independent of expected.txt: no part of an instruction is lost or moved.
TEST_P(GoldenPtx, AssemblesBackIntoItsOwnText) {
  const Result<ParsedText> parsed = parse_text(read_file(folder() / "input.ptx"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  for (const Function& function : parsed->module.functions) {
    for (const Instruction& instruction : function.instructions) {
      EXPECT_EQ(round_trip_difference(parsed->module, function, instruction), "");
    }
  }
}

TEST_P(GoldenPtx, PointsOnlyToWhatIsThere) {
  const Result<ParsedText> parsed = parse_text(read_file(folder() / "input.ptx"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(broken_invariant(parsed->module), "");
}

// The parts that parse_text leaves open and attach_debug_info fills must not change what runs.
TEST_P(GoldenPtx, KeepsItsCodeWhenDebugInformationIsAttached) {
  const std::string text = read_file(folder() / "input.ptx");
  const Result<ParsedText> code = parse_text(text);
  const Result<Module> module = parse(text);
  ASSERT_TRUE(code.has_value() && module.has_value());
  ASSERT_EQ(code->module.functions.size(), module->functions.size());
  for (std::size_t i = 0; i < module->functions.size(); ++i) {
    EXPECT_EQ(code->module.functions[i].operands, module->functions[i].operands);
    EXPECT_EQ(code->module.functions[i].instructions.size(),
              module->functions[i].instructions.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPtx, testing::ValuesIn(case_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tilestep::ptx::test
