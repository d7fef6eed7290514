// Switching barriers of a text off and on.
#include "problem/source/syntax_check.h"

#include <gtest/gtest.h>

#include <string>

namespace tilestep::problem {
namespace {

TEST(Barriers, AreSeenWhereTheyAreCalled) {
  EXPECT_EQ(barrier_of("    __syncthreads();  // no thread multiplies before"), BarrierLine::On);
  EXPECT_EQ(barrier_of("__syncwarp( 0xffffffff );"), BarrierLine::On);
  EXPECT_EQ(barrier_of("if (t > 0) block.sync();"), BarrierLine::On);
  EXPECT_EQ(barrier_of("x = a / b; __syncthreads();"), BarrierLine::On);
  EXPECT_EQ(barrier_of("  // off: __syncthreads();"), BarrierLine::Off);
  EXPECT_EQ(barrier_of("  // missing: __syncthreads(), which holds all threads"), BarrierLine::Off);
  EXPECT_EQ(barrier_of("// The second __syncthreads() keeps the next load off"), BarrierLine::None);
  EXPECT_EQ(barrier_of("/* __syncthreads(); */"), BarrierLine::None);
  EXPECT_EQ(barrier_of("int synced = 1;"), BarrierLine::None);
  EXPECT_EQ(barrier_of(""), BarrierLine::None);
}

TEST(Barriers, AreSwitchedOffAndOnAgain) {
  const std::string text = "a;\n  __syncthreads();  // why\nb;\n";
  const auto off = toggle_barrier(text, 2);
  ASSERT_TRUE(off);
  EXPECT_EQ(*off, "a;\n  // off: __syncthreads();  // why\nb;\n");
  EXPECT_EQ(toggle_barrier(*off, 2), text) << "the same text as before";
}

TEST(Barriers, AMissingOneIsPutInItsPlace) {
  EXPECT_EQ(toggle_barrier("  // missing: __syncthreads(), which keeps the load off", 1),
            "  __syncthreads();  // which keeps the load off");
  EXPECT_EQ(toggle_barrier("  // off: __syncthreads();", 1), "  __syncthreads();");
}

TEST(Barriers, OtherLinesHaveNone) {
  EXPECT_EQ(toggle_barrier("a;\nb;", 1), std::nullopt);
  EXPECT_EQ(toggle_barrier("a;\nb;", 3), std::nullopt);
  EXPECT_EQ(toggle_barrier("__syncthreads();", 0), std::nullopt);
  EXPECT_EQ(next_barrier_line("a;\n__syncthreads();\nb;\n__syncthreads();\n", 3), 4);
  EXPECT_EQ(next_barrier_line("a;\n// off: __syncthreads();\n", 1), 0);
}

}  // namespace
}  // namespace tilestep::problem
