// Shuffles, votes, matches, reductions and atomics against plain loops.
#include "own_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

// One warp; every lane stores `%r9` after `body`, with %t = lane and %r0 = its value.
[[nodiscard]] std::vector<std::uint32_t> run_warp_code(const std::string& body,
                                                       const std::vector<std::uint32_t>& values) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 a, .param .u64 b)\n{\n"
      ".reg .b64 %a, %b, %c, %l<8>;\n.reg .b32 %t, %r<16>;\n.reg .pred %p<8>;\n"
      "mov.u32 %t, %laneid;\nld.param.u64 %a, [a];\nld.param.u64 %b, [b];\n"
      "mul.wide.u32 %c, %t, 4;\nadd.u64 %a, %a, %c;\nadd.u64 %b, %b, %c;\n"
      "ld.global.u32 %r0, [%a];\nmov.u32 %r9, 0;\n" +
      body + "\nend:\nst.global.u32 [%b], %r9;\nret;\n}\n";
  const auto program =
      program_of(ptx, {1, 1, 1}, {32, 1, 1}, {bytes_of(values), std::vector<std::byte>(128)});
  return contents<std::uint32_t>(run_to_the_end(program), 1);
}

[[nodiscard]] std::vector<std::uint32_t> some_values() {
  OperandBits random(79);
  std::vector<std::uint32_t> values;
  for (int lane = 0; lane < 32; ++lane) {
    values.push_back(static_cast<std::uint32_t>(random.next()));
  }
  return values;
}

// The specified results of CUDA's __shfl functions, lane by lane in segments of `width`.
[[nodiscard]] std::uint32_t shuffled(const std::vector<std::uint32_t>& values, const char* kind,
                                     std::uint32_t lane, std::uint32_t b, std::uint32_t width) {
  const std::uint32_t start = lane / width * width;
  const std::uint32_t own = lane % width;
  std::uint32_t from = own;
  switch (kind[0]) {
    case 'u':
      from = own >= b ? own - b : own;
      break;
    case 'd':
      from = own + b < width ? own + b : own;
      break;
    case 'b':
      from = own ^ b;
      break;
    default:
      from = b % width;
  }
  return values[(start + from) % 32];
}

TEST(Shuffles, MoveValuesWithinSegments) {
  const auto values = some_values();
  for (const char* const kind : {"up", "down", "bfly", "idx"}) {
    for (const std::uint32_t width : {32U, 16U, 8U, 4U}) {
      for (const std::uint32_t b : {0U, 1U, 2U, 3U}) {
        const std::uint32_t clamp = (32 - width) << 8 | (kind[0] == 'u' ? 0U : 31U);
        const auto got =
            run_warp_code("shfl.sync." + std::string(kind) + ".b32 %r9|%p0, %r0, " +
                              std::to_string(b) + ", " + std::to_string(clamp) + ", -1;",
                          values);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          ASSERT_EQ(got[lane], shuffled(values, kind, lane, b, width)) << kind << width << b;
        }
      }
    }
  }
}

TEST(Shuffles, TellWhetherTheirSourceWasInRange) {
  const auto got = run_warp_code(
      "shfl.sync.down.b32 %r1|%p0, %r0, 5, 31, -1;\nselp.u32 %r9, 1, 0, %p0;", some_values());
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane], lane + 5 < 32 ? 1U : 0U);
  }
}

TEST(Votes, CountTheLanesThatExecute) {
  const std::string odd = "and.b32 %r1, %r0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n";
  const auto values = some_values();
  std::uint32_t ballot = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ballot |= (values[lane] & 1) << lane;
  }
  for (const std::uint32_t result :
       run_warp_code(odd + "vote.sync.ballot.b32 %r9, %p0, -1;", values)) {
    EXPECT_EQ(result, ballot);
  }
  for (const std::uint32_t result :
       run_warp_code(odd + "vote.sync.ballot.b32 %r9, !%p0, -1;", values)) {
    EXPECT_EQ(result, ~ballot);
  }
  const auto truth = [&](const std::string& kind, const std::string& predicate) {
    return run_warp_code(
        odd + predicate + "vote.sync." + kind + ".pred %p1, %p0, -1;\nselp.u32 %r9, 1, 0, %p1;",
        values)[3];
  };
  EXPECT_EQ(truth("any", ""), 1U);
  EXPECT_EQ(truth("all", ""), 0U);
  EXPECT_EQ(truth("uni", ""), 0U);
  EXPECT_EQ(truth("all", "setp.lt.u32 %p0, %t, 32;\n"), 1U);
  EXPECT_EQ(truth("uni", "setp.gt.u32 %p0, %t, 32;\n"), 1U);
  EXPECT_EQ(truth("any", "setp.gt.u32 %p0, %t, 32;\n"), 0U);
}

