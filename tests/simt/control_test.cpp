// Divergence, calls and recursion: the same functions compiled for the host and by NVRTC.
#include "own_kernels.h"
#include "simt/machine/machine.h"
#include "simt/state/machine_state.h"

#include <gtest/gtest.h>

#include <functional>

namespace tilestep::simt {
namespace {

// One text, two compilers.
#define ON_BOTH(...) \
  __VA_ARGS__        \
  const char* const kText = #__VA_ARGS__;

namespace nested_loops {
// clang-format off
ON_BOTH(
inline int work(int x) {
  int sum = 0;
  for (int i = 0; i < x % 7 + 2; ++i) {
    if (i == 3) { continue; }
    for (int j = i; j < 9; ++j) {
      if ((i * j + x) % 5 == 4) { break; }
      if (sum > 90) { return sum * 2; }
      if ((j & 1) != 0 && x > 8) { continue; }
      sum += i + 3 * j;
    }
    sum += x & 3;
  }
  return sum;
})
// clang-format on
}  // namespace nested_loops

namespace early_returns {
// clang-format off
ON_BOTH(
inline int work(int x) {
  for (int i = 0; i < 40; ++i) {
    if (i * 3 > x) { return i; }
    if (i == 29) { break; }
    if (x == 17) { return -17; }
  }
  do {
    x -= 7;
    if (x % 11 == 0) { return x; }
  } while (x > 0);
  return 1000 + x;
})
// clang-format on
}  // namespace early_returns

namespace switches {
// clang-format off
ON_BOTH(
inline int work(int x) {
  int r = 0;
  switch (x % 13) {
    case 0: r = x; break;
    case 1: r = 2 * x; [[fallthrough]];
    case 2: r += 5; break;
    case 3: return -x;
    case 4: r = x * x; break;
    case 5: r = x - 40; break;
    case 6: r = x / 3; break;
    case 7: while (r < x) { r += 4; } break;
    case 8: r = 8 + (x > 20 ? 1 : 2); break;
    case 9: r = x << 2; break;
    case 10: r = 99; break;
    default: r = 1; break;
  }
  return r * 3 + ((x > 5 && x < 25) || x == 31 ? 7 : 0);
})
// clang-format on
}  // namespace switches

namespace recursion {
// clang-format off
ON_BOTH(
inline int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
inline int depth(int n, int x) { if (n == 0) { return x; } return depth(n - 1, x + n) + 1; }
inline int work(int x) { return fibonacci(x % 9) * 1000 + depth(x % 23, x); })
// clang-format on
}  // namespace recursion

namespace pointers {
// clang-format off
ON_BOTH(
inline int add(int a, int b) { return a + b; }
inline int sub(int a, int b) { return a - b; }
inline int mix(int a, int b) { return a > b ? add(a, 1) : sub(b, 2); }
inline int work(int x) {
  int (*f)(int, int) = x % 3 == 0 ? add : x % 3 == 1 ? sub : mix;
  int sum = 0;
  for (int i = 0; i < x % 4 + 1; ++i) { sum += f(x, i * 5); }
  return sum;
})
// clang-format on
}  // namespace pointers

namespace aggregates {
// clang-format off
ON_BOTH(
struct Pair { int a; double b; short c; };
inline Pair make(int x) { Pair p; p.a = x; p.b = x * 0.5; p.c = (short)(x * 7); return p; }
inline int total(Pair p, char extra) { return p.a + (int)(p.b * 4) + p.c + extra; }
inline int work(int x) {
  int kept[6];
  for (int i = 0; i < 6; ++i) { kept[(i + x) % 6] = i * x; }
  Pair p = make(x);
  if ((x & 1) != 0) { p = make(kept[x % 6]); }
  return total(p, (char)(x % 100)) + kept[(x * 5) % 6];
})
// clang-format on
}  // namespace aggregates

#undef ON_BOTH

struct ControlCase {
  const char* name;
  const char* text;
  int (*host)(int);
};

const ControlCase kCases[] = {
    {"nested loops", nested_loops::kText, nested_loops::work},
    {"early returns", early_returns::kText, early_returns::work},
    {"switches", switches::kText, switches::work},
    {"recursion", recursion::kText, recursion::work},
    {"pointers", pointers::kText, pointers::work},
    {"aggregates", aggregates::kText, aggregates::work},
};

[[nodiscard]] std::string device_text(const std::string& text) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find("inline "); at != std::string::npos;
       at = text.find("inline ", from)) {
    result += text.substr(from, at - from) + "__device__ __noinline__ ";
    from = at + 7;
  }
  return result + text.substr(from);
}

[[nodiscard]] problem::Launch launch_of_work(const ControlCase& test, int threads, int blocks) {
  test::OwnKernel kernel;
  kernel.source = device_text(test.text) +
                  "\nextern \"C\" __global__ void kernel(int* out) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = work(i);\n}\n";
  kernel.grid.x = static_cast<std::uint32_t>(blocks);
  kernel.block.x = static_cast<std::uint32_t>(threads);
  kernel.buffers = {{"out", threads * blocks}};
  return test::launch_of(kernel);
}

