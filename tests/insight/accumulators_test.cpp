// The sums of a thread in the catalog's kernels, found from its stores.
#include "accumulators_fixture.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace tilestep::insight {
namespace {

TEST_F(Accumulators, AreOneAThreadInTheTiledKernel) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 1);
  ASSERT_EQ(sums.sums().size(), 16U);
  const BlockSums::Range range = sums.of_thread(6);
  ASSERT_EQ(range.size(), 1U);
  const OwnedSum& sum = sums.sums()[range.first];
  EXPECT_EQ(sum.kind, SumKind::Products);
  EXPECT_EQ(sum.home.name, "acc");
  EXPECT_EQ(sum.compensation.kind, SumHome::Kind::None);
  EXPECT_EQ(name_of(recording->program(), sum.at), "C[1][6]");
  EXPECT_FALSE(sum.atomic);
  EXPECT_FALSE(sum.overwritten);
  EXPECT_GT(compare_with_homes(*recording, 1), 500U);
}

TEST_F(Accumulators, AreNoneBeforeTheyAreAssigned) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 0);
  EXPECT_FALSE(sums.now(0, 0).assigned);
  EXPECT_FALSE(sums.accumulation(0, 0));
  EXPECT_FALSE(sums.latest(0, 0));
  // Its first values are the 0 that the kernel assigned, without products.
  bool started = false;
  for (const std::uint64_t k : recording->statement_starts()) {
    const SumNow now = sums.now(0, k);
    started = started || (now.assigned && now.values == 0);
    if (now.assigned && now.values == 0) {
      EXPECT_EQ(now.value, 0.0F);
    }
  }
  EXPECT_TRUE(started);
  const SumNow end = sums.now(0, recording->step_count());
  EXPECT_EQ(end.values, 8U);
  EXPECT_TRUE(end.grown);
  EXPECT_TRUE(end.stored);
  EXPECT_FALSE(sums.now(0, sums.sums()[0].stored).stored);
}

TEST_F(Accumulators, NameTheProductThatCameLast) {
  const auto recording = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 1);
  const std::size_t sum = sums.of_thread(6).first;
  std::size_t seen = 0;
  for (const std::uint64_t k : recording->statement_starts()) {
    const auto terms = sums.accumulation(sum, k);
    const auto latest = sums.latest(sum, k);
    ASSERT_EQ(terms.has_value(), latest.has_value());
    if (!latest) {
      continue;
    }
    EXPECT_EQ(latest->a.col, terms->terms.back().a.col);
    EXPECT_EQ(latest->b.row, terms->terms.back().b.row);
    EXPECT_EQ(latest->times, 1.0);
    EXPECT_LT(latest->step, k);
    const SumOperation operation = sums.operation(sum, k);
    EXPECT_EQ(operation.sign, '+');
    EXPECT_EQ(operation.left + operation.right, operation.value);
    ++seen;
  }
  EXPECT_GT(seen, 8U);
}

// A mistake in the Kahan lab: each round uses both sums of the previous round twice.
TEST_F(Accumulators, ThatFeedEachOtherInEveryRound_AreFollowedNoFurtherThanIsOfUse) {
  const std::string source = R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float t = 0.0f;
  float y = 0.0f;
  for (int i = 0; i < 1200; ++i) {
    y -= A[i] * B[i];
    float r = t - y;
    y = (t - r) + y;
    t = r;
  }
  C[threadIdx.x] = t;
})";
  const BlockSums sums(*run_own(source, 4, 1200, 4), 0);
  ASSERT_EQ(sums.sums().size(), 4U);
  EXPECT_TRUE(sums.products(0).empty()) << "not all of them are known";
  EXPECT_TRUE(sums.now(0, ~std::uint64_t{0}).assigned);
}

