// The findings of check() for the catalog and for kernels that are wrong on purpose. The sentences
// are golden: a student reads them.
#include "check_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::insight {
namespace {

TEST_F(Check, CleanKernelsAreCleanUnderEverySchedule) {
  for (const char* kernel : {"naive", "tiled", "submatrix"}) {
    for (const int block_size : {1, 2, 4, 8}) {
      for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
        const auto program = simulated_.program(kernel, {16, 8, 24}, block_size, build);
        for (const simt::Schedule& schedule : kSchedules) {
          const CheckResult result = check(program, schedule);
          EXPECT_THAT(sentences(result), testing::IsEmpty()) << kernel << " " << block_size;
          EXPECT_TRUE(result.has_reference);
          EXPECT_EQ(result.comparison.wrong, 0U) << kernel << " " << block_size;
          EXPECT_TRUE(result.clean());
        }
      }
    }
  }
}

TEST_F(Check, RaggedSizesAreCleanToo) {
  for (const problem::Problem size : {problem::Problem{5, 7, 9}, problem::Problem{17, 1, 33}}) {
    for (const int block_size : {3, 4, 16, 32}) {
      const auto program = simulated_.program("tiled", size, block_size);
      for (const simt::Schedule& schedule : kSchedules) {
        EXPECT_TRUE(check(program, schedule).clean()) << block_size;
      }
    }
  }
}

TEST_F(Check, FindsTheMissingBarrierWhateverTheScheduleAndTheSize) {
  for (const int block_size : {4, 8, 16}) {
    for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
      const auto program =
          simulated_.program("tiled_missing_barrier", {32, 32, 32}, block_size, build);
      for (const simt::Schedule& schedule : kSchedules) {
        const CheckResult result = check(program, schedule);
        ASSERT_GE(result.findings.size(), 2U) << block_size;
        EXPECT_EQ(result.findings[0].kind, FindingKind::SharedRace);
        EXPECT_EQ(result.findings[1].kind, FindingKind::SharedRace);
        EXPECT_NE(result.findings[0].variable, result.findings[1].variable);
        EXPECT_FALSE(result.clean());
      }
    }
  }
}

// The adversary makes the missing barrier visible in C, lockstep hides it; the race is found under
// both. A block of 16 threads needs a teaching warp of 4 lanes to run ahead of itself.
TEST_F(Check, FindsTheMissingBarrierWhetherOrNotItSpoilsTheResult) {
  struct Case {
    int block_size;
    int warp_size;
  };
  for (const auto [block_size, warp_size] : {Case{4, 4}, Case{8, 32}, Case{16, 32}, Case{32, 32}}) {
    for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
      const auto program =
          simulated_.program("tiled_missing_barrier", {64, 64, 64}, block_size, build, warp_size);
      const CheckResult ahead = check(program, {simt::ScheduleKind::RunAhead, 0});
      EXPECT_TRUE(ahead.has_reference);
      EXPECT_GT(ahead.comparison.wrong, 0U) << block_size;
      const CheckResult in_step = check(program, {simt::ScheduleKind::Lockstep});
      EXPECT_EQ(in_step.comparison.wrong, 0U) << block_size;
      for (const CheckResult* result : {&ahead, &in_step}) {
        ASSERT_GE(result->findings.size(), 2U) << block_size;
        EXPECT_EQ(result->findings[0].kind, FindingKind::SharedRace);
        EXPECT_FALSE(result->clean());
      }
    }
  }
}

// A barrier that is completed by the last warp's exit orders like any other.
TEST_F(Check, ABarrierCompletedByAnExitOrdersTheOthers) {
  const std::string source =
      "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
      "  __shared__ float s[64];\n"
      "  if (threadIdx.x >= 64) { return; }\n"
      "  s[threadIdx.x] = in[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = s[63 - threadIdx.x];\n"
      "}\n";
  for (const simt::Schedule& schedule : kSchedules) {
    EXPECT_TRUE(
        check_source(source, {{"in", 64}, {"out", 64}}, {96, 1, 1}, {1, 1, 1}, schedule).clean());
  }
}

