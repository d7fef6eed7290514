// What can stand on the stage: sheets of cells, and which of them form the textbook L's.
//
// A shape depends on the launch only, not on the step: buffers of the launch, shared arrays of the
// module, one cell a thread of a block.
#pragma once

#include "insight/trace/accumulators.h"
#include "problem/launch/launch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {

// An index into a container.
[[nodiscard]] constexpr std::size_t size(int i) {
  return static_cast<std::size_t>(i);
}

enum class SheetKind {
  Buffer,   // of the launch, in global memory
  Shared,   // array of the focus block
  Threads,  // the accumulators of the threads of the focus block
};

struct Sheet {
  SheetKind kind = SheetKind::Buffer;
  std::string name;  // "A", "As", "acc"
  int rows = 0;      // as drawn
  int cols = 0;
  std::size_t count = 0;    // cells in use: a wrapped row may end before rows·cols
  std::uint32_t index = 0;  // Buffer: of the launch; Shared: allocation of the program
  std::size_t offset = 0;   // Shared: bytes from the allocation's start; of an array made in it
  std::size_t pitch = 0;    // elements from row to row
  std::size_t element_bytes = 4;
  std::optional<problem::ElementType> element;  // none: not a number (a struct)
  int parts = 1;                 // of the rows: buffers of an array with three dimensions or more
  std::vector<int> inner_parts;  // its dimensions between the first and the last two
  bool is_output = false;
  bool wrapped = false;  // one long row, drawn as several
  // Characters that its numbers have at most in the whole run: the width of its cells, so that
  // nothing moves while numbers grow.
  int digits = 2;
  insight::ValueRole role = insight::ValueRole::None;  // of its numbers
};

// "[1][0]" for part 2 of a [2][2][rows][cols].
[[nodiscard]] std::string part_index(const Sheet& sheet, int part);

// Columns that every row of a buffer has beyond its elements (cudaMallocPitch).
[[nodiscard]] inline int pitch_padding(const Sheet& sheet) {
  return sheet.kind == SheetKind::Buffer && !sheet.wrapped && sheet.rows > 1
             ? static_cast<int>(sheet.pitch) - sheet.cols
             : 0;
}

inline constexpr int kNoSheet = -1;

struct CellPlace {
  int row = 0;
  int col = 0;
  friend bool operator==(const CellPlace&, const CellPlace&) = default;
};

// The focus block's threads as its part of an output (thread_tile.h).
struct ThreadTile {
  int rows = 0;
  int cols = 0;
  std::vector<std::uint32_t> threads;          // by cell, the one that stores it
  std::map<std::uint32_t, CellPlace> corners;  // by block, its first cell in the output
  // Of the first block, by thread and the variable that holds the sum: where blocks leave their
  // sums elsewhere, for another to add them up, they hold them as it does.
  std::map<std::pair<std::uint32_t, std::string>, CellPlace> homes;
};

struct StageShape {
  std::vector<Sheet> sheets;
  // The L of whole matrices: A left of C, B above it. kNoSheet unless all three are there and fit.
  int a = kNoSheet, b = kNoSheet, c = kNoSheet;
  // The L of the focus block: the shared array of A left of the threads, that of B above
  // them; where nothing tells them apart, the first and the second.
  int left = kNoSheet, top = kNoSheet, threads = kNoSheet;

  std::optional<ThreadTile> tile;  // nothing: one cell a thread

  [[nodiscard]] bool has_matrix_l() const { return c != kNoSheet; }
};

// A one-dimensional array longer than this is drawn as several rows of this many cells.
inline constexpr int kWrapAt = 32;

// Cell of an element, counted without padding between rows.
[[nodiscard]] std::size_t cell_index(const Sheet& sheet, CellPlace place);
[[nodiscard]] CellPlace cell_place(const Sheet& sheet, std::size_t index);
// Whether a buffer or a shared array stands beside the L of its kind, not in it.
[[nodiscard]] bool is_beside_l(const StageShape& shape, int sheet);

}  // namespace tilestep::ui
