// Two runs on one timeline: common statements are at the same stop.
#include "record/joint_timeline.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tilestep::record {
namespace {

using Stop = JointTimeline::Stop;

// A run whose statements take ten steps each: uppercase letters are strong keys, lowercase ones
// weak keys, dots have none.
struct Statements {
  explicit Statements(const std::string& statements) {
    for (const char c : statements) {
      const auto key = static_cast<std::uint64_t>(static_cast<unsigned char>(c));
      keys.push_back(c == '.'               ? StatementKey{}
                     : c >= 'A' && c <= 'Z' ? StatementKey{key, 0}
                                            : StatementKey{0, key});
    }
    for (std::size_t i = 0; i <= keys.size(); ++i) {
      starts.push_back(10 * i);
    }
  }
  [[nodiscard]] SideOfTimeline side() const { return {starts, keys}; }

  std::vector<std::uint64_t> starts;
  std::vector<StatementKey> keys;
};

std::vector<Stop> stops(const std::string& one, const std::string& two) {
  const Statements a(one);
  const Statements b(two);
  const JointTimeline joint(a.side(), b.side());
  return {joint.stops().begin(), joint.stops().end()};
}

TEST(JointTimeline, EqualRunsGoTogether) {
  EXPECT_EQ(stops("aba", "aba"), (std::vector<Stop>{{0, 0}, {10, 10}, {20, 20}, {30, 30}}));
}

TEST(JointTimeline, ARunWithALineMoreMakesTheOtherWait) {
  // Barrier b is missing in side 2.
  EXPECT_EQ(stops("abc", "ac"), (std::vector<Stop>{{0, 0}, {10, 10}, {20, 10}, {30, 20}}));
}

TEST(JointTimeline, LinesThatComeAgainAreToldApart) {
  EXPECT_EQ(stops("lmlm", "lm.lm").size(), 6U);
  EXPECT_EQ(stops("lmlm", "lm.lm")[3], (Stop{20, 30})) << "side 1 waits before its second l";
}

TEST(JointTimeline, StrongKeysComeFirst) {
  // Product P follows line x in side 1 and precedes it in side 2: the products have the same stop.
  const auto all = stops("xP", "Px");
  EXPECT_EQ(all, (std::vector<Stop>{{0, 0}, {10, 0}, {20, 10}, {20, 20}}));
}

TEST(JointTimeline, WhatHasNothingInCommonGoesOnSideBySide) {
  EXPECT_EQ(stops("...", "."), (std::vector<Stop>{{0, 0}, {10, 10}, {20, 10}, {30, 10}}));
}

TEST(JointTimeline, KnowsItsStops) {
  const Statements a("abc");
  const Statements b("ac");
  const JointTimeline joint(a.side(), b.side());
  EXPECT_EQ(joint.at({20, 10}), 2U);
  EXPECT_EQ(joint.at({25, 10}), 2U) << "inside a statement";
  EXPECT_EQ(joint.of_first(10).from, 1U);
  EXPECT_EQ(joint.of_first(10).to, 1U);
  EXPECT_EQ(joint.of_second(10).from, 1U);
  EXPECT_EQ(joint.of_second(10).to, 2U) << "side 2 waits";
}

// Both runs reach each of their statements, in order, and end together.
TEST(JointTimeline, LeavesNoStatementOut) {
  std::mt19937 random(7);
  const std::string letters = "ab.cAdB.";
  for (int round = 0; round < 500; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      std::string strong = "ABCDEFGH";
      const auto length = random() % 12;
      for (unsigned i = 0; i < length; ++i) {
        const char c = letters[random() % letters.size()];
        // A strong key is unique in a run.
        if (c >= 'A' && c <= 'Z') {
          text += strong.back();
          strong.pop_back();
        } else {
          text += c;
        }
        strong = strong.empty() ? "Z" : strong;
      }
    }
    const auto all = stops(texts[0], texts[1]);
    ASSERT_EQ(all.front(), (Stop{0, 0}));
    ASSERT_EQ(all.back(), (Stop{10 * texts[0].size(), 10 * texts[1].size()}));
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::uint64_t first = all[i].first - all[i - 1].first;
      const std::uint64_t second = all[i].second - all[i - 1].second;
      ASSERT_TRUE(first <= 10 && second <= 10 && first + second > 0)
          << texts[0] << " and " << texts[1];
    }
  }
}

}  // namespace
}  // namespace tilestep::record
