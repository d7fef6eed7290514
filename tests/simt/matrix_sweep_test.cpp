// C of the tiled kernel, in both builds and under every schedule, equals the host's product,
// compared with ==. The inputs are integers, so that there is one correct answer.
//
//   Tiled, Naive   BLOCK_SIZE 1 to 5: every M, N, K from 1 to 20; above: all of 1, b - 1, b, b + 1
//                  and 2b + 1, the sizes at which tiles begin, end and are partial. The naive
//                  kernel, which has no tiles, runs one size in 64 of the former.
//   Whole          every M, N, K from 1 to 20 for the larger BLOCK_SIZEs too:
//                  `ctest --preset whole`.
//
// ctest runs the cases in shards (CMakeLists.txt), so that they fit in the time limit of a test.
// For the same reason a case takes every tenth M.
#include "matrix_kernels.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

constexpr int kLargest = 20;
constexpr int kParts = 10;
#ifdef TILESTEP_SANITIZED  // far slower: fewer sizes, no large tiles
constexpr int kSmall[] = {4};
constexpr int kTiledStride = 8;
constexpr int kLarge[] = {8};
#else
constexpr int kSmall[] = {1, 2, 3, 4, 5};
constexpr int kTiledStride = 1;
constexpr int kLarge[] = {8, 16, 32};
#endif
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

void expect_product(MatrixKernels& kernels, const char* id, problem::Problem size, int block_size) {
  const problem::Launch launch = kernels.launch(id, size, block_size);
  for (const compile::Build build : {compile::Build::Fast, compile::Build::Step}) {
    const auto program = kernels.program(launch, build);
    const problem::Numbers expected = expected_product(*program);
    for (const Schedule& schedule : kMatrixSchedules) {
      ASSERT_EQ(wrong_elements(run(program, schedule), expected), 0U)
          << id << " " << size.M << "x" << size.N << "x" << size.K << " BLOCK_SIZE " << block_size
          << " schedule " << static_cast<int>(schedule.kind) << " build "
          << static_cast<int>(build);
    }
  }
}

TEST_P(Sweep, EqualsTheHostsProduct) {
  const auto [kernel, block_size, part] = GetParam();
  for (int M = 1 + part; M <= kLargest; M += kParts) {
    for (int N = 1 + M % kernel.stride; N <= kLargest; N += kernel.stride) {
      for (int K = 1 + N % kernel.stride; K <= kLargest; K += kernel.stride) {
        ASSERT_NO_FATAL_FAILURE(expect_product(*kernels, kernel.id, {M, N, K}, block_size));
      }
    }
  }
}

// Sizes at which tiles of b begin, end and are partial: M is one of the five, N and K are all of
// them.
class Edges : public testing::TestWithParam<std::tuple<Kernel, int, int>> {};

TEST_P(Edges, EqualTheHostsProduct) {
  const auto [kernel, b, which] = GetParam();
  MatrixKernels kernels;
  const int sizes[] = {1, b - 1, b, b + 1, 2 * b + 1};
  for (const int N : sizes) {
    for (const int K : sizes) {
      ASSERT_NO_FATAL_FAILURE(expect_product(kernels, kernel.id, {sizes[which], N, K}, b));
    }
  }
}

template <std::size_t count>
auto cubes(const Kernel& kernel, const int (&block_sizes)[count]) {
  return testing::Combine(testing::Values(kernel), testing::ValuesIn(block_sizes),
                          testing::Range(0, kParts));
}

auto edges(const Kernel& kernel) {
  return testing::Combine(testing::Values(kernel), testing::ValuesIn(kLarge), testing::Range(0, 5));
}

INSTANTIATE_TEST_SUITE_P(Tiled, Sweep, cubes({"tiled", kTiledStride}, kSmall));
INSTANTIATE_TEST_SUITE_P(Naive, Sweep, cubes({"naive", 8}, kSmall));
INSTANTIATE_TEST_SUITE_P(Tiled, Edges, edges({"tiled", 1}));
INSTANTIATE_TEST_SUITE_P(Naive, Edges, edges({"naive", 1}));
INSTANTIATE_TEST_SUITE_P(Whole, Sweep, cubes({"tiled", 1}, kLarge));
INSTANTIATE_TEST_SUITE_P(WholeNaive, Sweep, cubes({"naive", 8}, kLarge));

}  // namespace
}  // namespace tilestep::simt
