// Exchanges between lanes of a warp with undefined results: which are reported, and which are not.
#include "check_fixture.h"

#include <gmock/gmock.h>

namespace tilestep::insight {
namespace {

class Exchanges : public Check {
 protected:
  // t: the thread; v: its value; n: 20.
  std::vector<std::string> found(const std::string& body, std::uint32_t threads = 32) {
    test::OwnKernel kernel;
    kernel.source =
        "__device__ float reduce(float v, unsigned mask, int width) {\n"
        "  for (int d = width / 2; d > 0; d /= 2) { v += __shfl_down_sync(mask, v, d); }\n"
        "  return v;\n"
        "}\n"
        "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
        "  int t = threadIdx.x, n = 20 + (int)in[40];\n"
        "  float v = in[t];\n" +
        body + "\n}\n";
    kernel.buffers = {{"in", 64}, {"out", 64}};
    kernel.block = {threads, 1, 1};
    std::vector<std::string> all;
    for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
      for (const simt::Schedule& schedule : kSchedules) {
        const CheckResult result =
            check(simulated_.program(test::launch_of(kernel), build), schedule);
        for (const Finding& finding : result.findings) {
          EXPECT_EQ(finding.kind, FindingKind::UndefinedExchange) << finding.sentence;
          EXPECT_EQ(finding.parties.front().access, std::nullopt);
        }
        const std::vector<std::string> now = sentences(result);
        if (&schedule == &kSchedules[0] && build == compile::Build::Step) {
          all = now;
        }
        EXPECT_EQ(now.size(), all.size()) << body;
      }
    }
    return all;
  }
};

TEST_F(Exchanges, ALaneThatItsMaskDoesNotNameIsTold) {
  EXPECT_THAT(found("if (t < 16) { v = __shfl_xor_sync(0xff, v, 1); }\nout[t] = v;"),
              testing::ElementsAre(testing::AllOf(
                  testing::HasSubstr("Thread 8 of block 0 executes shfl.sync.bfly.b32 at line 8 "
                                     "with a mask that does not contain its own lane"),
                  testing::HasSubstr("put every calling lane into the mask"))));
  EXPECT_THAT(found("out[t] = __ballot_sync(0xffff, v > 0);"),
              testing::ElementsAre(testing::HasSubstr("executes vote.sync.ballot.b32 at line 8")));
  EXPECT_THAT(found("__syncwarp(0xffff);\nout[t] = v;"),
              testing::ElementsAre(testing::HasSubstr("executes bar.warp.sync at line 8")));
  EXPECT_THAT(found("if (t < 16) { v = __shfl_xor_sync(0xffff, v, 1); __syncwarp(0xffff); }\n"
                    "out[t] = v;"),
              testing::IsEmpty());
}

TEST_F(Exchanges, AStoredValueFromALaneWithoutAPartIsTold) {
  EXPECT_THAT(
      found("if (t < 16) { out[t] = __shfl_sync(0xffff, v, 20); }"),
      testing::ElementsAre(testing::AllOf(
          testing::HasSubstr("Thread 0 of block 0 takes a value from lane 20 of its warp at "
                             "line 8 (shfl.sync.idx.b32), but that lane does not take part"),
          testing::HasSubstr("thread 0 stores in out[0] at line 8"))));
  // Through a sum, a function, a choice, shared memory.
  EXPECT_THAT(found("if (t < 16) { v = reduce(v, 0xffff, 32); }\nif (t == 0) { out[t] = v; }"),
              testing::ElementsAre(testing::HasSubstr(
                  "Thread 0 of block 0 takes a value from lane 16 of its warp at line 2")));
  EXPECT_THAT(found("__shared__ float s[32];\n"
                    "if (t < 16) { s[t] = fmaxf(v, __shfl_sync(0xffff, v, 20)); }\n"
                    "__syncwarp();\nif (t < 16) out[t] = s[15 - t];"),
              testing::ElementsAre(testing::HasSubstr("from lane 20 of its warp at line 9")));
  // Lanes that have exited, lanes without a thread.
  EXPECT_THAT(found("if (t >= n) return;\nv += __shfl_down_sync(0xffffffff, v, 16);\n"
                    "if (t == 4) out[0] = v;"),
              testing::ElementsAre(testing::HasSubstr("takes a value from lane 20")));
  EXPECT_THAT(
      found("v = reduce(v, 0xffffffff, 32);\nif (t == 32) { out[0] = v; }", 48),
      testing::ElementsAre(testing::HasSubstr("Thread 32 of block 0 takes a value from lane 16")));
}

TEST_F(Exchanges, ValuesThatNobodyUsesAreNot) {
  // Lanes 8 to 15 read beyond the mask; the sum of lane 0 does not.
  EXPECT_THAT(found("if (t < 16) { v = reduce(v, 0xffff, 16); }\nif (t == 0) { out[0] = v; }"),
              testing::IsEmpty());
  EXPECT_THAT(found("v = reduce(v, 0xffffffff, 32);\nif (t == 0) { out[0] = v; }"),
              testing::IsEmpty());
  // A tail warp with a bounds test after each exchange.
  EXPECT_THAT(found("unsigned mask = __ballot_sync(0xffffffff, t < n);\n"
                    "if (t < n) {\n"
                    "  for (int d = 16; d > 0; d /= 2) {\n"
                    "    float other = __shfl_down_sync(mask, v, d);\n"
                    "    if (t + d < n) { v += other; }\n"
                    "  }\n"
                    "  if (t == 0) { out[0] = v; }\n"
                    "}"),
              testing::IsEmpty());
  EXPECT_THAT(found("if (t < n) {\n"
                    "  unsigned mask = __activemask();\n"
                    "  float other = __shfl_down_sync(mask, v, 1);\n"
                    "  out[t] = t + 1 < n ? other : 0.0f;\n"
                    "}"),
              testing::IsEmpty());
  // Outside a segment's range a lane keeps its own value.
  EXPECT_THAT(found("out[t] = __shfl_down_sync(0xffffffff, v, 3, 8) + __shfl_up_sync(0xffffffff, "
                    "v, 5);"),
              testing::IsEmpty());
  EXPECT_THAT(found("if (t < 16) { out[t] = __shfl_down_sync(0xffff, v, 3, 16); }"),
              testing::IsEmpty());
}

TEST_F(Exchanges, HalvesOfAWarpMayEachHaveTheirMask) {
  EXPECT_THAT(found("unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;\n"
                    "out[t] = __shfl_xor_sync(mask, v, 3);"),
              testing::IsEmpty());
  EXPECT_THAT(found("unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;\n"
                    "out[t] = __shfl_xor_sync(mask, v, 16);"),
              testing::ElementsAre(testing::HasSubstr("takes a value from lane 16")));
}

}  // namespace
}  // namespace tilestep::insight