TEST_F(Check, NamesBothThreadsBothLinesAndTheElementOfTheMissingBarrier) {
  const CheckResult result =
      check(simulated_.program("tiled_missing_barrier", {8, 8, 8}, 4), simt::Schedule{});
  ASSERT_EQ(result.findings.size(), 2U);
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.variable, "As");
  EXPECT_EQ(finding.element, "As[0][0]");
  ASSERT_EQ(finding.parties.size(), 2U);
  EXPECT_EQ(finding.parties[0].access, simt::AccessKind::Load);
  EXPECT_EQ(finding.parties[0].line, 28U);
  EXPECT_EQ(finding.parties[1].access, simt::AccessKind::Store);
  EXPECT_EQ(finding.parties[1].line, 24U);
  EXPECT_LT(finding.parties[0].step, finding.parties[1].step);
  EXPECT_EQ(finding.sentence,
            "Thread (0,0) of block (0,0) stores As[0][0] at line 24 while thread (1,0) may still "
            "read it at line 28: no barrier orders the two, and the lanes of one warp need not run "
            "in lockstep. Put __syncthreads() between them, or __syncwarp() if only this warp uses "
            "the data.");
}

TEST_F(Check, BothSidesOfTheBarrierThatIsMissing) {
  // Without the first barrier the read may be too early, without the second the store may be.
  const std::string body = R"(
  __shared__ float s[64];
  float sum = 0.0f;
  for (int t = 0; t < 2; ++t) {
    s[threadIdx.x] = in[t * 64 + threadIdx.x];
    FIRST
    sum += s[63 - threadIdx.x];
    SECOND
  }
  out[threadIdx.x] = sum;
}
)";
  const auto source = [&](const std::string& first, const std::string& second) {
    std::string text = "extern \"C\" __global__ void kernel(const float* in, float* out) {" + body;
    text.replace(text.find("FIRST"), 5, first);
    text.replace(text.find("SECOND"), 6, second);
    return text;
  };
  const std::string barrier = "__syncthreads();";
  for (const simt::Schedule& schedule : kSchedules) {
    const auto run = [&](const std::string& first, const std::string& second) {
      return check_source(source(first, second), {{"in", 128}, {"out", 64}}, {64, 1, 1}, {1, 1, 1},
                          schedule);
    };
    EXPECT_TRUE(run(barrier, barrier).clean());
    const CheckResult early_read = run("", barrier);
    ASSERT_EQ(early_read.findings.size(), 1U);
    EXPECT_THAT(early_read.findings[0].sentence, testing::HasSubstr("may not have stored it yet"));
    const CheckResult early_store = run(barrier, "");
    ASSERT_EQ(early_store.findings.size(), 1U);
    EXPECT_THAT(early_store.findings[0].sentence, testing::HasSubstr("may still read it"));
  }
}

TEST_F(Check, LanesOfOneWarpRaceUnlessSyncwarpOrdersThem) {
  const auto source = [](const char* between) {
    return std::string(
               "extern \"C\" __global__ void kernel(float* out) {\n"
               "  __shared__ float s[32];\n"
               "  s[threadIdx.x] = threadIdx.x;\n") +
           between +
           "  out[threadIdx.x] = s[31 - threadIdx.x];\n"
           "}\n";
  };
  const CheckResult race = check_source(source("\n"), {{"out", 32}});
  ASSERT_THAT(
      sentences(race),
      testing::ElementsAre(
          "Thread 0 of block 0 reads s[31] at line 5 while thread 31 may not have "
          "stored it yet at line 3: no barrier orders the two, and the lanes of "
          "one warp need not run in lockstep. Put __syncthreads() between them, or __syncwarp() if "
          "only this warp uses the data."));
  EXPECT_TRUE(check_source(source("  __syncwarp();\n"), {{"out", 32}}).clean());
  EXPECT_TRUE(check_source(source("  __syncthreads();\n"), {{"out", 32}}).clean());
  // Half a warp each: lanes of different halves are still not ordered.
  EXPECT_FALSE(check_source(source("  if (threadIdx.x < 16) { __syncwarp(0xffff); } else { "
                                   "__syncwarp(0xffff0000); }\n"),
                            {{"out", 32}})
                   .clean());
}

