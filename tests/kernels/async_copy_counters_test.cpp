// Asynchronous copies: the counts of Nsight Compute on an H200 (2026-11-24), compared with ours.
#include "insight/count/cost.h"
#include "insight/count/counters.h"
#include "insight/count/profile.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilestep {
namespace {

struct Counted {
  const char* name;
  std::string copies;         // of one iteration
  std::uint64_t sectors = 0;  // l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  std::uint64_t loads = 0;    // smsp__inst_executed_op_shared_ld.sum
};

// 4 blocks of 4 warps; 4 iterations, each with one load of shared memory in addition to the copies.
std::string source_of(const std::string& copies) {
  return R"(
template <int kBytes>
__device__ void cp(float* s, const float* g) {
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(g) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(g), "n"(kBytes)
                 : "memory");
}
__global__ void kernel(const float* A, float* C) {
  __shared__ alignas(128) float s[4096];
  float sum = 0;
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const float* g = A + blockIdx.x * 2048 + k * 512;
)" + copies +
         R"(
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += s[(t * 7) % 128];
    __syncthreads();
  }
  C[blockIdx.x * 128 + t] = sum;
}
)";
}

std::vector<Counted> counted_on_an_h200() {
  return {
      {"in place", "cp<16>(s + t * 4, g + t * 4);", 1024, 256},
      {"16 bytes on", "cp<16>(s + t * 4 + 4, g + t * 4);", 1280, 256},
      {"32 bytes on", "cp<16>(s + t * 4 + 8, g + t * 4);", 1024, 256},
      {"48 bytes on", "cp<16>(s + t * 4 + 12, g + t * 4);", 1280, 256},
      {"halves swapped", "cp<16>(s + (t ^ 1) * 4, g + t * 4);", 1024, 256},
      {"every other piece of shared memory", "cp<16>(s + t % 32 * 8 + t / 32 * 256, g + t * 4);",
       2048, 256},
      {"every other sector", "cp<16>(s + t * 4, g + (t % 32 * 8 + t / 32 * 256) % 1024);", 1024,
       256},
      {"a row for each lane", "cp<16>(s + t % 8 * 128 + t / 8 * 4, g + t * 4);", 2048, 256},
      {"words of a column", "cp<4>(s + t % 4 * 512 + t / 4, g + t * 4);", 1024, 256},
      {"pairs", "cp<8>(s + t * 2 + 4, g + t * 2);", 512, 256},
      {"three kinds in a row",
       "cp<4>(s + t, g + t); cp<4>(s + 512 + t, g + 128 + t); cp<16>(s + 1024 + t * 4, g + t * 4);",
       1536, 256},
      {"eight", "for (int i = 0; i < 8; ++i) cp<4>(s + t + 128 * i, g + t);", 2048, 256},
      {"a barrier between",
       "cp<4>(s + t, g + t); __syncthreads(); cp<4>(s + 512 + t, g + 128 + t);", 512, 448},
  };
}

class AsyncCopies : public testing::TestWithParam<Counted> {
 protected:
  loading::Prepared prepared() {
    test::OwnKernel own;
    own.source = source_of(GetParam().copies);
    own.grid = {4, 1, 1};
    own.block = {128, 1, 1};
    own.buffers = {{"A", 5 * 2048}, {"C", 512}};
    loading::PrepareOptions options;
    options.architecture = 90;
    auto prepared = loading::prepare(compiler_, test::launch_of(own), options);
    if (!prepared) {
      throw std::runtime_error(prepared.error().error.message);
    }
    return std::move(*prepared);
  }

  compile::Compiler compiler_{tilestep::test::kept_outputs()};
};

TEST_P(AsyncCopies, AreCountedAsOnAnH200) {
  const loading::Prepared translated = prepared();
  ASSERT_TRUE(translated.is_machine_code) << translated.why_not_machine_code;
  for (const auto choice :
       {insight::MethodChoice::RepresentativesIfTheyHold, insight::MethodChoice::AlwaysFull}) {
    const insight::Cost cost =
        insight::total_cost(*translated.program, insight::profile(translated.program, choice));
    EXPECT_EQ(cost.global_loads.sectors, GetParam().sectors);
    EXPECT_EQ(cost.shared_loads.requests, GetParam().loads);
  }
  EXPECT_EQ(insight::count(translated.program).global_loads.sectors, GetParam().sectors);
}

INSTANTIATE_TEST_SUITE_P(OfNsightCompute, AsyncCopies, testing::ValuesIn(counted_on_an_h200()),
                         [](const testing::TestParamInfo<Counted>& counted) {
                           std::string name = counted.param.name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == ' '; }, '_');
                           return name.insert(0, 1, 'n');
                         });

}  // namespace
}  // namespace tilestep
