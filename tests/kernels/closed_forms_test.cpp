// Every closed form of the catalog equals the count, for even and odd sizes.
#include "insight/count/cost.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::test {
namespace {

class ClosedForms : public testing::TestWithParam<std::string> {
 protected:
  // The forms of a launch; empty if the kernel does not accept the size.
  std::vector<insight::ComparedForm> compare(problem::Problem size, int block_size) {
    const problem::LaunchSpec& spec = *repository_catalog().find(GetParam());
    const auto launch = problem::evaluate(spec, {size, block_size}, {});
    if (!launch) {
      return {};
    }
    const auto program = simulated_.program(*launch, compile::Build::Fast);
    const auto forms = insight::compare_closed_forms(spec, *program, insight::profile(program));
    if (!forms) {
      ADD_FAILURE() << forms.error().message;
      return {};
    }
    return *forms;
  }
  Simulated simulated_;
};

std::vector<std::string> kernels_with_forms() {
  std::vector<std::string> ids;
  for (const problem::LaunchSpec& spec : repository_catalog().kernels) {
    if (!spec.closed_forms.empty()) {
      ids.push_back(spec.id);
    }
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Catalog, ClosedForms, testing::ValuesIn(kernels_with_forms()),
                         [](const auto& test) { return test.param; });

TEST_P(ClosedForms, AreWhatIsCounted) {
  struct Case {
    problem::Problem size;
    int block_size;
  };
  const Case cases[] = {{{16, 16, 16}, 4}, {{24, 40, 56}, 8}, {{33, 17, 9}, 4}, {{37, 41, 23}, 8},
                        {{31, 37, 19}, 5}, {{7, 7, 7}, 3},    {{3, 3, 10}, 3},  {{40, 33, 17}, 16},
                        {{1, 1, 1}, 2},    {{20, 28, 36}, 8}};
  int compared = 0;
  for (const Case& c : cases) {
    for (const insight::ComparedForm& form : compare(c.size, c.block_size)) {
      EXPECT_EQ(form.expected, static_cast<std::int64_t>(form.counted))
          << form.quantity << " = " << form.formula << " for " << c.size.M << ',' << c.size.N << ','
          << c.size.K << " BLOCK_SIZE " << c.block_size;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(ClosedFormsOfTheCatalog, CoverAllKernelsThatDoNotFault) {
  EXPECT_THAT(kernels_with_forms(), testing::SizeIs(repository_catalog().kernels.size() - 1));
  EXPECT_TRUE(repository_catalog().find("tiled_divergent_barrier")->closed_forms.empty());
}

}  // namespace
}  // namespace tilestep::test