TEST_F(Check, AWarpReductionWithSyncwarpIsClean) {
  EXPECT_TRUE(check_source(R"(
extern "C" __global__ void kernel(float* out) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  for (int w = 16; w > 0; w /= 2) {
    if (threadIdx.x < w) {
      s[threadIdx.x] += s[threadIdx.x + w];
    }
    __syncwarp();
  }
  out[threadIdx.x] = s[0];
}
)",
                           {{"out", 32}})
                  .clean());
}

TEST_F(Check, NamedBarriersOrderTheWarpsThatMeetThere) {
  const auto source = [](const char* barrier) {
    return std::string(R"(
extern "C" __global__ void kernel(float* out) {
  __shared__ float s[64];
  if (threadIdx.x < 64) {
    s[threadIdx.x] = threadIdx.x;
    asm volatile(")") +
           barrier + R"(" ::: "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
  }
}
)";
  };
  const problem::Dim3 block{96, 1, 1};
  EXPECT_TRUE(check_source(source("bar.sync 1, 64;"), {{"out", 64}}, block).clean());
  EXPECT_FALSE(check_source(source("// nothing"), {{"out", 64}}, block).clean());
}

TEST_F(Check, TwoStoresToOneElementAreARace) {
  EXPECT_THAT(sentences(check_source("extern \"C\" __global__ void kernel(float* out) {\n"
                                     "  __shared__ float s[1];\n"
                                     "  s[0] = threadIdx.x;\n"
                                     "  __syncthreads();\n"
                                     "  out[threadIdx.x] = s[0];\n"
                                     "}\n",
                                     {{"out", 64}}, {64, 1, 1})),
              testing::ElementsAre(
                  "Thread 0 of block 0 stores s[0] at line 3, and thread 1 stores it at line 3: "
                  "the two are not ordered, so the value that remains is undefined. Let one thread "
                  "store it, give each thread its own element, or use an atomic."));
}

TEST_F(Check, BytesOfOneWordAreSeparate) {
  const auto source = [](const char* index) {
    return std::string(R"(
extern "C" __global__ void kernel(float* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[)") +
           index + "];\n}\n";
  };
  EXPECT_TRUE(check_source(source("threadIdx.x"), {{"out", 64}}, {64, 1, 1}).clean());
  EXPECT_FALSE(check_source(source("threadIdx.x ^ 1"), {{"out", 64}}, {64, 1, 1}).clean());
}

TEST_F(Check, AtomicsDoNotRaceWithEachOther) {
  EXPECT_TRUE(check_source(R"(
extern "C" __global__ void kernel(float* out) {
  __shared__ float s[4];
  if (threadIdx.x < 4) {
    s[threadIdx.x] = 0.0f;
  }
  __syncthreads();
  atomicAdd(&s[threadIdx.x % 4], 1.0f);
  __syncthreads();
  if (threadIdx.x < 4) {
    atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
  }
}
)",
                           {{"out", 4}}, {64, 1, 1}, {3, 1, 1})
                  .clean());
}

TEST_F(Check, AnUninitialisedReadIsTold) {
  EXPECT_THAT(
      sentences(check_source("extern \"C\" __global__ void kernel(float* out) {\n"
                             "  __shared__ float s[33];\n"
                             "  s[threadIdx.x] = 1.0f;\n"
                             "  __syncthreads();\n"
                             "  out[threadIdx.x] = s[threadIdx.x + 1];\n"
                             "}\n",
                             {{"out", 32}})),
      testing::ElementsAre("Thread 31 of block 0 reads s[32] at line 5, but no thread of its block "
                           "has stored it: the value is whatever shared memory held before. Store "
                           "every element before it is read, with __syncthreads() in between."));
}

TEST_F(Check, BlocksThatStoreTheSameElementRace) {
  EXPECT_THAT(sentences(check_source("extern \"C\" __global__ void kernel(float* out) {\n"
                                     "  out[threadIdx.x] = blockIdx.x;\n"
                                     "}\n",
                                     {{"out", 32}}, {32, 1, 1}, {2, 1, 1})),
              testing::ElementsAre(
                  "Thread 0 of block 0 stores out[0] at line 2, and thread 0 of block 1 stores it "
                  "at line 2: blocks of one launch are not ordered, so the value that remains is "
                  "undefined. Let each block store its own elements, or use an atomic."));
}

TEST_F(Check, ABlockThatReadsWhatAnotherStoresRaces) {
  for (const simt::Schedule& schedule : kSchedules) {
    const CheckResult result = check_source(
        "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
        "  out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];\n"
        "  out[threadIdx.x + 64] = 0.0f * out[threadIdx.x];\n"
        "}\n",
        {{"in", 32}, {"out", 96}}, {32, 1, 1}, {2, 1, 1}, schedule);
    ASSERT_GE(result.findings.size(), 1U);
    EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRace);
  }
}

