// Wrong numbers: NaNs, indices that overflow, and stores that race with the same value.
#include "insight/check/check.h"
#include "insight/check/finding.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tilestep::insight {
namespace {

const simt::Schedule kSchedules[] = {{simt::ScheduleKind::Lockstep},
                                     {simt::ScheduleKind::Sequential},
                                     {simt::ScheduleKind::RunAhead, 0},
                                     {simt::ScheduleKind::Random, 0, 11}};

class Numbers : public testing::Test {
 protected:
  // kernel(float* out, float* in) of one block, 64 threads; `in` holds 0, 1, 2 …
  static test::OwnKernel kernel(const std::string& body) {
    test::OwnKernel kernel;
    kernel.source =
        "extern \"C\" __global__ void kernel(float* out, float* in) {\n"
        "  int t = threadIdx.x;\n" +
        body + "\n}\n";
    kernel.block.x = 64;
    kernel.buffers = {{"out", 64}, {"in", 64}};
    return kernel;
  }

  std::vector<Finding> findings(const std::string& body,
                                compile::Build build = compile::Build::Step,
                                simt::Schedule schedule = {simt::ScheduleKind::Sequential}) {
    problem::Launch launch = test::launch_of(kernel(body));
    for (int i = 0; i < 64; ++i) {
      const auto value = static_cast<float>(i);
      std::memcpy(launch.buffers[1].contents.data() + 4 * i, &value, 4);
    }
    return check(simulated_.program(launch, build), schedule).findings;
  }

  test::Simulated simulated_;
};

constexpr compile::Build kBuilds[] = {compile::Build::Step, compile::Build::Fast};

TEST_F(Numbers, TellWhereANanIsBorn) {
  for (const compile::Build build : kBuilds) {
    for (const simt::Schedule& schedule : kSchedules) {
      const auto found = findings(
          "  float a = in[t] - 5.0f;\n"
          "  float b = a / a;\n"
          "  out[t] = b + 1.0f;",
          build, schedule);
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found[0].kind, FindingKind::NanProduced);
      EXPECT_EQ(found[0].occurrences, 1U);
      EXPECT_EQ(found[0].parties.at(0).thread.x, 5U);
      EXPECT_EQ(found[0].parties.at(0).access, std::nullopt);
      EXPECT_EQ(found[0].parties.at(0).line, 4U);
      EXPECT_EQ(found[0].sentence,
                "Thread 5 of block 0 computes 0 / 0 at line 4: the operands are numbers, but the "
                "result is not (NaN). Every value computed from it becomes NaN too. Check where "
                "the operands come from, or test them first.");
    }
  }
}

// `in` holds 0 at the start: only thread 0 divides by 0, if any.
TEST_F(Numbers, TellOfADivisionByZeroWhoseQuotientIsUsed) {
  const char* const uses[] = {
      "  out[t] = 64 / n;",
      "  out[t] = 64 % n;",
      "  out[t] = 64ll / (long long)n;",
      "  if (64 / n > 3) { out[t] = 1.0f; }",
      "  out[64 / n & 63] = in[t];",
      "  out[t] = in[64 % n & 63];",
      "  __shared__ int s[64];\n  s[t] = 64 / n;\n  __syncthreads();\n  out[t] = s[63 - t];"};
  for (const char* const use : uses) {
    for (const compile::Build build : kBuilds) {
      const std::string body = "  int n = (int)in[t];\n" + std::string(use);
      std::vector<Finding> found = findings(body, build);
      std::erase_if(found, [](const Finding& f) { return f.kind == FindingKind::GlobalRace; });
      ASSERT_EQ(found.size(), 1U) << body;
      EXPECT_EQ(found[0].kind, FindingKind::DivisionByZero) << body;
      EXPECT_EQ(found[0].occurrences, 1U) << body;
      EXPECT_EQ(found[0].parties.at(0).thread.x, 0U) << body;
      EXPECT_THAT(found[0].sentence, testing::HasSubstr("Thread 0 of block 0 divides an integer "
                                                        "by 0 at line"));
    }
  }
}

