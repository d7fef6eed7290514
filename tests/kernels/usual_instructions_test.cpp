// Instructions that usual kernels have and the catalog's do not: executed as machine code for 9.0
// and as PTX, with the same results.
#include "kept_outputs.h"
#include "simt/machine/schedule.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace tilestep {
namespace {

constexpr int kColumns = 128;

// The second buffer after a run.
std::vector<float> results(const std::shared_ptr<const simt::Program>& program) {
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  simt::run_to_end(machine, scheduler, nullptr);
  EXPECT_TRUE(machine.done());
  const auto bytes = machine.buffer(1);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// `instructions`: that the machine code has.
void expect_same(const std::string& source, const std::vector<std::string>& instructions) {
  problem::Launch launch = test::launch_of(test::OwnKernel{
      .source = source, .block = {64, 1, 1}, .buffers = {{"x", kColumns}, {"y", kColumns}}});
  for (int i = 0; i < kColumns; ++i) {
    const float value = static_cast<float>(i * 37 % 64) * 1.5F - 9.0F;
    std::memcpy(&launch.buffers[0].contents[sizeof value * i], &value, sizeof value);
  }
  test::Simulated simulated;
  const auto machine = simulated.program(launch, problem::Build::Machine);
  for (const std::string& instruction : instructions) {
    EXPECT_NE(machine->module().text.find(instruction), std::string::npos) << instruction;
  }
  const std::vector<float> expected = results(simulated.program(launch, problem::Build::Fast));
  const std::vector<float> found = results(machine);
  EXPECT_TRUE(std::ranges::equal(expected, found, {}, std::bit_cast<std::uint32_t, float>,
                                 std::bit_cast<std::uint32_t, float>));
  EXPECT_NE(std::ranges::count_if(expected, [](float value) { return value != 0.0F; }), 0);
}

TEST(UsualInstructions, ShufflesOfAllModes) {
  expect_same(R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  float v = x[threadIdx.x];
  const int t = threadIdx.x;
  for (int o = 16; o > 0; o >>= 1) { v += __shfl_down_sync(~0u, v, o); }
  v += __shfl_xor_sync(~0u, v, 5) * 2.0f;
  v += __shfl_up_sync(~0u, v, 3, 16) * 0.5f;
  v += __shfl_sync(~0u, v, (t * 7) & 31);
  y[t] = v;
})",
              {"SHFL.DOWN", "SHFL.BFLY", "SHFL.UP", "SHFL.IDX"});
}

TEST(UsualInstructions, FloatsAreComparedAndChosen) {
  expect_same(R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  const int t = threadIdx.x;
  const float a = x[t];
  const float b = t == 9 ? __int_as_float(0x7fffffff) : x[t + 64];
  float v = fmaxf(a, b) + 2.0f * fminf(-a, b);
  v += a < b ? 1.5f : 0.25f;
  v += a >= fabsf(b) ? 2.0f : a;
  if (!(a > b)) { v = v * 3.0f + a; }
  v += exp2f(a * 0.125f) + __logf(fabsf(a) + 1.0f) + rsqrtf(fabsf(a) + 2.0f);
  y[t] = v == v ? v + static_cast<float>(t * 3 - 7) : -1.0f;
})",
              {"FSETP", "FMNMX", "FSEL", "MUFU.EX2", "MUFU.LG2", "MUFU.RSQ", "I2FP"});
}

TEST(UsualInstructions, BitsAndVotes) {
  expect_same(R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  const unsigned t = threadIdx.x;
  const unsigned lanes = __ballot_sync(~0u, x[t] > x[t + 64]);
  y[t] = __uint_as_float(__popc(lanes) + (__brev(lanes ^ t) >> 3) + 1);
})",
              {"POPC", "BREV", "VOTE"});
}

TEST(UsualInstructions, AtomicSumsOfSharedAndGlobalMemory) {
  expect_same(R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  __shared__ unsigned bins[16];
  const unsigned t = threadIdx.x;
  if (t < 16) { bins[t] = 0; }
  __syncthreads();
  atomicAdd(&bins[static_cast<unsigned>(fabsf(x[t])) & 15], 1u);
  __syncthreads();
  atomicAdd(reinterpret_cast<unsigned*>(y) + (t & 31), bins[t & 15] + t);
  atomicAdd(y + 64, 1.0f);
})",
              {"F2I", "ATOMS.POPC.INC", "REDG.E.ADD.STRONG", "REDG.E.ADD.F32"});
}

TEST(UsualInstructions, PathsThatLeaveTwoLoopsMeetAtTheBarrier) {
  expect_same(R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float v = fabsf(x[t]);
  int steps = 0;
  while (v < 100.0f) {
    float w = v;
    while (w > 1.0f) {
      w *= 0.5f;
      ++steps;
      if (steps > 20) { goto done; }
    }
    v += w + 1.0f;
  }
done:
  s[t] = v + steps;
  __syncthreads();
  y[t] = s[63 - t];
})",
              {"BREAK"});
}

}  // namespace
}  // namespace tilestep
