// Findings and counters of the TMA unit and the tensor cores.
#include "check_fixture.h"
#include "insight/count/counters.h"
#include "insight/count/profile.h"
#include "simt/unit_kernels.h"

#include <gmock/gmock.h>

namespace tilestep::insight {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UnitsCheck : public testing::Test {
 protected:
  // Findings of the launch with `from` in its text replaced by `to`.
  std::vector<std::string> findings(problem::Launch launch, const std::string& from = "",
                                    const std::string& to = "") {
    if (!from.empty()) {
      const std::size_t at = launch.source.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      launch.source.replace(at, from.size(), to);
    }
    std::vector<std::string> sentences;
    const auto program = simulated_.program(launch);
    for (const simt::Schedule& schedule : kSchedules) {
      for (const Finding& finding : check(program, schedule).findings) {
        sentences.push_back(finding.sentence);
      }
    }
    return sentences;
  }
  static problem::Launch product() {
    return test::warpgroup_launch({.columns = 16, .swizzle = 128, .in_registers = false}, 1,
                                  std::vector<std::uint32_t>(512, 0x3f800000),
                                  std::vector<std::uint32_t>(128, 0x3f800000),
                                  std::vector<std::uint32_t>(1024, 0));
  }

  test::Simulated simulated_;
};

TEST_F(UnitsCheck, HaveNoFindingsWhereEverythingIsWaitedFor) {
  EXPECT_THAT(findings(product()), IsEmpty());
  EXPECT_THAT(findings(test::bulk_launch(64)), IsEmpty());
  EXPECT_THAT(findings(test::boxes_launch({}, {0, 0, 8, 8})), IsEmpty());
}

TEST_F(UnitsCheck, ATensorCoreNeedNotSeeStoresWithoutAProxyFence) {
  const auto sentences = findings(product(), "fence();\n  __syncthreads();", "__syncthreads();");
  EXPECT_THAT(sentences, Not(IsEmpty()));
  EXPECT_THAT(sentences, Each(HasSubstr("a tensor core (wgmma) reads")));
  EXPECT_THAT(sentences,
              Each(HasSubstr("Put fence.proxy.async between the store and the barrier")));
}

TEST_F(UnitsCheck, AFenceByWhoeverStartsTheReadServesAsWell) {
  EXPECT_THAT(findings(product(), "fence();\n  __syncthreads();", "__syncthreads();\n  fence();"),
              IsEmpty());
}

TEST_F(UnitsCheck, ACopyBackNeedNotSeeStoresWithoutAProxyFence) {
  EXPECT_THAT(
      findings(
          test::bulk_launch(64),
          "  fence();\n  __syncthreads();\n  if (threadIdx.x == 0) {\n    asm "
          "volatile(\"cp.async.bulk.global",
          "  __syncthreads();\n  if (threadIdx.x == 0) {\n    asm volatile(\"cp.async.bulk.global"),
      testing::Contains(HasSubstr("the TMA unit (cp.async.bulk) reads")));
}

TEST_F(UnitsCheck, WhatABulkCopyBringsHasToBeWaitedFor) {
  EXPECT_THAT(findings(test::bulk_launch(64), "wait(barrier, 0);", ""),
              testing::Contains(HasSubstr("thread has waited for its mbarrier")));
}

// The tensor core may still read As while a thread stores to it.
TEST_F(UnitsCheck, SharedMemoryIsReadUntilTheProductIsWaitedFor) {
  const std::string wait = "asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");";
  EXPECT_THAT(findings(product(), wait, "__syncthreads();\n  As[t] = 0;\n  " + wait),
              Not(IsEmpty()));
  EXPECT_THAT(findings(product(), wait, wait + "\n  __syncthreads();\n  As[t] = 0;"), IsEmpty());
}

TEST_F(UnitsCheck, WhatUnitsAccessIsNoRequestOfTheLoadStoreUnit) {
  const auto program = simulated_.program(test::bulk_launch(128), compile::Build::Fast);
  const Counters counters = count(program);
  EXPECT_EQ(counters.global_loads.requests, 0U);
  EXPECT_EQ(counters.global_loads.sectors, 0U);
  EXPECT_EQ(counters.global_loads.bytes, 512U);
  EXPECT_EQ(counters.buffers.at(0).loads, 128U);
  EXPECT_EQ(counters.buffers.at(1).stores, 128U);
  EXPECT_EQ(counters.shared_atomics.requests, 0U);  // its mbarrier
  // 128 numbers by 32 threads: four times.
  EXPECT_EQ(counters.shared_loads.requests, 4U);
  EXPECT_EQ(counters.shared_stores.requests, 4U);
}

}  // namespace
}  // namespace tilestep::insight
