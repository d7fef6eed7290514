// Counters from one block of each class equal the counters of executing all blocks.
#include "insight/count/counters.h"
#include "insight/count/profile.h"
#include "profiles.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilestep::test {
namespace {

using insight::Method;
using insight::MethodChoice;

// The last block of a tile adds up its parts: a counter in memory determines which one it is.
const std::set<std::string> kCountsArrivals = {"shared_last_wave", "shared_last_wave_teaching",
                                               "split_k", "split_k_teaching"};

class EveryKernel : public testing::TestWithParam<std::string> {
 protected:
  // Null if the kernel does not accept the size.
  std::shared_ptr<const simt::Program> program(problem::Problem size, int block_size,
                                               compile::Build build) {
    const auto spec = problem::find_spec(repository_catalog(), GetParam());
    const auto launch = problem::evaluate(*spec, {size, block_size}, {});
    return launch ? simulated_.program(*launch, build) : nullptr;
  }
  // The reason why a few blocks cannot represent all, if there is one.
  static testing::Matcher<std::string> why_full() {
    const testing::Matcher<std::string> small =
        testing::HasSubstr("almost every block does something");
    if (kCountsArrivals.contains(GetParam())) {
      return testing::AnyOf(small, testing::HasSubstr("depends on memory contents"));
    }
    return small;
  }
  Simulated simulated_;
};

std::vector<std::string> all_kernels() {
  std::vector<std::string> ids;
  for (const problem::LaunchSpec& spec : repository_catalog().kernels) {
    ids.push_back(spec.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Catalog, EveryKernel, testing::ValuesIn(all_kernels()),
                         [](const auto& test) { return test.param; });

struct Case {
  problem::Problem size;
  int block_size;
};
const Case kCases[] = {{{16, 16, 16}, 4},
                       {{20, 24, 28}, 4},
                       {{33, 17, 9}, 4},
                       {{37, 41, 23}, 8},
                       {{70, 37, 19}, 5},
                       {{7, 7, 7}, 3},
                       {{3, 3, 9}, 3},
                       {{40, 33, 17}, 16},
                       // Loops that are long enough to be shortened, with faults in every
                       // iteration.
                       {{33, 35, 131}, 4},
                       {{45, 51, 203}, 8},
                       {{40, 36, 804}, 8}};

TEST_P(EveryKernel, HasTheSameProfileByRepresentativesAndInFull) {
  int compared = 0;
  int by_representatives = 0;
  for (const Case& c : kCases) {
    const auto program = this->program(c.size, c.block_size, compile::Build::Fast);
    if (program == nullptr) {
      continue;
    }
    SCOPED_TRACE(testing::Message() << c.size.M << ',' << c.size.N << ',' << c.size.K
                                    << " BLOCK_SIZE " << c.block_size);
    const insight::Profile some = insight::profile(program);
    const insight::Profile all = insight::profile(program, MethodChoice::AlwaysFull);
    expect_same(some, all, *program);
    ++compared;
    by_representatives += some.method == Method::Representatives ? 1 : 0;
    if (some.method == Method::Full) {
      EXPECT_THAT(some.why_full, why_full());
    }
  }
  EXPECT_GT(compared, 0);
  EXPECT_TRUE(by_representatives > 0 || kCountsArrivals.contains(GetParam()));
}

// Each stage of its buffers has mbarriers, whose phases alternate too.
TEST(Counting, LeavesOutIterationsWhereWarpsHaveRoles) {
  Simulated simulated;
  for (const char* const id : {"warpgroup_tf32x3", "warpgroup_tf32x3_teaching"}) {
    const auto spec = problem::find_spec(repository_catalog(), id);
    const auto profile_at = [&](int tiles) {
      const auto launch = problem::evaluate(*spec, {{128, 256, 32 * tiles}, 4}, {});
      return insight::profile(simulated.program(*launch, compile::Build::Fast));
    };
    const insight::Profile some = profile_at(240);
    const insight::Profile twice = profile_at(480);
    EXPECT_EQ(some.method, Method::Representatives);
    EXPECT_EQ(some.steps_executed, twice.steps_executed) << id;
    EXPECT_LT(insight::instructions_of(some) * 19, insight::instructions_of(twice) * 10) << id;
  }
}

TEST_P(EveryKernel, HasTheProfileThatPlainCountingGives) {
  for (const Case& c : kCases) {
    if (const auto program = this->program(c.size, c.block_size, compile::Build::Fast)) {
      expect_counts(insight::profile(program), insight::count(program), *program);
    }
  }
}

TEST_P(EveryKernel, HasTheSameProfileInTheStepBuildToo) {
  const auto program = this->program({12, 12, 12}, 4, compile::Build::Step);
  if (program == nullptr) {
    GTEST_SKIP() << "does not take the size";
  }
  expect_same(insight::profile(program), insight::profile(program, MethodChoice::AlwaysFull),
              *program);
}

}  // namespace
}  // namespace tilestep::test
