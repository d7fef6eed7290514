// SplitMix64 (Steele, Lea and Flood 2014): random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace tilestep::problem {

inline constexpr std::uint64_t kRandomStep = 0x9e3779b97f4a7c15;

// Every bit of the result depends on every bit of `x`.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
  return x ^ (x >> 31U);
}

[[nodiscard]] constexpr std::uint64_t next_random(std::uint64_t& state) {
  state += kRandomStep;
  return mixed(state);
}

}  // namespace tilestep::problem