TEST(Votes, SeeOnlyTheirOwnSideOfABranch) {
  const auto got = run_warp_code(
      "setp.lt.u32 %p0, %t, 10;\n@%p0 bra low;\nactivemask.b32 %r9;\nbra end;\n"
      "low:\nsetp.lt.u32 %p1, %t, 3;\nvote.sync.ballot.b32 %r9, %p1, 0x3ff;",
      some_values());
  EXPECT_EQ(got[2], 7U);
  EXPECT_EQ(got[20], ~0x3ffU);
}

TEST(Matches, FindEqualValues) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    values.push_back(lane * 7 % 5);
  }
  const auto any = run_warp_code("match.any.sync.b32 %r9, %r0, -1;", values);
  const auto wide =
      run_warp_code("cvt.u64.u32 %l0, %r0;\nmatch.any.sync.b64 %r9, %l0, -1;", values);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t wanted = 0;
    for (std::uint32_t other = 0; other < 32; ++other) {
      wanted |= values[other] == values[lane] ? 1U << other : 0U;
    }
    EXPECT_EQ(any[lane], wanted);
    EXPECT_EQ(wide[lane], wanted);
  }
  const std::string all = "match.all.sync.b32 %r9|%p0, %r1, -1;\n@%p0 add.u32 %r9, %r9, 1;";
  EXPECT_EQ(run_warp_code("mov.u32 %r1, 4;\n" + all, values)[6], 0U);  // all ones + 1
  EXPECT_EQ(run_warp_code("mov.u32 %r1, %r0;\n" + all, values)[6], 0U);
}

TEST(Reductions, CombineAWarp) {
  const auto values = some_values();
  const auto reduce = [&](const std::string& form) {
    return run_warp_code("redux.sync." + form + " %r9, %r0, -1;", values)[11];
  };
  std::uint32_t sum = 0;
  std::uint32_t all = ~0U;
  std::uint32_t any = 0;
  std::uint32_t odd = 0;
  for (const std::uint32_t v : values) {
    sum += v;
    all &= v;
    any |= v;
    odd ^= v;
  }
  EXPECT_EQ(reduce("add.u32"), sum);
  EXPECT_EQ(reduce("and.b32"), all);
  EXPECT_EQ(reduce("or.b32"), any);
  EXPECT_EQ(reduce("xor.b32"), odd);
  EXPECT_EQ(reduce("min.u32"), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(reduce("max.u32"), *std::max_element(values.begin(), values.end()));
  const auto signed_less = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  };
  EXPECT_EQ(reduce("min.s32"), *std::min_element(values.begin(), values.end(), signed_less));
  EXPECT_EQ(reduce("max.s32"), *std::max_element(values.begin(), values.end(), signed_less));
}

// Every element of a vector is added separately; sums of small integers do not depend on the order.
TEST(Atomics, AddVectors) {
  const std::string ptx =
      ".version 8.1\n.target sm_90\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 a, .param .u64 b)\n{\n"
      ".reg .b64 %a;\n.reg .b32 %t, %u, %p;\n.reg .f32 %x, %y, %z, %w;\n"
      ".reg .b16 %h, %g;\n.reg .pred %q;\n"
      "ld.param.u64 %a, [b];\nmov.u32 %t, %laneid;\nadd.u32 %u, %t, 1;\n"
      "cvt.rn.f32.u32 %x, %t;\ncvt.rn.f32.u32 %y, %u;\n"
      "cvt.rn.f16.u32 %h, %t;\nmov.b32 %p, {%h, %h};\n"
      "red.global.add.v4.f32 [%a], {%x, %y, %y, %x};\n"
      "atom.global.add.v2.f32 {%z, %w}, [%a+16], {%y, %x};\n"
      "atom.global.add.noftz.v2.f16 {%g, _}, [%a+24], {%h, %h};\n"
      "red.global.add.noftz.v2.f16x2 [%a+32], {%p, %p};\n"
      "setp.ne.u32 %q, %t, 15;\n@%q exit;\nst.global.f32 [%a+40], %z;\n"
      "st.global.u16 [%a+44], %g;\nret;\n}\n";
  const auto program = program_of(ptx, {1, 1, 1}, {16, 1, 1},
                                  {std::vector<std::byte>(4), std::vector<std::byte>(48)});
  const Machine machine = run_to_the_end(program);
  const auto floats = contents<float>(machine, 1);
  EXPECT_EQ((std::vector<float>{floats.begin(), floats.begin() + 6}),
            (std::vector<float>{120, 136, 136, 120, 136, 120}));
  const auto words = contents<std::uint16_t>(machine, 1);
  constexpr std::uint16_t kHalf120 = 0x5780;  // 0 + 1 + … + 15
  EXPECT_EQ((std::vector<std::uint16_t>{words.begin() + 12, words.begin() + 20}),
            (std::vector<std::uint16_t>{kHalf120, kHalf120, 0, 0, kHalf120, kHalf120, kHalf120,
                                        kHalf120}));
  EXPECT_EQ(floats[10], 120.0F);  // value that the last lane read: 1 + 2 + … + 15
  EXPECT_EQ(words[22], 0x5690);   // 0 + 1 + … + 14 = 105
}

