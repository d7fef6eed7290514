#include "workspace/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tilestep::workspace {
namespace {

void finish(Pool& pool) {
  while (pool.pending() > 0) {
    pool.wait_for_result();
    pool.apply_results();
  }
}

TEST(Pool, AppliesEveryResultOnTheOwnersThread) {
  Pool pool(2);
  const auto owner = std::this_thread::get_id();
  int applied = 0;
  for (int i = 0; i < 100; ++i) {
    pool.submit([&applied, owner]() -> Completion {
      EXPECT_NE(std::this_thread::get_id(), owner);
      return [&applied, owner] {
        EXPECT_EQ(std::this_thread::get_id(), owner);
        ++applied;
      };
    });
  }
  finish(pool);
  EXPECT_EQ(applied, 100);
  EXPECT_EQ(pool.pending(), 0U);
}

TEST(Pool, AJobMaySubmitAnother) {
  Pool pool(1);
  bool reached = false;
  pool.submit([&pool, &reached]() -> Completion {
    pool.submit([&reached]() -> Completion { return [&reached] { reached = true; }; });
    return {};
  });
  finish(pool);
  EXPECT_TRUE(reached);
}

// The only thread for later jobs is busy until the other job has run.
TEST(Pool, WhatIsNeededNowWaitsForNothingThatIsNeededLater) {
  Pool pool(1, 1);
  std::atomic<bool> has_run{false};
  for (int i = 0; i < 3; ++i) {
    pool.submit(
        [&has_run]() -> Completion {
          has_run.wait(false);
          return {};
        },
        Urgency::Later);
  }
  pool.submit([&has_run]() -> Completion {
    has_run = true;
    has_run.notify_all();
    return {};
  });
  finish(pool);
  EXPECT_TRUE(has_run);
}

TEST(Pool, WithoutThreadsForLaterJobsAllAreTakenInTurn) {
  Pool pool(1);
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    pool.submit(
        [&order, i]() -> Completion {
          order.push_back(i);
          return {};
        },
        i % 2 == 0 ? Urgency::Later : Urgency::Now);
  }
  finish(pool);
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Pool, WithoutThreadsTheOwnerRunsOneJobAtATimeTheUrgentOnesFirst) {
  Pool pool(0);
  int wakes = 0;
  pool.on_result([&wakes] { ++wakes; });
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    pool.submit(
        [&order, i]() -> Completion {
          order.push_back(i);
          return [&order, i] { order.push_back(-i); };
        },
        i % 2 == 0 ? Urgency::Later : Urgency::Now);
  }
  EXPECT_EQ(wakes, 4);
  EXPECT_TRUE(order.empty());
  EXPECT_TRUE(pool.apply_results());
  EXPECT_EQ(order, (std::vector{1, -1}));
  finish(pool);
  EXPECT_EQ(order, (std::vector{1, -1, 3, -3, 0, 0, 2, -2}));
  EXPECT_EQ(wakes, 8);
}

TEST(Pool, WakesWhenAResultIsThere) {
  Pool pool(1);
  std::atomic<int> wakes{0};
  pool.on_result([&wakes] { ++wakes; });
  pool.submit([]() -> Completion { return {}; });
  finish(pool);
  EXPECT_EQ(wakes, 1);
}

TEST(Pool, DropsWaitingJobsWhenItEnds) {
  std::atomic<bool> second_ran{false};
  {
    Pool pool(1);
    pool.submit([&pool]() -> Completion {
      while (pool.pending() < 2) {  // until the second job waits behind this one …
        std::this_thread::yield();
      }
      while (pool.pending() > 1) {  // … and until the pool's end has dropped it
        std::this_thread::yield();
      }
      return {};
    });
    pool.submit([&second_ran]() -> Completion {
      second_ran = true;
      return {};
    });
  }
  EXPECT_FALSE(second_ran);
}

}  // namespace
}  // namespace tilestep::workspace
