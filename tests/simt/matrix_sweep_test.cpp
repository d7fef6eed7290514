// Every size from 1 to 20 with every BLOCK_SIZE under every schedule: C equals the host's product,
// compared with ==. The inputs are integers, so that there is one right answer.
//
// The parts run as tests of their own (CMakeLists.txt), so that they fit in the time a test has.
#include "matrix_kernels.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

constexpr int kLargest = 20;
constexpr int kBlockSizes[] = {1, 2, 3, 4, 5, 8, 16, 32};

class Sweep : public testing::TestWithParam<std::tuple<const char*, compile::Build, int>> {};

TEST_P(Sweep, EqualsTheHostsProduct) {
  const auto [id, build, block_size] = GetParam();
  MatrixKernels kernels;
  for (int M = 1; M <= kLargest; ++M) {
    for (int N = 1; N <= kLargest; ++N) {
      for (int K = 1; K <= kLargest; ++K) {
        const auto program = kernels.program(id, {M, N, K}, block_size, build);
        for (const Schedule schedule :
             {Schedule{ScheduleKind::Sequential, 0, 1}, Schedule{ScheduleKind::Lockstep, 0, 1},
              Schedule{ScheduleKind::RunAhead, 1, 1}, Schedule{ScheduleKind::Random, 0, 7}}) {
          ASSERT_EQ(wrong_elements(run(program, schedule)), 0U)
              << M << "x" << N << "x" << K << " schedule " << static_cast<int>(schedule.kind);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TiledFast, Sweep,
                         testing::Combine(testing::Values("tiled"),
                                          testing::Values(compile::Build::Fast),
                                          testing::ValuesIn(kBlockSizes)));
INSTANTIATE_TEST_SUITE_P(TiledStep, Sweep,
                         testing::Combine(testing::Values("tiled"),
                                          testing::Values(compile::Build::Step),
                                          testing::ValuesIn(kBlockSizes)));
INSTANTIATE_TEST_SUITE_P(NaiveFast, Sweep,
                         testing::Combine(testing::Values("naive"),
                                          testing::Values(compile::Build::Fast),
                                          testing::ValuesIn(kBlockSizes)));
INSTANTIATE_TEST_SUITE_P(NaiveStep, Sweep,
                         testing::Combine(testing::Values("naive"),
                                          testing::Values(compile::Build::Step),
                                          testing::ValuesIn(kBlockSizes)));

}  // namespace
}  // namespace tilestep::simt
