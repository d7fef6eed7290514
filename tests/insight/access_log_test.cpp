// The exact race rules against an oracle that keeps everything: every access with its thread's
// whole vector clock.
#include "insight/check/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kWarps = 3;
constexpr std::uint32_t kLogThreads = kWarps * simt::kWarpSize;

bool in_conflict(simt::AccessKind a, simt::AccessKind b) {
  return (a != simt::AccessKind::Load || b != simt::AccessKind::Load) &&
         (a != simt::AccessKind::Atomic || b != simt::AccessKind::Atomic);
}

class LogOracle {
 public:
  struct Access {
    std::uint32_t thread;
    std::uint32_t time;
    std::uint32_t bytes;
    simt::AccessKind kind;
  };

  LogOracle() {
    for (std::uint32_t t = 0; t < kLogThreads; ++t) {
      clocks_[t].fill(0);
      clocks_[t][t] = 1;
    }
  }

  [[nodiscard]] bool races(std::uint32_t word, const Access& now) const {
    return std::any_of(words_[word].begin(), words_[word].end(), [&](const Access& earlier) {
      return earlier.thread != now.thread && in_conflict(earlier.kind, now.kind) &&
             (earlier.bytes & now.bytes) != 0 && clocks_[now.thread][earlier.thread] < earlier.time;
    });
  }
  void add(std::uint32_t word, Access access) {
    access.time = clocks_[access.thread][access.thread];
    words_[word].push_back(access);
  }
  // Each of `threads` learns what the others knew, then moves on.
  void sync(const std::vector<std::uint32_t>& threads) {
    Clock joined{};
    for (const std::uint32_t t : threads) {
      for (std::uint32_t other = 0; other < kLogThreads; ++other) {
        joined[other] = std::max(joined[other], clocks_[t][other]);
      }
    }
    for (const std::uint32_t t : threads) {
      clocks_[t] = joined;
      ++clocks_[t][t];
    }
  }

 private:
  using Clock = std::array<std::uint32_t, kLogThreads>;
  std::array<Clock, kLogThreads> clocks_{};
  std::array<std::vector<Access>, 16> words_;
};

std::vector<std::uint32_t> lanes_of(std::uint32_t warp, std::uint32_t mask) {
  std::vector<std::uint32_t> threads;
  for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
    if (((mask >> lane) & 1U) != 0) {
      threads.push_back(warp * simt::kWarpSize + lane);
    }
  }
  return threads;
}

class LogFuzz {
 public:
  explicit LogFuzz(std::uint32_t seed) : random_(seed) {}

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      switch (pick(12)) {
        case 0:
          sync_block();
          break;
        case 1:
          sync_lanes();
          break;
        case 2:
          sync_warps();
          break;
        default:
          access();
          break;
      }
    }
  }

  int compared = 0;
  int races = 0;
  int differences = 0;

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void sync_block() {
    std::vector<std::uint32_t> all(kLogThreads);
    for (std::uint32_t t = 0; t < kLogThreads; ++t) {
      all[t] = t;
    }
    oracle_.sync(all);
    order_.sync_block();
    known_.fill(false);
  }

  void sync_lanes() {
    const std::uint32_t warp = pick(kWarps);
    const std::uint32_t mask = pick(2) == 0 ? ~0U : static_cast<std::uint32_t>(random_());
    oracle_.sync(lanes_of(warp, mask));
    order_.sync_lanes(warp, mask);
  }

  void sync_warps() {
    const std::uint32_t left_out = pick(kWarps);
    std::vector<std::uint32_t> threads;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
      if (warp != left_out) {
        order_.arrive(warp, 1, true);
        const std::vector<std::uint32_t> lanes = lanes_of(warp, ~0U);
        threads.insert(threads.end(), lanes.begin(), lanes.end());
      }
    }
    order_.release(1);
    oracle_.sync(threads);
  }

  void access() {
    const std::uint32_t word = pick(16);
    const std::uint32_t thread = pick(kLogThreads);
    constexpr std::array kKinds{simt::AccessKind::Load, simt::AccessKind::Load,
                                simt::AccessKind::Store, simt::AccessKind::Atomic};
    constexpr std::array<std::uint32_t, 4> kBytes{0xf, 0xf, 0x1, 0xc};
    WordAccess now;
    now.warp = thread / simt::kWarpSize;
    now.lanes = 1U << (thread % simt::kWarpSize);
    now.stamp = order_.now(now.warp);
    now.kind = kKinds[pick(4)];
    now.bytes = kBytes[pick(4)];
    now.line = pick(3);
    const LogOracle::Access access{thread, 0, now.bytes, now.kind};
    logs_[word].enter_interval(order_.interval());
    std::uint32_t lanes = 0;
    const bool found = logs_[word].find_race(now, order_, launch_, lanes) != nullptr;
    const bool expected = oracle_.races(word, access);
    // After its first race a word is known to be racy until the next barrier.
    if (!known_[word]) {
      ++compared;
      races += expected ? 1 : 0;
      differences += found != expected ? 1 : 0;
      known_[word] = expected;
    }
    logs_[word].add(now);
    oracle_.add(word, access);
  }

  std::mt19937 random_;
  LogOracle oracle_;
  LaunchOrder launch_;  // one block: it orders nothing
  BlockOrder order_{kWarps};
  std::array<WordLog, 16> logs_;
  std::array<bool, 16> known_{};
};

TEST(WordLog, AgreesWithTheOracleOnRandomRuns) {
  int races = 0;
  int compared = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    LogFuzz fuzz(seed);
    fuzz.run(150);
    ASSERT_EQ(fuzz.differences, 0) << "seed " << seed;
    races += fuzz.races;
    compared += fuzz.compared;
  }
  EXPECT_GT(races, 1000);
  EXPECT_GT(compared - races, 1000);
}

TEST(BlockOrder, ArrivingWithoutWaitingOrdersOneWayOnly) {
  BlockOrder order(2);
  const Stamp produced = order.now(0);
  order.arrive(0, 1, false);
  const Stamp afterwards = order.now(0);
  order.arrive(1, 1, true);
  order.release(1);
  EXPECT_EQ(order.unordered(produced, 0, 1, 1, 0), 0U);
  EXPECT_EQ(order.unordered(afterwards, 0, 1, 1, 0), 1U);
  const Stamp consumed = order.now(1);
  EXPECT_EQ(order.unordered(consumed, 1, 1, 0, 0), 1U);
}

}  // namespace
}  // namespace tilestep::insight