TEST_F(Accumulators, AreElementsOfAnArrayInRegisterTiles) {
  const auto column = run("register_tile_1d", {16, 4, 8}, 4);
  const BlockSums of_column(*column, 0);
  EXPECT_EQ(homes(of_column, 5), (std::set<std::string>{"acc[0]", "acc[1]", "acc[2]", "acc[3]"}));
  EXPECT_GT(compare_with_homes(*column, 0), 1000U);

  const auto square = run("register_tile_2d", {16, 16, 8}, 4);
  const BlockSums of_square(*square, 0);
  ASSERT_EQ(of_square.of_thread(6).size(), 16U);
  EXPECT_EQ(homes(of_square, 6).size(), 16U);
  const ElementRef at{2, 5, 6};  // rows 1, 5, 9 and 13, columns 2, 6, 10 and 14 of thread (2,1)
  const auto sum = std::ranges::find_if(
      of_square.sums(), [&](const OwnedSum& s) { return s.thread == 6 && s.at == at; });
  ASSERT_NE(sum, of_square.sums().end());
  EXPECT_EQ(sum->home.name, "acc[1][1]");
  EXPECT_EQ(sum->home.variable, "acc");
  EXPECT_EQ(sum->home.offset, 20U);
  EXPECT_GT(compare_with_homes(*square, 0), 4000U);

  const auto vectorised = run("register_tile_vectorised", {16, 16, 8}, 4);
  EXPECT_EQ(homes(BlockSums(*vectorised, 0), 6).size(), 16U);
  EXPECT_GT(compare_with_homes(*vectorised, 0), 4000U);
}

TEST_F(Accumulators, AreComponentsOfAVector) {
  const auto recording = run("float4_loads", {8, 8, 8}, 4);
  EXPECT_EQ(homes(BlockSums(*recording, 0), 2),
            (std::set<std::string>{"acc.w", "acc.x", "acc.y", "acc.z"}));
  EXPECT_GT(compare_with_homes(*recording, 0), 500U);
}

// The sum is stored; the rounding error is in another variable.
TEST_F(Accumulators, OfCompensatedSumsHaveACompensation) {
  for (const auto& [kernel, size, home, compensation] :
       {std::tuple{"pitched", problem::Problem{3, 33, 4}, "t", "y"},
        std::tuple{"naive_1d_kahan", problem::Problem{5, 3, 4}, "t", "y"},
        std::tuple{"row_in_shared_kahan", problem::Problem{3, 5, 20}, "t", "y"},
        std::tuple{"tiled_kahan_bounds", problem::Problem{5, 6, 7}, "results", "comp"}}) {
    problem::InputSpec input;
    input.pattern = problem::Pattern::Random;
    const problem::LaunchSpec& spec = *test::repository_catalog().find(kernel);
    const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, input);
    ASSERT_TRUE(launch) << launch.error().message;
    const auto recording = record_program(simulated_.program(*launch));
    const BlockSums sums(*recording, 0);
    ASSERT_FALSE(sums.sums().empty()) << kernel;
    bool lost = false;
    for (std::size_t i = 0; i < sums.sums().size(); ++i) {
      const OwnedSum& sum = sums.sums()[i];
      EXPECT_EQ(sum.home.name, home) << kernel;
      EXPECT_EQ(sum.compensation.name, compensation) << kernel;
      const SumNow end = sums.now(i, recording->step_count());
      ASSERT_TRUE(end.compensation) << kernel;
      lost = lost || *end.compensation != 0.0F;
      const auto terms = sums.accumulation(i, recording->step_count());
      ASSERT_TRUE(terms);
      EXPECT_TRUE(terms->complete);
      EXPECT_EQ(end.values, terms->terms.size()) << kernel << ": y is no value of the sum";
      EXPECT_GE(terms->terms.size(), static_cast<std::size_t>(size.K)) << kernel;
      EXPECT_NEAR(total(*terms), end.value, 1e-5);
    }
    EXPECT_TRUE(lost) << kernel << " loses nothing: the compensation is not it";
    // r has the sum before t does: until then t is shown.
    std::size_t compared = 0;
    for (const std::uint64_t k : recording->statement_starts()) {
      const record::State state = recording->state_at(k);
      for (std::size_t i = 0; i < sums.sums().size() && k <= sums.sums()[i].stored; ++i) {
        const auto value = held(state, 0, sums.sums()[i].thread, sums.sums()[i].home);
        const SumNow now = sums.now(i, k);
        compared += now.values > 0 && value ? 1 : 0;
        EXPECT_TRUE(now.values == 0 || !value || *value == now.value)
            << kernel << " at step " << k << ": " << now.value;
      }
    }
    EXPECT_GT(compared, 50U) << kernel;
  }
}