// A compiler moves a division above the test that guards it.
TEST_F(Numbers, AreQuietAboutADivisionByZeroWhoseQuotientNobodyUses) {
  const char* const bodies[] = {
      "  out[t] = n != 0 ? 64 / n : 7;",
      "  int q = 1;\n  if (n > 0) { q = 64 % n; }\n  out[t] = in[q & 7];",
      "  out[t] = n > 0 && 64 / n > 3 ? 1.0f : 2.0f;",
      "  if (n > 0 && 64 / n > 3) { out[t] = 1.0f; }",
      "  if (n == 0 || 64 / n > 3) { out[t] = 1.0f; }",
      "  int v = 0;\n#pragma unroll 1\n  for (int k = 0; k < 9; ++k) {\n"
      "    if (in[k] > 100.0f) { v += (t + 7) / n; }\n  }\n  out[t] = v;",
      "  int v = 0, q = t * 5;\n#pragma unroll 1\n  while (in[v] < 20.0f) {\n"
      "    if (in[v] > 40.0f) { q -= (t + 9) % n * v; }\n    ++v;\n  }\n  out[t] = q;",
      "  long long v = 0, m = n;\n#pragma unroll 1\n  for (int k = 0; k < 9; ++k) {\n"
      "    if (in[k] > 100.0f) { v += (t + 7) / m; }\n  }\n  out[t] = v;",
      "  int steps = n == 0 ? 0 : 64 / n, first = n == 0 ? 0 : steps * 2 / n;\n"
      "  for (int k = first; k < steps; ++k) { out[t] += k; }"};
  for (const char* const body : bodies) {
    for (const compile::Build build : kBuilds) {
      for (const simt::Schedule& schedule : kSchedules) {
        EXPECT_THAT(findings("  int n = (int)in[t];\n" + std::string(body), build, schedule),
                    testing::IsEmpty())
            << body;
      }
    }
  }
}

// Math functions compute NaNs as intermediates, and a compiler moves an operation above the test
// that guards it.
TEST_F(Numbers, AreQuietAboutANanThatNobodyUses) {
  const char* const bodies[] = {
      "  out[t] = x > 0.0f ? x / x : 7.0f;",
      "  float q = 1.0f;\n  if (x > 0.0f) { q = x / x; }\n  out[t] = q;",
      R"(  float v = 0;
  for (int k = 0; k < 9; ++k) {
    if (x > 0 && in[k] > 3) { v += x / x; }
  }
  out[t] = v;)",
      "  out[t] = powf(x, 2.0f) + powf(x, 0.0f);",
      "  out[t] = expf(-x * 100.0f) + logf(x + 1.0f) + sinf(x * 1e8f) + atan2f(x, x);",
      "  out[t] = fmodf(x, 3.0f) + hypotf(x, x) + erff(x) + cbrtf(x) + tanhf(x * 9.0f);",
      "  out[t] = (float)(pow((double)x, 0.5) + atan2((double)x, 0.0) + exp(-1e9 * x));"};
  for (const char* const body : bodies) {
    for (const compile::Build build : kBuilds) {
      EXPECT_THAT(findings("  float x = in[t];\n" + std::string(body), build), testing::IsEmpty())
          << body;
    }
  }
}

TEST_F(Numbers, TellOfInfinitiesThatCancel) {
  const auto found = findings(
      "  float big = in[t] * 1e38f;\n"
      "  big = big * 10.0f;\n"
      "  out[t] = big - big;");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::NanProduced);
  EXPECT_THAT(found[0].sentence, testing::HasSubstr("computes ∞ − ∞ at line 5"));
}

TEST_F(Numbers, AreQuietAboutANanThatComesIn) {
  problem::Launch launch = test::launch_of(kernel("  out[t] = in[t] + 1.0f;"));
  std::memset(launch.buffers[1].contents.data(), 0xff, 4);
  EXPECT_THAT(check(simulated_.program(launch), kSchedules[0]).findings, testing::IsEmpty());
}

TEST_F(Numbers, TellOfAnIndexThatOverflows) {
  for (const compile::Build build : kBuilds) {
    // 65536 × 65536 wraps around to 0: the access stays inside, and only this finding shows it.
    const auto found = findings(
        "  int rows = (int)(in[t] * 65536.0f);\n"
        "  int index = rows * rows;\n"
        "  if (t == 1) { out[index] = 1.0f; }",
        build);
    ASSERT_EQ(found.size(), 1U) << static_cast<int>(build);
    EXPECT_EQ(found[0].kind, FindingKind::IndexOverflow);
    EXPECT_EQ(found[0].parties.at(0).line, 4U);
    EXPECT_EQ(found[0].parties.at(0).access, std::nullopt);
    EXPECT_EQ(found[0].parties.at(1).line, 5U);
    EXPECT_EQ(found[0].parties.at(1).access, simt::AccessKind::Store);
    EXPECT_THAT(found[0].sentence,
                testing::HasSubstr("The result is 4294967296, but an int of 32 bits "
                                   "cannot hold it and wraps around to 0"));
  }
}

TEST_F(Numbers, TellOfAnUnsignedIndexBelowZero) {
  const auto found = findings(
      "  unsigned before = (unsigned)t - 1u;\n"
      "  out[t] = in[before];");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, FindingKind::IndexOverflow);
  EXPECT_EQ(found[0].occurrences, 1U);
  EXPECT_THAT(found[0].sentence, testing::HasSubstr("an unsigned number of 32 bits cannot hold"));
  EXPECT_EQ(found[1].kind, FindingKind::OutOfRange);
}

