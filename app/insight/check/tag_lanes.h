// Loops over the tags of consecutive words (screen.h), four at a time: every access of a launch
// goes through them. Written as vectors because a compiler does not make them of loops this short.
#pragma once

#include <cstdint>
#include <cstring>

namespace tilestep::insight::tag_lanes {

using Quad = std::int32_t __attribute__((vector_size(16)));
inline constexpr std::uint32_t kQuad = 4;

inline Quad load(const std::int32_t* from) {
  Quad q;
  std::memcpy(&q, from, sizeof q);
  return q;
}
inline void store(std::int32_t* to, Quad q) {
  std::memcpy(to, &q, sizeof q);
}
inline Quad every(std::int32_t value) {
  return Quad{} + value;
}
inline Quad count_from(std::int32_t first) {
  return Quad{0, 1, 2, 3} + first;
}
// Of a comparison's result.
inline bool any(Quad q) {
  std::uint64_t halves[2];
  std::memcpy(halves, &q, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// Every tag lies in [low, end).
inline bool all_between(const std::int32_t* t, std::uint32_t count, std::int32_t low,
                        std::int32_t end) {
  Quad outside{};
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    const Quad q = load(t + i);
    outside |= (q < every(low)) | (q >= every(end));
  }
  int odd = 0;
  for (; i < count; ++i) {
    odd |= static_cast<int>(t[i] < low) | static_cast<int>(t[i] >= end);
  }
  return odd == 0 && !any(outside);
}

inline void fill(std::int32_t* t, std::uint32_t count, std::int32_t tag) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    store(t + i, every(tag));
  }
  for (; i < count; ++i) {
    t[i] = tag;
  }
}

// Tag i becomes first + i.
inline void number(std::int32_t* t, std::uint32_t count, std::int32_t first) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    store(t + i, count_from(first + static_cast<std::int32_t>(i)));
  }
  for (; i < count; ++i) {
    t[i] = first + static_cast<std::int32_t>(i);
  }
}

// Tag i becomes first + i where it is that already or below `floor`, `otherwise` elsewhere.
inline void number_or(std::int32_t* t, std::uint32_t count, std::int32_t floor, std::int32_t first,
                      std::int32_t otherwise) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    const Quad q = load(t + i);
    const Quad own = count_from(first + static_cast<std::int32_t>(i));
    store(t + i, ((q < every(floor)) | (q == own)) ? own : every(otherwise));
  }
  for (; i < count; ++i) {
    const std::int32_t own = first + static_cast<std::int32_t>(i);
    t[i] = t[i] < floor || t[i] == own ? own : otherwise;
  }
}

// Every one of `count` words is all ones.
inline bool all_ones(const std::uint64_t* words, std::uint32_t count) {
  std::uint64_t common = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < count; ++i) {
    common &= words[i];
  }
  return common == ~std::uint64_t{0};
}

}  // namespace tilestep::insight::tag_lanes
