// Compares the findings of checking one block of each class with those of checking all blocks, over
// the catalog.
#include "insight/check/check.h"
#include "insight/check/finding.h"
#include "insight/count/representatives.h"
#include "profiles.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep {
namespace {

using insight::CheckResult;

constexpr std::uint64_t kAnyProof = 20'000'000;

struct ClassCase {
  problem::Problem size;
  int block_size;
};
const ClassCase kClassCases[] = {{{64, 64, 64}, 16}, {{37, 41, 23}, 8}, {{33, 17, 9}, 4}};

std::string sentences(const std::vector<insight::Finding>& findings) {
  std::string all;
  for (const insight::Finding& finding : findings) {
    all += std::string(word_of(finding.kind).label) + ": " + finding.sentence + '\n';
  }
  return all;
}

class ClassesOfKernel : public testing::TestWithParam<std::string> {};

TEST_P(ClassesOfKernel, ShowWhatAllBlocksShow) {
  test::Simulated simulated;
  for (const ClassCase& c : kClassCases) {
    const auto spec = problem::find_spec(test::repository_catalog(), GetParam());
    const auto launch = problem::evaluate(*spec, {c.size, c.block_size}, {});
    if (!launch) {
      continue;  // the kernel does not take the size
    }
    for (const compile::Build build : {compile::Build::Fast, compile::Build::Step}) {
      const auto program = simulated.program(*launch, build);
      const auto classes = insight::block_classes(program, kAnyProof, nullptr);
      if (!classes) {
        EXPECT_NE(classes.error().message, "");
        continue;
      }
      SCOPED_TRACE(testing::Message() << c.size.M << ',' << c.size.N << ',' << c.size.K
                                      << " BLOCK_SIZE " << c.block_size);
      EXPECT_EQ(classes->blocks, program->block_count());
      const CheckResult some = insight::check_classes(program, *classes);
      const CheckResult all = insight::check(program, {simt::ScheduleKind::Sequential});
      EXPECT_EQ(some.blocks_executed, classes->representatives.size());
      if (!test::asks_mbarriers(*program)) {
        EXPECT_EQ(classes->warp_instructions, all.warp_instructions);
      }
      EXPECT_EQ(sentences(insight::findings_beyond(some.findings, all.findings)), "");
      EXPECT_EQ(sentences(insight::findings_beyond(all.findings, some.findings)), "");
      EXPECT_TRUE(all.comparison.wrong > 0 || some.comparison.wrong == 0);
      EXPECT_GT(some.comparison.compared, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, ClassesOfKernel, testing::ValuesIn([] {
                           std::vector<std::string> ids;
                           for (const problem::LaunchSpec& spec :
                                test::repository_catalog().kernels) {
                             ids.push_back(spec.id);
                           }
                           return ids;
                         }()),
                         [](const auto& test) { return test.param; });

TEST(ClassesOfTiled, AreFewWhereTilesAreCutOff) {
  test::Simulated simulated;
  for (const compile::Build build : {compile::Build::Fast, compile::Build::Step}) {
    const auto program = simulated.program("tiled", {100, 100, 100}, 8, build);
    const auto classes = insight::block_classes(program, kAnyProof, nullptr);
    ASSERT_TRUE(classes) << classes.error().message;
    EXPECT_EQ(classes->blocks, 169U);
    EXPECT_LE(classes->representatives.size(), 9U);
    const CheckResult result = insight::check_classes(program, *classes);
    EXPECT_TRUE(result.clean());
    EXPECT_EQ(result.blocks, 169U);
  }
}

}  // namespace
}  // namespace tilestep
