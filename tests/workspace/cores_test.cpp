#include "insight/check/check.h"
#include "simt/machine/schedule.h"
#include "simulated.h"
#include "workspace/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

namespace tilestep::workspace {
namespace {

TEST(Cores, RunEachPartOnceOnAThreadOfItsOwn) {
  const insight::Cores four = cores(4);
  ASSERT_EQ(four.count, 4U);
  std::array<std::thread::id, 4> threads;
  std::array<std::atomic<int>, 4> runs{};
  four.run(4, [&](std::size_t part) {
    threads.at(part) = std::this_thread::get_id();
    ++runs.at(part);
  });
  EXPECT_EQ(std::set<std::thread::id>(threads.begin(), threads.end()).size(), 4U);
  for (const auto& count : runs) {
    EXPECT_EQ(count, 1);
  }
}

TEST(Cores, NoneAskedForMeansAllThereAre) {
  EXPECT_GE(cores(0).count, 1U);
}

TEST(Cores, WhatAPartThrowsComesOut) {
  EXPECT_THROW(cores(2).run(2,
                            [](std::size_t part) {
                              if (part == 1) {
                                throw std::runtime_error("lost");
                              }
                            }),
               std::runtime_error);
}

TEST(Cores, ACheckOnThreadsGivesWhatOneCoreGives) {
  test::Simulated simulated;
  const auto program = simulated.program("tiled", {96, 96, 96}, 8);
  const simt::Schedule schedule{simt::ScheduleKind::Sequential};
  const insight::CheckResult one = insight::check(program, schedule);
  const insight::CheckResult many = insight::check(program, schedule, nullptr, nullptr, cores(4));
  EXPECT_TRUE(many.clean());
  EXPECT_EQ(many.comparison.compared, 96U * 96U);
  EXPECT_EQ(many.warp_instructions, one.warp_instructions);
  EXPECT_EQ(many.counters.shared_loads.requests, one.counters.shared_loads.requests);
}

}  // namespace
}  // namespace tilestep::workspace