TEST_F(Check, ThreadsOfABlockAreOrderedInGlobalMemoryByItsBarrier) {
  const auto source = [](const char* barrier) {
    return std::string(R"(
extern "C" __global__ void kernel(float* out) {
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  )") + barrier +
           R"(
  float other = out[blockIdx.x * 64 + 63 - threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = other;
}
)";
  };
  for (const simt::Schedule& schedule : kSchedules) {
    EXPECT_TRUE(
        check_source(source("__syncthreads();"), {{"out", 128}}, {64, 1, 1}, {2, 1, 1}, schedule)
            .clean());
    const CheckResult race =
        check_source(source(""), {{"out", 128}}, {64, 1, 1}, {2, 1, 1}, schedule);
    ASSERT_EQ(race.findings.size(), 1U);
    EXPECT_EQ(race.findings[0].kind, FindingKind::GlobalRace);
  }
}

TEST_F(Check, FaultsOfTheMachineBecomeSentences) {
  EXPECT_THAT(sentences(check_source("extern \"C\" __global__ void kernel(float* x) {\n"
                                     "  x[threadIdx.x + 1] = 1.0f;\n"
                                     "}\n",
                                     {{"x", 32}})),
              testing::ElementsAre(
                  "Thread 31 of block 0 stores x[32] at line 2, but x has 32 elements: the access "
                  "is just past its end. Compare the indices with the size before the access."));
  EXPECT_THAT(
      sentences(check_source("extern \"C\" __global__ void kernel(float* x) {\n"
                             "  float4 v = *reinterpret_cast<float4*>(x + 1);\n"
                             "  x[0] = v.x;\n"
                             "}\n",
                             {{"x", 32}}, {1, 1, 1})),
      testing::ElementsAre("Thread 0 of block 0 reads 16 bytes at x[1] (line 2): the address must "
                           "be a multiple of 16, but the remainder is 4. Choose an index and a "
                           "pitch that keep the address aligned, or access single elements."));
  EXPECT_THAT(
      sentences(check_source("extern \"C\" __global__ void kernel(float* x) {\n"
                             "  if (threadIdx.x < 20) {\n"
                             "    __syncthreads();\n"
                             "  }\n"
                             "  x[threadIdx.x] = 1.0f;\n"
                             "}\n",
                             {{"x", 32}})),
      testing::ElementsAre("Only some threads of a warp in block 0 reach __syncthreads() at line "
                           "3, including thread 0: the others took another branch. Every thread of "
                           "the block must reach it: move it out of the branch."));
  EXPECT_THAT(sentences(check_source("extern \"C\" __global__ void kernel(float* x) {\n"
                                     "  __trap();\n"
                                     "}\n",
                                     {{"x", 32}})),
              testing::ElementsAre("Thread 0 of block 0 stops at line 2: trap."));
}

TEST_F(Check, ASizeThatIsNoMultipleIsOutOfRangeInTheSubMatrixKernel) {
  problem::Launch launch = test::launch_of("submatrix", {8, 8, 8}, 4);
  // As if the description had no requirement: one row of blocks too many.
  launch.grid.y = 3;
  const CheckResult result = check(simulated_.program(launch), {simt::ScheduleKind::Sequential});
  ASSERT_GE(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfRange);
  EXPECT_EQ(result.findings[0].variable, "A");
  EXPECT_EQ(result.findings[0].element, "A[8][0]");
}