// One variable holds one element after another: each in a separate range of steps.
TEST_F(Accumulators, OfOneVariableFollowEachOther) {
  const auto recording = run("pitched", {3, 100, 4}, 6);
  const BlockSums sums(*recording, 0);
  const BlockSums::Range range = sums.of_thread(0);
  ASSERT_EQ(range.size(), 3U);
  for (std::size_t i = range.first + 1; i < range.last; ++i) {
    const std::uint64_t before = sums.sums()[i - 1].stored;
    EXPECT_FALSE(sums.now(i, before).assigned);
    EXPECT_TRUE(sums.now(i - 1, before).grown);
    EXPECT_LT(before, sums.sums()[i].stored);
  }
}

TEST_F(Accumulators, AreStoredUnfinishedToo) {
  const auto recording = run("tiled_store_inside_loop", {8, 8, 8}, 4);
  const BlockSums sums(*recording, 3);
  ASSERT_EQ(sums.of_thread(9).size(), 1U);
  const std::size_t sum = sums.of_thread(9).first;
  EXPECT_EQ(sums.accumulation(sum, recording->step_count())->terms.size(), 8U);
  EXPECT_GT(compare_with_homes(*recording, 3), 500U);
}

TEST_F(Accumulators, OfThreadsOutsideTheMatrixAreNone) {
  const auto recording = run("tiled", {3, 5, 4}, 4);
  const BlockSums sums(*recording, 1);
  EXPECT_EQ(sums.sums().size(), 3U);  // column 4, rows 0 to 2
  EXPECT_EQ(sums.of_thread(4).size(), 1U);
  EXPECT_EQ(sums.of_thread(5).size(), 0U);
  EXPECT_EQ(sums.of_thread(12).size(), 0U);
  const auto single = run("tiled", {3, 2, 4}, 1);
  EXPECT_EQ(BlockSums(*single, 5).sums().size(), 1U);
  EXPECT_GT(compare_with_homes(*single, 5), 10U);
}

TEST_F(Accumulators, OfOneDimensionalBlocksLandWhereTheirThreadsStore) {
  const auto recording = run("naive_1d", {3, 5, 4}, 4);
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.sums().size(), 15U);
  EXPECT_EQ(name_of(recording->program(), sums.sums()[sums.of_thread(7).first].at), "C[1][2]");
}

// A race changes the sum, not the equation.
TEST_F(Accumulators, OfARaceAreWhatWasAddedUp) {
  const auto recording = record_program(
      simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4, compile::Build::Step, 4),
      {simt::ScheduleKind::RunAhead, 0});
  EXPECT_GT(compare_with_homes(*recording, 0), 100U);
}

TEST_F(Accumulators, OfAFastBuildAreInRegisters) {
  const auto recording =
      record_program(simulated_.program("register_tile_2d", {16, 16, 8}, 4, compile::Build::Fast));
  const BlockSums sums(*recording, 0);
  ASSERT_EQ(sums.of_thread(6).size(), 16U);
  std::set<std::string> names = homes(sums, 6);
  EXPECT_EQ(names.size(), 16U);
  EXPECT_TRUE(names.begin()->starts_with("%f")) << *names.begin();
  for (std::size_t i = 0; i < sums.sums().size(); ++i) {
    EXPECT_EQ(sums.sums()[i].home.kind, SumHome::Kind::Register);
    EXPECT_EQ(sums.accumulation(i, recording->step_count())->terms.size(), 8U);
  }
}

}  // namespace
}  // namespace tilestep::insight
