// Whose number it is: views give each its colour (theme.h).
#pragma once

#include <cstdint>

namespace tilestep::ui {

enum class CellRole : std::uint8_t { None, FromA, FromB, Sum };

}  // namespace tilestep::ui