TEST_F(Check, CanBeCancelled) {
  const std::atomic<bool> cancel = true;
  EXPECT_TRUE(
      check(simulated_.program("tiled", {64, 64, 64}, 8), simt::Schedule{}, &cancel).cancelled);
}

// The gap between two arrays is unallocated, though on a GPU one begins where the other ends.
TEST_F(Check, AnIndexTooFarDoesNotReachTheNextSharedArray) {
  const std::string declarations = R"(extern "C" __global__ void kernel(int* out) {
  __shared__ int first[32];
  __shared__ int second[32];
  int t = threadIdx.x;
  first[t] = t;
  second[t] = t;
  __syncthreads();
)";
  const auto found = [&](const std::string& statement) {
    return sentences(check_source(declarations + statement + "\n}", {{"out", 32}}));
  };
  EXPECT_THAT(found("out[t] = first[t + 1] + second[t];"),
              testing::ElementsAre(
                  testing::HasSubstr("Thread 31 of block 0 reads first[32] at line 8, but first "
                                     "has 128 bytes: the access is just past its end")));
  EXPECT_THAT(
      found("first[t + 40] = t;\n__syncthreads();\nout[t] = first[t] + second[t];"),
      testing::ElementsAre(testing::HasSubstr("stores first[40] at line 8, but first has 128 "
                                              "bytes: the access is 32 bytes past its end")));
  EXPECT_THAT(found("out[t] = first[t] + second[t];"), testing::IsEmpty());
}

TEST_F(Check, WhatNoGpuLaunchesIsRefused) {
  const auto refusal = [&](const std::string& source) -> std::string {
    try {
      (void)check_source(source, {{"out", 32}});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      refusal("extern \"C\" __global__ void __launch_bounds__(16) kernel(int* out) { "
              "out[threadIdx.x] = 1; }"),
      testing::HasSubstr("32 threads, but the kernel's __launch_bounds__ allows at most 16"));
  EXPECT_THAT(refusal("extern \"C\" __global__ void kernel(int* out) { __shared__ int s[20000]; "
                      "s[threadIdx.x] = 1; out[threadIdx.x] = s[threadIdx.x]; }"),
              testing::HasSubstr("take 80000 bytes per block, but the limit is 49152"));
}

// The step build, whose structures are in local memory.
TEST_F(Check, CopyingWhatNobodyHasSetIsNoReadingOfIt) {
  const std::string types =
      "struct Bits { unsigned a : 4; unsigned b : 12; int c : 16; };\n"
      "struct Group { int kind; int spare[3]; };\n"
      "extern \"C\" __global__ void kernel(int* out) {\n";
  const auto found = [&](const std::string& body) {
    return sentences(check_source(types + body + "\n}", {{"out", 32}}));
  };
  EXPECT_THAT(found("Bits s; s.a = 3; s.b = 5; out[threadIdx.x] = s.a + s.b;"), testing::IsEmpty());
  EXPECT_THAT(found("Bits s; Bits* p = &s; p->a = 3; p->b = 5; out[threadIdx.x] = s.a + s.b;"),
              testing::IsEmpty());
  EXPECT_THAT(found("Group g; g.kind = 7; Group h = g; out[threadIdx.x] = h.kind;"),
              testing::IsEmpty());
  EXPECT_THAT(found("Group g; g.kind = 7; out[threadIdx.x] = g.kind + g.spare[1];"),
              testing::ElementsAre(testing::HasSubstr("reads g.spare[1]")));
}

TEST_F(Check, AStoreToConstantMemorySaysThatItIsConstant) {
  EXPECT_THAT(
      sentences(check_source("__constant__ int c[4];\n"
                             "extern \"C\" __global__ void kernel(int* out) {\n"
                             "int* p = const_cast<int*>(&c[0]);\n"
                             "if (threadIdx.x == 0) *p = 3;\n"
                             "out[threadIdx.x] = 1;\n}",
                             {{"out", 32}})),
      testing::ElementsAre("Thread 0 of block 0 stores c[0] at line 4, but kernels cannot store to "
                           "__constant__ memory. Set it from the host, or declare it __device__."));
}

}  // namespace
}  // namespace tilestep::insight
