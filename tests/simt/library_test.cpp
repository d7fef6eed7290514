// printf, assert, malloc and free, which PTX only calls.
#include "own_kernels.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

struct Printed : Log {
  std::vector<std::string> lines;
  void on_print(const StepInfo&, std::uint32_t lane, const std::string& text) override {
    lines.push_back(std::to_string(lane) + ": " + text);
  }
};

[[nodiscard]] Printed run_source(const std::string& body, compile::Build build) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(int* out) {\n  int t = threadIdx.x;\n" + body + "\n}\n";
  kernel.block.x = 2;
  kernel.buffers = {{"out", 2}};
  test::Simulated simulated;
  Printed printed;
  const Machine machine = run_to_the_end(simulated.program(test::launch_of(kernel), build),
                                         {ScheduleKind::Sequential}, &printed);
  return printed;
}

TEST(Printf, FormatsItsArguments) {
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const Printed printed = run_source(
        R"(printf("t=%d %5.2f|%-4u|%x %s %c %lld %%\n", t, 1.5f * t, 7u, 255, "name", 'z', 1LL << 40);)",
        build);
    ASSERT_EQ(printed.lines.size(), 2U);
    EXPECT_EQ(printed.lines[0], "0: t=0  0.00|7   |ff name z 1099511627776 %\n");
    EXPECT_EQ(printed.lines[1], "1: t=1  1.50|7   |ff name z 1099511627776 %\n");
    EXPECT_TRUE(printed.faults.empty());
  }
}

TEST(Assert, NamesItsPlaceAndConditionAndStopsTheWarp) {
  const Printed printed = run_source("assert(t < 1);", compile::Build::Step);
  ASSERT_EQ(printed.faults.size(), 1U);
  EXPECT_EQ(printed.faults[0].kind, FaultKind::Trap);
  EXPECT_EQ(printed.faults[0].mask, 2U);
  EXPECT_NE(printed.faults[0].detail.find("t < 1"), std::string::npos) << printed.faults[0].detail;
  EXPECT_NE(printed.faults[0].detail.find("own.cu:3"), std::string::npos);
}

TEST(Malloc, GivesEveryThreadMemoryOfItsOwnUntilItIsFreed) {
  test::OwnKernel kernel;
  kernel.source = R"(extern "C" __global__ void kernel(int* out) {
  int t = threadIdx.x;
  int* p = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; ++i) { p[i] = 10 * t + i; }
  __syncthreads();
  out[t] = p[0] + p[3];
  free(p);
  int* again = (int*)malloc(4 * sizeof(int));
  out[32 + t] = again != nullptr && malloc(1ULL << 40) == nullptr;
  free(nullptr);
})";
  kernel.block.x = 32;
  kernel.buffers = {{"out", 64}};
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    Log log;
    const Machine machine = run_to_the_end(simulated.program(test::launch_of(kernel), build),
                                           {ScheduleKind::Lockstep}, &log);
    EXPECT_TRUE(log.faults.empty());
    const std::vector<std::int32_t> out = contents(machine);
    for (int t = 0; t < 32; ++t) {
      EXPECT_EQ(out[static_cast<std::size_t>(t)], 20 * t + 3);
      EXPECT_EQ(out[static_cast<std::size_t>(32 + t)], 1);
    }
  }
}

TEST(Free, OfWhatMallocDidNotReturnIsAFault) {
  const Printed printed = run_source(
      "int* p = (int*)malloc(8); p[0] = t; out[t] = p[0]; free(p + 1);", compile::Build::Step);
  ASSERT_FALSE(printed.faults.empty());
  EXPECT_EQ(printed.faults[0].kind, FaultKind::Trap);
  EXPECT_NE(printed.faults[0].detail.find("free()"), std::string::npos);
}

TEST(Clock, CountsSteps) {
  test::OwnKernel kernel;
  kernel.source = R"(extern "C" __global__ void kernel(int* out) {
  long long before = clock64();
  unsigned early = clock();
  long long after = clock64();
  out[0] = (int)(after - before);
  out[1] = (int)(early > before && early < after);
})";
  kernel.block.x = 1;
  kernel.buffers = {{"out", 2}};
  test::Simulated simulated;
  const auto program = simulated.program(test::launch_of(kernel));
  const Machine run = run_to_the_end(program);
  EXPECT_GT(contents(run)[0], 0);
  EXPECT_LT(contents(run)[0], 20);
  EXPECT_EQ(contents(run)[1], 1);
  Machine stepped(program);
  while (!stepped.done()) {
    stepped.step({0, 0}, nullptr);
  }
  EXPECT_TRUE(stepped == run);
}

}  // namespace
}  // namespace tilestep::simt
