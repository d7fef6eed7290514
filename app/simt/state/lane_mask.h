// Masks of a warp's lanes, bit by bit.
#pragma once

#include <bit>
#include <cstdint>

namespace tilestep::simt {

// Calls f(lane) for every lane of `mask`, from the lowest up.
template <class F>
void for_each_lane(std::uint32_t mask, F&& f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

}  // namespace tilestep::simt
