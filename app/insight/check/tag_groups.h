// The tags (screen.h) of accesses whose lanes touch memory in groups of 8, as the machine tells
// them (simt::AccessShape): one word for a group, or 8 consecutive ones. What nearly every access
// of a clean kernel is: in order, and known to be by a few comparisons.
//
// Each function leaves the accesses' tags and returns true, or returns false where something may be
// wrong. Then some groups, of which nothing is, may have left their tags already.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tilestep::insight::tag_groups {

struct Words {
  std::int32_t* stored = nullptr;
  std::int32_t* read = nullptr;
  std::array<std::uint32_t, 4> first{};  // word of each group's first lane
};

struct Interval {
  std::int32_t start = 0;  // tags below are of an earlier block
  std::int32_t floor = 0;  // tags below are of an earlier interval
  std::int32_t many = 0;   // several threads have read it in this one
};

// Loads of one word by all lanes of a group; access j lies `offsets[j]` words further on.
[[nodiscard]] bool load_same(const Words& words, const Interval& interval,
                             std::span<const std::uint32_t> offsets);
// Loads of consecutive words; lane i's tag is first + i.
[[nodiscard]] bool load(const Words& words, const Interval& interval, std::int32_t first,
                        std::span<const std::uint32_t> offsets);
// A store to consecutive words.
[[nodiscard]] bool store(const Words& words, std::int32_t floor, std::int32_t first);

}  // namespace tilestep::insight::tag_groups
