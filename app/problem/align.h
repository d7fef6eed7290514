// Multiples.
#pragma once

#include <type_traits>

namespace tilestep {

// The smallest multiple of `alignment` (0 counts as 1) that is not below `value`.
template <class Integer>
[[nodiscard]] constexpr Integer align_up(Integer value, std::type_identity_t<Integer> alignment) {
  static_assert(std::is_unsigned_v<Integer>);
  return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace tilestep
