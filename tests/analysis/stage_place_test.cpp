// Every cause of slowness is visible somewhere.
#include "analysis/compare_points.h"
#include "analysis/words.h"
#include "data.h"

#include <gtest/gtest.h>

namespace tilestep::analysis {
namespace {

LaunchFacts facts_with_lines() {
  LaunchFacts facts = test::facts("tiled", 17);
  facts.threads = 289;
  facts.accesses = {{25, 0, simt::AccessKind::Load, 400, 0},
                    {26, 1, simt::AccessKind::Load, 300, 0},
                    {29, insight::kSharedTarget, simt::AccessKind::Load, 0, 9000},
                    {31, insight::kSharedTarget, simt::AccessKind::Store, 0, 10}};
  return facts;
}

TEST(SeenAt, PassesAreSeenAtTheLineThatHasMostOfThem) {
  const LaunchFacts facts = facts_with_lines();
  EXPECT_EQ(seen_at(Cause::SharedPasses, facts).line, 29U);
  EXPECT_EQ(seen_at(Cause::GlobalPasses, facts).line, 25U);
  EXPECT_EQ(seen_at(Cause::L2Sectors, facts).line, 25U);
  EXPECT_EQ(seen_at(Cause::SharedPasses, facts).sight, Sight::Memory);
  EXPECT_EQ(seen_at(Cause::Instructions, facts).line, 29U) << "where the products are";
  EXPECT_EQ(seen_at(Cause::RegisterPorts, facts).sight, Sight::Ptx);
  EXPECT_EQ(seen_at(Cause::TensorCores, facts).line, 29U);
}

TEST(SeenAt, IdleLanesAreInTheLastWarpOrWhereAnEdgeCutsATile) {
  LaunchFacts facts = facts_with_lines();
  EXPECT_EQ(seen_at(Cause::IdleLanes, facts).sight, Sight::Warp);
  EXPECT_EQ(seen_at(Cause::IdleLanes, facts).thread, 288U);
  facts.threads = 256;
  EXPECT_EQ(seen_at(Cause::IdleLanes, facts).sight, Sight::MaskedLanes);
}

TEST(SeenAt, AKernelWithoutBarriersWaitsForItsLoads) {
  LaunchFacts facts = facts_with_lines();
  EXPECT_EQ(seen_at(Cause::Waits, facts).sight, Sight::Barrier);
  facts.barriers = 0;
  EXPECT_EQ(seen_at(Cause::Waits, facts).sight, Sight::Memory);
  EXPECT_EQ(seen_at(Cause::Waits, facts).line, 25U);
}

TEST(SeenAt, AKernelWithoutSharedMemoryHasItsProductsWhereItReads) {
  LaunchFacts facts = facts_with_lines();
  facts.accesses.resize(2);
  EXPECT_EQ(seen_at(Cause::Instructions, facts).line, 25U);
}

}  // namespace
}  // namespace tilestep::analysis