// Wrapping that cancels out, or that is intended, is no finding.
TEST_F(Numbers, AreQuietAboutWrappingThatDoesNoHarm) {
  const char* const bodies[] = {
      "  unsigned i = (unsigned)t - 1u;\n  out[t] = in[i + 1u];",
      "  int i = t - 1;\n  out[t] = in[i < 0 ? 0 : i];",
      "  unsigned h = (unsigned)(t + 1) * 2654435761u;\n  out[t] = in[h >> 26];",
      "  unsigned h = (unsigned)(t + 1) * 2654435761u;\n  out[t] = in[h % 64u];",
      "  int i = (t * 100000000 - t * 100000000) + t;\n  out[t] = in[i];",
      "  float* last = in + 63;\n  out[t] = last[-t];",
      "  for (unsigned i = 63; i != 0xffffffffu; --i) { if (i == t) { out[t] = in[i]; } }"};
  for (const char* const body : bodies) {
    for (const compile::Build build : kBuilds) {
      EXPECT_THAT(findings(body, build), testing::IsEmpty()) << body;
    }
  }
}

TEST_F(Numbers, ReadFromAnOutputThatNobodyFilledAreTold) {
  problem::Launch launch =
      test::launch_of(kernel("  if (t > 2) { out[t] = 1.0f; }\n  out[t] += in[t];"));
  launch.buffers[0].role = problem::BufferRole::Output;
  for (const compile::Build build : kBuilds) {
    const auto found = check(simulated_.program(launch, build), kSchedules[0]).findings;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, FindingKind::UninitialisedRead);
    EXPECT_EQ(found[0].element, "out[0]");
    EXPECT_EQ(found[0].occurrences, 3U);
    EXPECT_THAT(found[0].sentence,
                testing::HasSubstr("out is an output and starts without values"));
  }
  launch.buffers[0].role = problem::BufferRole::InOut;
  EXPECT_THAT(check(simulated_.program(launch), kSchedules[0]).findings, testing::IsEmpty());
}

TEST_F(Numbers, ReadFromALocalArrayThatNobodyFilledAreTold) {
  for (const simt::Schedule& schedule : kSchedules) {
    const auto found = findings(
        "  float sum[4];\n"
        "  for (int i = 0; i < 3; ++i) { sum[(i + t) % 3] = in[t]; }\n"
        "  int last = (int)in[t] == 9 ? 3 : 2;\n"
        "  out[t] = sum[last];",
        compile::Build::Step, schedule);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, FindingKind::UninitialisedRead);
    EXPECT_EQ(found[0].variable, "sum");
    EXPECT_EQ(found[0].element, "sum[3]");
    EXPECT_EQ(found[0].parties.at(0).thread.x, 9U);
    EXPECT_EQ(found[0].parties.at(0).access, simt::AccessKind::Load);
    EXPECT_EQ(found[0].parties.at(0).line, 6U);
    EXPECT_EQ(found[0].occurrences, 1U);
  }
}

// Every call begins with uninitialised local memory, whatever an earlier one left there.
TEST_F(Numbers, ReadFromALocalArrayOfACallAreTold) {
  test::OwnKernel own = kernel(
      "  float a = pick(in[t], 1, t % 4);\n"
      "  out[t] = a + pick(in[t], t != 6, t % 4);");
  own.source =
      "__device__ __noinline__ float pick(float v, int fill, int at) {\n"
      "  float room[4];\n"
      "  if (fill) { for (int i = 0; i < 4; ++i) { room[i] = v; } }\n"
      "  return room[at];\n"
      "}\n" +
      own.source;
  for (const simt::Schedule& schedule : kSchedules) {
    const auto found = check(simulated_.program(test::launch_of(own)), schedule).findings;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].element, "room[2]");
    EXPECT_EQ(found[0].parties.at(0).line, 4U);
  }
}

TEST_F(Numbers, OfRacingStoresAreCompared) {
  const auto same = findings(
      "  __shared__ float s;\n"
      "  s = 2.0f;\n"
      "  __syncthreads();\n"
      "  out[t] = s;");
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].kind, FindingKind::SharedRace);
  EXPECT_TRUE(same[0].same_value);
  EXPECT_THAT(same[0].sentence, testing::HasSubstr("but both store the same value"));

  // Threads 0 to 62 agree, the last one does not: that one is reported.
  const auto different = findings(
      "  __shared__ float s;\n"
      "  s = t == 63 ? 1.0f : 2.0f;\n"
      "  __syncthreads();\n"
      "  out[t] = s;");
  ASSERT_EQ(different.size(), 1U);
  EXPECT_FALSE(different[0].same_value);
  EXPECT_THAT(different[0].sentence, testing::HasSubstr("the value that remains is undefined"));
}

TEST_F(Numbers, OfRacingStoresAreComparedByTheBytesTheyShare) {
  const auto found = findings(
      "  __shared__ unsigned char s[64];\n"
      "  s[t / 2] = (unsigned char)(t / 2);\n"
      "  __syncthreads();\n"
      "  out[t] = s[t / 2];");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].same_value);
}

}  // namespace
}  // namespace tilestep::insight
