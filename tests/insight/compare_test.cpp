// Two runs: what they have in common, and the first product that only one of them adds.
#include "insight/compare/compare.h"

#include "accumulators_fixture.h"

#include <algorithm>
#include <string>

namespace tilestep::insight {
namespace {

class Compare : public Accumulators {
 protected:
  // Warps of four lanes, so that one can run ahead in a block of 16 threads.
  std::shared_ptr<const record::Recording> ahead(const std::string& kernel) {
    return record_program(simulated_.program(kernel, {8, 8, 8}, 4, compile::Build::Step, 4),
                          {simt::ScheduleKind::RunAhead, 0});
  }
};

TEST_F(Compare, ARunWithItselfDiffersNowhere) {
  const auto run_1 = run("tiled", {8, 8, 8}, 4);
  const BlockSums sums(*run_1, 0);
  const Side side{*run_1, sums, 0, 0, 0};
  const SumComparison compared = compare_sums(side, side);
  EXPECT_TRUE(compared.differences.empty());
  EXPECT_EQ(compared.elements, 16U);
  EXPECT_EQ(compared.products, 128U);
}

TEST_F(Compare, AMissingBarrierIsToldByTheFirstProductOfEachSum) {
  const auto right = ahead("tiled");
  const auto wrong = ahead("tiled_missing_barrier");
  const BlockSums sums_1(*right, 0);
  const BlockSums sums_2(*wrong, 0);
  const auto compared =
      compare_sums({*right, sums_1, 0, 0, 0}, {*wrong, sums_2, 0, 0, 0}).differences;
  ASSERT_FALSE(compared.empty());
  EXPECT_TRUE(
      std::ranges::is_sorted(compared, {}, [](const SumDifference& d) { return d.sides[1].step; }));
  for (const SumDifference& d : compared) {
    ASSERT_TRUE(d.sides[0].term && d.sides[1].term) << d.element;
    EXPECT_EQ(d.sides[0].product, d.sides[1].product) << "the runs are alike up to there";
    // The reported sum equals the machine's stored value.
    const BlockSums::Range own = sums_2.of_thread(d.sides[1].thread);
    ASSERT_GT(own.size(), 0U);
    EXPECT_EQ(d.sides[1].end, sums_2.now(own.first, wrong->step_count()).value);
  }
  // The warp that runs ahead adds the correct products: threads (0..3,0).
  EXPECT_TRUE(
      std::ranges::none_of(compared, [](const SumDifference& d) { return d.sides[0].thread < 4; }));
}

TEST_F(Compare, TheOrderOfProductsIsNoDifference) {
  const std::string kernel = R"(
extern "C" __global__ void kernel(const float* A, const float* B, float* C) {
  float sum = 0.0f;
  for (int k = 0; k < 4; ++k) {
    sum += A[ORDER] * B[ORDER];
  }
  C[0] = sum;
})";
  const auto with = [&](const std::string& order) {
    std::string text = kernel;
    for (std::size_t at = text.find("ORDER"); at != std::string::npos; at = text.find("ORDER")) {
      text.replace(at, 5, order);
    }
    return run_own(text, 1, 4);
  };
  const auto up = with("k");
  const auto down = with("3 - k");
  const auto twice = with("k / 2");
  const BlockSums sums_up(*up, 0);
  const BlockSums sums_down(*down, 0);
  const BlockSums sums_twice(*twice, 0);
  const Side side{*up, sums_up, 0, 0, 0};
  EXPECT_TRUE(compare_sums(side, {*down, sums_down, 0, 0, 0}).differences.empty());
  const auto differences = compare_sums(side, {*twice, sums_twice, 0, 0, 0}).differences;
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].element, "C[0]");
  EXPECT_EQ(differences[0].sides[0].product, 2U) << "elements 2 and 3 are never taken";
  EXPECT_EQ(differences[0].sides[1].product, 1U) << "elements 0 are taken twice";
}

// At every stop after a product of the sum, both have added the same number of products.
TEST_F(Compare, ProductsMeetOnTheJointTimeline) {
  const auto tiled = run("tiled", {8, 8, 8}, 4);
  const auto naive = run("naive", {8, 8, 8}, 4);
  const BlockSums sums_1(*tiled, 0);
  const BlockSums sums_2(*naive, 0);
  const Side side_1{*tiled, sums_1, 0, 5, sums_1.of_thread(5, 0)};
  const Side side_2{*naive, sums_2, 0, 5, sums_2.of_thread(5, 0)};
  const auto count = [](const Side& side, std::uint64_t step) {
    const auto terms = side.sums.accumulation(*side.sum, step);
    return terms ? terms->terms.size() : 0;
  };
  for (const auto alignment : {record::Alignment::Statement, record::Alignment::Product}) {
    const BlockStatements one = block_statements(side_1, alignment);
    const BlockStatements two = block_statements(side_2, alignment);
    const record::JointTimeline joint(one.side(), two.side());
    ASSERT_EQ(joint.stops().back(),
              (record::JointTimeline::Stop{tiled->step_count(), naive->step_count()}));
    for (const auto& stop : joint.stops()) {
      EXPECT_EQ(count(side_1, stop.first), count(side_2, stop.second)) << stop.first;
    }
  }
}

TEST_F(Compare, PhasesBeginTogether) {
  const auto right = run("tiled", {8, 8, 8}, 4);
  const auto other = run("tiled", {8, 8, 8}, 4, {simt::ScheduleKind::Sequential});
  const BlockSums sums_1(*right, 0);
  const BlockSums sums_2(*other, 0);
  const BlockStatements one = block_statements({*right, sums_1, 0, 0, 0}, record::Alignment::Phase);
  const BlockStatements two = block_statements({*other, sums_2, 0, 0, 0}, record::Alignment::Phase);
  const record::JointTimeline joint(one.side(), two.side());
  for (std::size_t i = 1; i < right->phases_of(0).size(); ++i) {
    const std::size_t stop = joint.of_first(right->phases_of(0)[i].first_step).to;
    const std::uint64_t second = joint.stops()[stop].second;
    EXPECT_GE(second, other->phases_of(0)[i - 1].last_step);
    EXPECT_LE(second, other->phases_of(0)[i].first_step);
  }
}

TEST_F(Compare, TheOwnerOfAnElementIsFound) {
  const auto small = run("tiled", {8, 8, 8}, 2);
  // C[5][2]: block (1,2) of 2×2 threads, thread (0,1).
  EXPECT_EQ(who_stored(*small, "C[5][2]"), (ThreadOfRun{2 * 4 + 1, 2}));
  EXPECT_EQ(who_stored(*small, "C[8][0]"), std::nullopt);
  EXPECT_EQ(who_stored(*small, "A[0][0]"), std::nullopt) << "nobody stores it";
}

}  // namespace
}  // namespace tilestep::insight
