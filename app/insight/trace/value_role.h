// Whose number it is, to a product of two matrices.
#pragma once

#include <cstdint>

namespace tilestep::insight {

// What an array or a variable holds, by where its values came from. None: neither, or several.
enum class ValueRole : std::uint8_t { None, A, B, Sum };

}  // namespace tilestep::insight