TEST(ControlFlow, AgreesWithTheHostHoweverLanesDiverge) {
  test::Simulated simulated;
  for (const ControlCase& test : kCases) {
    for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
      for (const int warp_size : {32, 8, 1}) {
        SCOPED_TRACE(std::string(test.name) + " warps of " + std::to_string(warp_size));
        const auto program = simulated.program(launch_of_work(test, 48, 2), build, warp_size);
        Log log;
        const auto got = contents(run_to_the_end(program, {ScheduleKind::Sequential}, &log));
        ASSERT_TRUE(log.faults.empty()) << log.faults[0].detail;
        for (int i = 0; i < 96; ++i) {
          ASSERT_EQ(got[static_cast<std::size_t>(i)], test.host(i)) << "thread " << i;
        }
      }
    }
  }
}

TEST(ControlFlow, AgreesWithTheHostUnderEverySchedule) {
  test::Simulated simulated;
  for (const ControlCase& test : kCases) {
    const auto program = simulated.program(launch_of_work(test, 96, 2));
    for (const Schedule& schedule :
         {Schedule{ScheduleKind::Lockstep, 0, 1}, Schedule{ScheduleKind::RunAhead, 2, 1},
          Schedule{ScheduleKind::Random, 0, 5}}) {
      const auto got = contents(run_to_the_end(program, schedule));
      for (int i = 0; i < 192; ++i) {
        ASSERT_EQ(got[static_cast<std::size_t>(i)], test.host(i)) << test.name << i;
      }
    }
  }
}

// A loop that lanes leave one after the other, in three ways, keeps few paths.
TEST(ControlFlow, KeepsFewPathsHoweverOftenALoopIsLeft) {
  test::Simulated simulated;
  for (const ControlCase& test : kCases) {
    const auto program = simulated.program(launch_of_work(test, 32, 1));
    Machine machine(program);
    while (!machine.done()) {
      machine.step({0, 0}, nullptr);
      const auto& block = machine.impl().state.blocks[0];
      if (block) {
        const Warp& warp = block->warps[0];
        ASSERT_LE(warp.paths.size(), 31 + 12 * warp.frames.size()) << test.name;
        std::uint32_t lanes = 0;
        for (const Path& path : warp.paths) {
          lanes |= path.mask;
        }
        ASSERT_EQ(lanes, warp.live);
      }
    }
  }
}

TEST(Calls, DeeperThanTheLimitAreReportedAndStopTheWarp) {
  test::OwnKernel kernel;
  kernel.source = R"(
__device__ __noinline__ int down(int n) { return n < 0 ? 0 : down(n + 1) + n; }
extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x < 32) { out[threadIdx.x] = down(1); } else { out[threadIdx.x] = 5; }
})";
  kernel.block.x = 64;
  kernel.buffers = {{"out", 64}};
  test::Simulated simulated;
  Log log;
  const Machine machine =
      run_to_the_end(simulated.program(test::launch_of(kernel)), {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 1U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::StackOverflow);
  EXPECT_NE(log.faults[0].detail.find("down"), std::string::npos) << log.faults[0].detail;
  EXPECT_EQ(contents(machine)[63], 5);
  EXPECT_EQ(machine.block_status(0), BlockStatus::Stopped);
}

TEST(Calls, ShowTheirFramesParametersAndLocalMemory) {
  test::OwnKernel kernel;
  kernel.source = R"(
struct Two { int a; int b; };
__device__ __noinline__ int inner(Two t, int x) { return t.a * x + t.b; }
extern "C" __global__ void kernel(int* out) {
  Two t; t.a = threadIdx.x; t.b = 100;
  out[threadIdx.x] = inner(t, 3);
})";
  kernel.buffers = {{"out", 32}};
  test::Simulated simulated;
  const auto program = simulated.program(test::launch_of(kernel));
  Machine machine(program);
  const WarpId warp{0, 0};
  while (machine.warp(warp).call_depth == 0) {
    machine.step(warp, nullptr);
  }
  const ptx::Function& callee = program->module().functions[machine.warp(warp).function];
  ASSERT_NE(callee.symbol.find("inner"), std::string::npos);
  for (int lane = 0; lane < 32; ++lane) {
    const std::vector<std::byte> params = machine.params(warp, lane);
    std::int32_t values[3] = {};
    std::memcpy(values, params.data() + callee.params[0].offset, 8);
    std::memcpy(values + 2, params.data() + callee.params[1].offset, 4);
    EXPECT_EQ(values[0], lane);
    EXPECT_EQ(values[1], 100);
    EXPECT_EQ(values[2], 3);
    EXPECT_NE(machine.local_frame(warp, lane, 1), machine.local_frame(warp, lane, 0));
    const auto bytes =
        machine.read(0, static_cast<std::uint32_t>(lane), machine.local_frame(warp, lane, 0), 8);
    EXPECT_TRUE(bytes.has_value());
  }
  while (!machine.done()) {
    machine.step(warp, nullptr);
  }
  EXPECT_EQ(contents(machine)[7], 7 * 3 + 100);
}

