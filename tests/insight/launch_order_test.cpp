// Order between blocks: fences with atomics, flags and counters.
#include "check_fixture.h"

#include <gmock/gmock.h>

namespace tilestep::insight {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class BlocksInOrder : public Check {
 protected:
  // Under every schedule; the sentences of the first one with findings.
  std::vector<std::string> found(const std::string& body, problem::Dim3 grid = {4, 1, 1}) {
    const std::string source =
        "#define SEND(p, v, how) asm volatile(\"st.\" how \".gpu.global.u32 [%0], %1;\" :: "
        "\"l\"(p), \"r\"(v) : \"memory\")\n"
        "extern \"C\" __global__ void kernel(int* parts, int* flags, int* out) {\n"
        "  __shared__ bool last;\n"
        "  int t = threadIdx.x, b = blockIdx.x;\n" +
        body + "}\n";
    for (const simt::Schedule& schedule : kSchedules) {
      const CheckResult result = check_source(source, {{"parts", 256}, {"flags", 8}, {"out", 64}},
                                              {64, 1, 1}, grid, schedule);
      if (!result.findings.empty()) {
        return sentences(result);
      }
    }
    return {};
  }
};

std::string last_block_adds_up(const char* store, const char* fence, const char* all_fence = "") {
  return std::string(store) + all_fence +
         "  __syncthreads();\n"
         "  if (t == 0) {\n    " +
         fence +
         "    last = atomicAdd(flags, 1) == gridDim.x - 1;\n"
         "  }\n"
         "  __syncthreads();\n"
         "  if (last) { out[t] = parts[t] + parts[64 + t] + parts[128 + t] + parts[192 + t]; }\n";
}
constexpr const char* kStore = "  parts[64 * b + t] = b + t;\n";

TEST_F(BlocksInOrder, TheLastBlockSeesWhatAllHaveFenced) {
  EXPECT_THAT(found(last_block_adds_up(kStore, "__threadfence();\n")), testing::IsEmpty());
  EXPECT_THAT(found(last_block_adds_up(kStore, "", "  __threadfence();\n")), testing::IsEmpty());
  EXPECT_THAT(found(last_block_adds_up(kStore, "__threadfence();\n") +
                    "  if (last && t == 0) { flags[0] = 0; }\n"),
              testing::IsEmpty())
      << "all have counted before the count starts again";
}

TEST_F(BlocksInOrder, WithoutAFenceTheSentenceAsksForIt) {
  const auto asks_for_fence =
      Contains(AllOf(HasSubstr("signals through a word of global memory"),
                     HasSubstr("Put __threadfence() between line 5 and the atomic")));
  EXPECT_THAT(found(last_block_adds_up(kStore, "")), asks_for_fence);
  EXPECT_THAT(found(last_block_adds_up(kStore, "__threadfence_block();\n")), asks_for_fence);
  EXPECT_THAT(found("  __threadfence();\n" + last_block_adds_up(kStore, "")),
              Contains(HasSubstr("Put __threadfence() between line 6 and the atomic")))
      << "a fence before the store is none";
}

// Block 0 produces, the others wait for a flag.
std::string producer(const char* fence, const char* send, const char* wait) {
  return std::string("  if (b == 0) {\n    parts[t] = t;\n") + fence +
         "    __syncthreads();\n    if (t == 0) { " + send + " }\n  } else {\n    if (t == 0) { " +
         wait + " }\n    __syncthreads();\n    out[t] = parts[t];\n  }\n";
}
constexpr const char* kFence = "    __threadfence();\n";
constexpr const char* kSend = "*(volatile int*)flags = 1;";
constexpr const char* kWait = "while (*(volatile int*)flags == 0) {}";

TEST_F(BlocksInOrder, AFlagOrdersWhatIsFencedBeforeIt) {
  EXPECT_THAT(found(producer(kFence, kSend, kWait), {2, 1, 1}), testing::IsEmpty());
  EXPECT_THAT(
      found(producer(kFence, "atomicExch(flags, 1);", "while (atomicAdd(flags, 0) == 0) {}"),
            {2, 1, 1}),
      testing::IsEmpty());
  EXPECT_THAT(found(producer("", kSend, kWait), {2, 1, 1}),
              Contains(HasSubstr("Put __threadfence() between")));
  EXPECT_THAT(found(producer(kFence, kSend, ""), {2, 1, 1}),
              Contains(HasSubstr("blocks of one launch are not ordered")))
      << "nobody waits";
}

TEST_F(BlocksInOrder, AReleaseIsItsOwnFence) {
  EXPECT_THAT(found(producer("", "SEND(flags, 1, \"release\");", kWait), {2, 1, 1}),
              testing::IsEmpty());
  EXPECT_THAT(found(producer("", "SEND(flags, 1, \"relaxed\");", kWait), {2, 1, 1}),
              Contains(HasSubstr("Put __threadfence() between")));
}

TEST_F(BlocksInOrder, OrderGoesFromBlockToBlock) {
  const auto chain = [](const char* fence_of_1) {
    return std::string(
               "  volatile int* f = flags;\n"
               "  if (b == 0) { if (t == 0) { parts[0] = 7; __threadfence(); f[0] = 1; } }\n"
               "  if (b == 1) { if (t == 0) { while (f[0] == 0) {} ") +
           fence_of_1 +
           " f[1] = 1; } }\n"
           "  if (b == 2) { if (t == 0) { while (f[1] == 0) {} out[0] = parts[0]; } }\n";
  };
  EXPECT_THAT(found(chain("__threadfence();"), {3, 1, 1}), testing::IsEmpty());
  EXPECT_THAT(found(chain(""), {3, 1, 1}), Contains(HasSubstr("signals through a word")));
}

// One thread of each warp, of all blocks.
TEST_F(BlocksInOrder, ALockOrdersWhoeverHoldsIt) {
  const auto locked = [](const char* before_unlock) {
    return std::string(
               "  if (t % 32 == 0) {\n"
               "    while (atomicCAS(flags, 0, 1) != 0) {}\n"
               "    parts[0] += t;\n    ") +
           before_unlock + "\n    atomicExch(flags, 0);\n  }\n";
  };
  EXPECT_THAT(found(locked("__threadfence();")), testing::IsEmpty());
  EXPECT_THAT(found(locked("")), Contains(HasSubstr("Put __threadfence() between line 7 and")));
}

TEST_F(BlocksInOrder, UpdatesThatMayBeLostAreARace) {
  EXPECT_THAT(found("  if (t == 0) { volatile int* f = flags; *f = *f + b; }\n"),
              Contains(HasSubstr("blocks of one launch are not ordered")));
}

}  // namespace
}  // namespace tilestep::insight
