// The sheets that a launch puts on the stage.
#pragma once

#include "simt/machine/machine.h"
#include "ui/stage/geometry.h"

#include <string>

namespace tilestep::ui {

// `accumulator`: the variable shown for each thread; empty: the kernel has none, and the threads of
// the block are shown without values if it uses shared memory.
[[nodiscard]] StageShape make_shape(const simt::Program& program, const std::string& accumulator);

// The cell of a byte of a buffer or shared array. Outside the sheet for an access beyond its end;
// nullopt for memory that is not on stage and for the padding at a row's end.
struct SheetPlace {
  int sheet = kNoSheet;
  int row = 0;
  int col = 0;
  bool inside = true;
};
[[nodiscard]] std::optional<SheetPlace> sheet_place(const StageShape& shape,
                                                    const simt::Program& program,
                                                    const simt::Place& place);

// Byte offset of a cell from the start of its buffer or array.
[[nodiscard]] std::size_t cell_offset(const Sheet& sheet, CellPlace place);

inline constexpr std::uint32_t kNoThread = 0xffffffffU;

}  // namespace tilestep::ui
