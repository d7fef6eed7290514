// How often a warp passes each loop of the machine code, from a launch's counts.
#include "insight/count/warp_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilestep::insight {
namespace {

ptx::SassLoop loop(bool is_innermost, std::uint32_t instructions, std::uint32_t ffma) {
  ptx::SassLoop one;
  one.is_innermost = is_innermost;
  one.instructions = instructions;
  one.ffma = ffma;
  one.clocks = 3.0 * instructions;
  return one;
}

TEST(WarpSchedule, ALoopIsPassedAsOftenAsItsMultiplyAddsSay) {
  ptx::SassLoop main = loop(true, 73, 16);
  main.waits = 3.0;
  const std::vector<ptx::SassLoop> loops{main, loop(true, 9, 1)};  // with the remaining ones
  const auto schedule = schedule_of(loops, {1024.0, 0.0, 2048.0, 0.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->instructions, 64 * 73.0);
  EXPECT_DOUBLE_EQ(schedule->clocks, 64 * 3 * 73.0);
  EXPECT_DOUBLE_EQ(schedule->waits, 64 * 3.0);
}

TEST(WarpSchedule, ALoopAroundItIsPassedAsOftenAsItsBarriersSay) {
  ptx::SassLoop outer = loop(false, 100, 16);
  outer.barriers = 2;
  outer.waits = 1.0;
  const std::vector<ptx::SassLoop> loops{outer, loop(true, 50, 32)};
  const auto schedule = schedule_of(loops, {10 * 16.0 + 20 * 32.0, 20.0, 0.0, 0.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->instructions, 10 * 100.0 + 20 * 50.0);
  EXPECT_DOUBLE_EQ(schedule->waits, 10.0);
}

TEST(WarpSchedule, ALoopThatFillsSharedMemoryIsPassedAsOftenAsItsStoresSay) {
  ptx::SassLoop filling = loop(true, 14, 0);
  filling.global_loads = filling.shared_stores = 1;
  filling.waits = 1.0;
  const auto schedule =
      schedule_of(std::vector{filling, loop(true, 46, 16)}, {160.0, 1.0, 8.0, 8.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->instructions, 8 * 14.0 + 10 * 46.0);
  EXPECT_DOUBLE_EQ(schedule->waits, 8.0);
}

TEST(WarpSchedule, ProductsOfMatricesSayHowOftenTheirLoopIsPassed) {
  ptx::SassLoop main = loop(true, 620, 0);
  main.matrix_products = 192;
  main.registers.matrix_products = 192;
  main.registers.of_matrices = 1536;  // eight each: four clocks, three of them beyond one
  const std::vector<ptx::SassLoop> loops{main, loop(true, 20, 4)};
  const auto schedule = schedule_of(loops, {40.0, 0.0, 0.0, 0.0, 1920.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->instructions, 6200.0);
  EXPECT_DOUBLE_EQ(schedule->matrix_products, 1920.0);
  EXPECT_DOUBLE_EQ(schedule->register_reads, 15'360.0);
  EXPECT_DOUBLE_EQ(schedule->port_waits, 10 * 3 * 192.0);
}

TEST(WarpSchedule, RegisterReadsOfEveryPassAreAddedUp) {
  ptx::SassLoop main = loop(true, 73, 16);
  main.registers.products = 16;
  main.registers.even = 20;
  main.registers.odd = 18;
  const auto schedule = schedule_of(std::vector{main}, {160.0, 0.0, 0.0, 0.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->products, 160.0);
  EXPECT_DOUBLE_EQ(schedule->register_reads, 380.0);
  EXPECT_DOUBLE_EQ(schedule->even_reads, 200.0);
  EXPECT_DOUBLE_EQ(schedule->port_waits, 30.0);
}

// A loop over tiles of C around the loop along k, both with barriers.
TEST(WarpSchedule, BarriersOfTheInnerLoopAreNotThoseOfTheLoopAroundIt) {
  ptx::SassLoop outer = loop(false, 300, 0);
  outer.barriers = 2;
  ptx::SassLoop inner = loop(true, 100, 64);
  inner.barriers = 1;
  const auto schedule = schedule_of(std::vector{outer, inner}, {640.0, 16.0, 0.0, 0.0});
  ASSERT_TRUE(schedule);
  EXPECT_DOUBLE_EQ(schedule->instructions, 10 * 100.0 + 3 * 300.0);
}

TEST(WarpSchedule, WithoutMultiplyAddsInALoopThereIsNone) {
  EXPECT_FALSE(schedule_of({}, {100.0, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(schedule_of(std::vector{loop(true, 10, 0)}, {100.0, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(schedule_of(std::vector{loop(true, 10, 1)}, {}));
}

}  // namespace
}  // namespace tilestep::insight
