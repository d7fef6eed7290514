// A launch whose blocks are distributed over cores, against the same on one core.
#include "check_fixture.h"
#include "insight/check/screen.h"

namespace tilestep::insight {
namespace {

// Parts one after the other, the last one first: the order must not matter.
Cores three_cores(int* parted = nullptr) {
  return {3, [parted](std::size_t parts, const std::function<void(std::size_t)>& f) {
            for (std::size_t part = parts; part-- > 0;) {
              f(part);
            }
            if (parted != nullptr) {
              ++*parted;
            }
          }};
}

std::vector<std::byte> contents(const simt::Machine& machine, std::uint32_t buffer) {
  const auto bytes = machine.buffer(buffer);
  return {bytes.begin(), bytes.end()};
}

const simt::Schedule kSequential{simt::ScheduleKind::Sequential};

class PartedLaunch : public testing::Test {
 protected:
  std::shared_ptr<const simt::Program> program(const std::string& source, int elements) {
    test::OwnKernel kernel;
    kernel.source = source;
    kernel.buffers = {{"in", elements}, {"out", elements}};
    kernel.block = {32, 1, 1};
    kernel.grid = {7, 1, 1};
    return simulated_.program(test::launch_of(kernel));
  }
  // Whether both ways give the same, and the second one ran in parts to its end.
  bool same_in_parts(const std::shared_ptr<const simt::Program>& program) {
    std::atomic<std::uint32_t> blocks = 0;
    int parted = 0;
    const Screened whole = screen_launch(program, kSequential, {}, nullptr, nullptr);
    const Screened parts =
        screen_launch(program, kSequential, three_cores(&parted), nullptr, &blocks);
    EXPECT_EQ(parts.steps, whole.steps);
    EXPECT_EQ(parts.had_faults, whole.had_faults);
    EXPECT_EQ(parts.suspects.any, whole.suspects.any);
    EXPECT_EQ(parts.suspects.shared, whole.suspects.shared);
    EXPECT_EQ(parts.counters.global_loads.sectors, whole.counters.global_loads.sectors);
    EXPECT_EQ(parts.counters.shared_stores.wavefronts, whole.counters.shared_stores.wavefronts);
    EXPECT_EQ(parts.counters.global_atomics.requests, whole.counters.global_atomics.requests);
    for (std::size_t i = 0; i < whole.counters.buffers.size(); ++i) {
      EXPECT_EQ(parts.counters.buffers[i].loads, whole.counters.buffers[i].loads);
      EXPECT_EQ(parts.counters.buffers[i].stores, whole.counters.buffers[i].stores);
      const auto buffer = static_cast<std::uint32_t>(i);
      EXPECT_EQ(contents(*parts.machine, buffer), contents(*whole.machine, buffer));
    }
    EXPECT_TRUE(parts.machine->done());
    EXPECT_EQ(blocks, program->block_count());
    // When run in parts, the remaining machine has made only some of the steps.
    return parted == 1 && !(*parts.machine == *whole.machine);
  }

  test::Simulated simulated_;
};

TEST_F(PartedLaunch, GivesWhatOneCoreGives) {
  for (const char* kernel : {"tiled", "naive", "tiled_missing_barrier", "register_tile_2d"}) {
    const auto launch = simulated_.program(kernel, {128, 256, 32}, 16);
    EXPECT_TRUE(same_in_parts(launch)) << kernel;
  }
}

TEST_F(PartedLaunch, RunsOnOneCoreWhereBlocksMeetInAWord) {
  const char* const kernels[] = {
      // Two blocks store one word.
      "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
      "  out[blockIdx.x % 4 * 32 + threadIdx.x] = in[blockIdx.x];\n}\n",
      // One reads what another has stored.
      "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
      "  if (blockIdx.x == 0) out[0] = 1; else out[blockIdx.x] = out[0];\n}\n",
      // All add to one.
      "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
      "  atomicAdd(out, 0.1f * threadIdx.x);\n}\n",
      // The last one waits for the first.
      "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
      "  volatile float* flag = out + 64;\n"
      "  if (blockIdx.x == 6) { while (*flag == 0) {} }\n"
      "  if (blockIdx.x == 0 && threadIdx.x == 0) *flag = 1;\n}\n"};
  for (const char* source : kernels) {
    EXPECT_FALSE(same_in_parts(program(source, 256))) << source;
  }
}

TEST_F(PartedLaunch, FindingsAreTheSame) {
  const auto launch = simulated_.program("tiled_missing_barrier", {64, 64, 64}, 16);
  const CheckResult whole = check(launch, kSequential);
  const CheckResult parts = check(launch, kSequential, nullptr, nullptr, three_cores());
  ASSERT_EQ(parts.findings.size(), whole.findings.size());
  for (std::size_t i = 0; i < whole.findings.size(); ++i) {
    EXPECT_EQ(parts.findings[i].sentence, whole.findings[i].sentence);
    EXPECT_EQ(parts.findings[i].occurrences, whole.findings[i].occurrences);
  }
  EXPECT_EQ(parts.comparison.wrong, whole.comparison.wrong);
}

TEST_F(PartedLaunch, SchedulesFromBlockToBlockStayOnOneCore) {
  int parted = 0;
  const auto launch = simulated_.program("tiled", {32, 32, 32}, 8);
  (void)screen_launch(launch, {simt::ScheduleKind::Lockstep}, three_cores(&parted), nullptr,
                      nullptr);
  EXPECT_EQ(parted, 0);
}

}  // namespace
}  // namespace tilestep::insight