// Four warps in two blocks on three cells of each kind: in global and in shared memory.
TEST(Atomics, LoseNoUpdate) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(int* out) {
  __shared__ int cells[8];
  int t = threadIdx.x;
  if (t < 8) { cells[t] = t == 5 ? 1000 : 0; }
  __syncthreads();
  atomicAdd(&cells[0], t);
  atomicMax(&cells[1], t * 7 % 61);
  atomicOr(&cells[2], 1 << (t & 31));
  atomicXor(&cells[3], t);
  atomicInc((unsigned*)&cells[4], 9);
  atomicMin(&cells[5], 40 - t);
  atomicSub(&cells[6], 1);
  int old; do { old = cells[7]; } while (atomicCAS(&cells[7], old, old + 3) != old);
  __syncthreads();
  if (t < 8) { atomicAdd(&out[t], cells[t]); }
  atomicAdd((float*)&out[8], 0.5f);
  atomicExch(&out[9], 4711);
  if (atomicAdd(&out[10], 1) == 100) { out[11] = 1; }
})";
  kernel.grid.x = 2;
  kernel.block.x = 64;
  kernel.buffers = {{"out", 12}};
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    for (const auto kind : {ScheduleKind::Sequential, ScheduleKind::Random}) {
      Log log;
      const Machine machine =
          run_to_the_end(simulated.program(test::launch_of(kernel), build), {kind, 0, 3}, &log);
      ASSERT_TRUE(log.faults.empty()) << log.faults[0].detail;
      const auto got = contents(machine);
      int odd = 0;
      for (int t = 0; t < 64; ++t) {
        odd ^= t;
      }
      const std::vector<std::int32_t> wanted = {2 * 63 * 32, 2 * 60,  2 * -1,  2 * odd,
                                                2 * 4,       2 * -23, 2 * -64, 2 * 192};
      EXPECT_EQ((std::vector<std::int32_t>{got.begin(), got.begin() + 8}), wanted);
      EXPECT_EQ(contents<float>(machine)[8], 64.0F);
      EXPECT_EQ(got[9], 4711);
      EXPECT_EQ(got[10], 128);
      EXPECT_EQ(got[11], 1);
    }
  }
}

// Exact sums of halves, so that the order of lanes does not matter.
TEST(Atomics, AddHalfsAlone_AndInPairs) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 a, .param .u64 b)\n{\n"
      ".reg .b64 %a;\n.reg .b32 %t, %r<4>;\n.reg .b16 %h<4>;\n"
      "ld.param.u64 %a, [b];\nmov.u32 %t, %laneid;\n"
      "cvt.rn.f16.u32 %h0, %t;\ncvt.rn.bf16.u32 %h1, %t;\nmov.b32 %r0, {%h0, %h0};\n"
      "mov.b32 %r1, {%h1, %h1};\n"
      "atom.global.add.noftz.f16 %h2, [%a], %h0;\natom.global.add.noftz.bf16 %h2, [%a+2], %h1;\n"
      "atom.global.add.noftz.f16x2 %r2, [%a+4], %r0;\n"
      "red.global.add.noftz.bf16x2 [%a+8], %r1;\nret;\n}\n";
  const auto program = program_of(ptx, {1, 1, 1}, {16, 1, 1},
                                  {std::vector<std::byte>(4), std::vector<std::byte>(12)});
  const auto words = contents<std::uint16_t>(run_to_the_end(program), 1);
  constexpr std::uint16_t kHalf120 = 0x5780;  // 0 + 1 + … + 15
  constexpr std::uint16_t kBfloat120 = 0x42f0;
  EXPECT_EQ(words, (std::vector<std::uint16_t>{kHalf120, kBfloat120, kHalf120, kHalf120, kBfloat120,
                                               kBfloat120}));
}

TEST(Atomics, AreToldAsOne) {
  test::OwnKernel kernel;
  kernel.source = R"(extern "C" __global__ void kernel(int* out) { atomicAdd(out, 1); })";
  kernel.buffers = {{"out", 1}};
  test::Simulated simulated;
  Log log;
  run_to_the_end(simulated.program(test::launch_of(kernel), compile::Build::Fast),
                 {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.accesses.size(), 1U);
  EXPECT_EQ(log.accesses[0].kind, AccessKind::Atomic);
  EXPECT_EQ(log.accesses[0].mask, ~0U);
}

}  // namespace
}  // namespace tilestep::simt