// An observer of all steps, for Machine::run_to().
struct EachStep final : Observer {
  std::uint64_t steps = 0;

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const StepInfo&) override { ++steps; }
};

TEST(RunTo, EndsWhereStepsOneByOneWouldStandAtAPlaceOfTheKernel) {
  test::OwnKernel kernel;
  kernel.source = R"(
__device__ __noinline__ int times(int a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) { sum += a ^ i; }
  return sum;
}
extern "C" __global__ void kernel(int* out) {
  __shared__ int all[64];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < t % 5 + 3; ++i) {
    sum += i == 2 ? times(t, 4) : i;
  }
  all[t] = sum;
  __syncthreads();
  out[t] = all[63 - t];
})";
  kernel.block.x = 64;
  kernel.buffers = {{"out", 64}};
  test::Simulated simulated;
  const auto program = simulated.program(test::launch_of(kernel));
  std::vector<bool> places(program->entry().instructions.size());
  for (std::size_t pc = 0; pc < places.size(); pc += 3) {
    places[pc] = true;
  }
  Machine one(program);
  Machine other(program);
  EachStep seen;
  std::uint64_t stops = 0;
  std::uint64_t all = 0;
  while (!other.done()) {
    for (std::uint32_t n = 0; n < 2; ++n) {
      const WarpId warp{0, n};
      if (other.done() || other.warp(warp).status != WarpStatus::Ready) {
        continue;
      }
      const std::uint64_t made = other.run_to(warp, places, 1000, seen);
      all += made;
      ++stops;
      for (std::uint64_t i = 0; i < made; ++i) {
        const WarpView before = one.warp(warp);
        ASSERT_TRUE(i == 0 || before.call_depth != 0 || !places[before.pc]) << before.pc;
        one.step(warp, nullptr);
      }
      const WarpView view = other.warp(warp);
      EXPECT_EQ(view.pc, one.warp(warp).pc);
      EXPECT_EQ(view.active, one.warp(warp).active);
      EXPECT_TRUE(view.status != WarpStatus::Ready || (view.call_depth == 0 && places[view.pc]));
    }
  }
  EXPECT_TRUE(one.done());
  EXPECT_EQ(seen.steps, all);
  EXPECT_GT(stops, 40U);
  EXPECT_GT(all, 3 * stops);  // the function has instructions with these numbers, too
  EXPECT_EQ(contents(other), contents(one));
}

TEST(RunTo, EndsAfterAsManySteps) {
  const auto program =
      test::Simulated().program(test::launch_of(own_kernel({.body = "out[t] = t * t;"})));
  const std::vector<bool> nowhere(program->entry().instructions.size());
  Machine machine(program);
  EachStep seen;
  EXPECT_EQ(machine.run_to({0, 0}, nowhere, 3, seen), 3U);
  EXPECT_EQ(machine.warp({0, 0}).pc, 3U);
}

TEST(UnknownInstructions, StopTheirWarpWithTheirText) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .b64 %out, %offset;
  .reg .b32 %t, %v;
  .reg .pred %p;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  add.u64 %out, %out, %offset;
  st.global.u32 [%out], 1;
  setp.ge.u32 %p, %t, 32;
  @%p bra strange;
  st.global.u32 [%out], 2;
  ret;
strange:
  frobnicate.u32 %v, %t;
  st.global.u32 [%out], 3;
  ret;
}
)";
  const auto program = test_program(ptx, 64);
  Log log;
  const auto machine = run_to_the_end(program, {ScheduleKind::Lockstep}, &log);
  ASSERT_EQ(log.faults.size(), 1U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::NotSimulated);
  EXPECT_NE(log.faults[0].detail.find("frobnicate.u32 %v, %t"), std::string::npos);
  EXPECT_EQ(log.fault_steps[0].id.warp, 1U);
  EXPECT_EQ(contents(machine)[0], 2);
  EXPECT_EQ(contents(machine)[40], 1);
}

TEST(IndexedBranches, SendEveryLaneToItsOwnTarget) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .b64 %out, %offset;
  .reg .b32 %t, %v;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  add.u64 %out, %out, %offset;
  and.b32 %v, %t, 3;
targets: .branchtargets zero, one, zero, three;
  brx.idx %v, targets;
zero:
  mov.u32 %v, 10;
  bra.uni join;
one:
  mov.u32 %v, 11;
  bra.uni join;
three:
  mov.u32 %v, 13;
join:
  activemask.b32 %t;
  add.u32 %v, %v, %t;
  st.global.u32 [%out], %v;
  ret;
}
)";
  const auto values = contents<std::uint32_t>(run_to_the_end(test_program(ptx, 32)));
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t wanted = (lane & 3) == 1 ? 11 : (lane & 3) == 3 ? 13 : 10;
    EXPECT_EQ(values[lane], wanted + 0xffffffffU) << "all lanes are together again";
  }
}

}  // namespace
}  // namespace tilestep::simt
