#include "workspace/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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
