// Every M, N, K from 1 to 20 with every BLOCK_SIZE under every schedule: C of the tiled kernel, in
// both builds, equals the host's product, compared with ==. The inputs are integers, so that there
// is one right answer. The naive kernel, which has no tiles, goes through one size in 64.
//
// ctest runs the cases in shards (CMakeLists.txt), so that they fit in the time a test has. That is
// why a case takes every tenth M.
#include "matrix_kernels.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

constexpr int kLargest = 20;
constexpr int kParts = 10;
constexpr int kBlockSizes[] = {1, 2, 3, 4, 5, 8, 16, 32};
constexpr Schedule kSchedules[] = {{ScheduleKind::Sequential, 0, 1},
                                   {ScheduleKind::Lockstep, 0, 1},
                                   {ScheduleKind::RunAhead, 1, 1},
                                   {ScheduleKind::Random, 0, 7}};

struct Kernel {
  const char* id;
  int stride;  // of N and K
};

class Sweep : public testing::TestWithParam<std::tuple<Kernel, int, int>> {
 protected:
  static void SetUpTestSuite() { kernels = std::make_unique<MatrixKernels>(); }
  static void TearDownTestSuite() { kernels.reset(); }

  inline static std::unique_ptr<MatrixKernels> kernels;  // compiles each kernel once
};

void PrintTo(const Kernel& kernel, std::ostream* to) {
  *to << kernel.id;
}

TEST_P(Sweep, EqualsTheHostsProduct) {
  const auto [kernel, block_size, part] = GetParam();
  for (int M = 1 + part; M <= kLargest; M += kParts) {
    for (int N = 1 + M % kernel.stride; N <= kLargest; N += kernel.stride) {
      for (int K = 1 + N % kernel.stride; K <= kLargest; K += kernel.stride) {
        const problem::Launch launch = kernels->launch(kernel.id, {M, N, K}, block_size);
        for (const compile::Build build : {compile::Build::Fast, compile::Build::Step}) {
          const auto program = kernels->program(launch, build);
          const problem::Numbers expected = expected_product(*program);
          for (const Schedule& schedule : kSchedules) {
            ASSERT_EQ(wrong_elements(run(program, schedule), expected), 0U)
                << M << "x" << N << "x" << K << " schedule " << static_cast<int>(schedule.kind)
                << " build " << static_cast<int>(build);
          }
        }
      }
    }
  }
}

auto all_cases(const Kernel& kernel) {
  return testing::Combine(testing::Values(kernel), testing::ValuesIn(kBlockSizes),
                          testing::Range(0, kParts));
}

INSTANTIATE_TEST_SUITE_P(Tiled, Sweep, all_cases({"tiled", 1}));
INSTANTIATE_TEST_SUITE_P(Naive, Sweep, all_cases({"naive", 8}));

}  // namespace
}  // namespace tilestep::simt
