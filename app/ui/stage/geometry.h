// The position of every cell of the stage. Pure: sizes in, rectangles out.
//
// Two groups are side by side: the whole matrices (A left of C, B above it; other buffers in a
// row), and the focus block's own memory (first shared array left of the threads, second above
// them) at a scale of its own. Matrices with unreadably small numbers are a map of square cells; if
// a block has no memory of its own, the second group is the part of the matrices that has numbers.
#pragma once

#include "insight/trace/accumulators.h"
#include "problem/launch/launch.h"

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {

// The sheets of cells on the stage, and which of them form the textbook L's.
//
// A shape depends only on the launch, not on the step: buffers of the launch, shared arrays of the
// module, one cell per thread of a block.

// Converts a valid index to an index of a container.
[[nodiscard]] constexpr std::size_t size(int i) {
  return static_cast<std::size_t>(i);
}

// The data that a sheet shows.
enum class SheetKind {
  Buffer,   // of the launch, in global memory
  Shared,   // array of the focus block
  Threads,  // the accumulators of the threads of the focus block
};

// A matrix of cells: a buffer, a shared array, or the threads of a block.
struct Sheet {
  SheetKind kind = SheetKind::Buffer;
  std::string name;  // "A", "As", "acc"
  int rows = 0;      // as drawn
  int cols = 0;
  std::size_t count = 0;    // cells in use: a wrapped row may end before rows·cols
  std::uint32_t index = 0;  // Buffer: of the launch; Shared: allocation of the program
  // Shared: byte offset from the allocation's start, for arrays made inside it.
  std::size_t offset = 0;
  std::size_t pitch = 0;  // elements from row to row
  std::size_t element_bytes = 4;
  std::optional<problem::ElementType> element;  // nullopt: not a number (a struct)
  int parts = 1;  // groups of rows: the buffers of an array with three or more dimensions
  std::vector<int> inner_parts;  // its dimensions between the first and the last two
  bool is_output = false;
  bool wrapped = false;  // one long row, drawn as several rows
  // Most characters of its numbers in the whole run: the width of its cells, so that cells keep
  // their place while numbers grow.
  int digits = 2;
  insight::ValueRole role = insight::ValueRole::None;  // of its numbers
};

// "[1][0]" for part 2 of a [2][2][rows][cols].
[[nodiscard]] std::string part_index(const Sheet& sheet, int part);

// Columns of a buffer's rows beyond its elements (cudaMallocPitch).
[[nodiscard]] inline int pitch_padding(const Sheet& sheet) {
  return sheet.kind == SheetKind::Buffer && !sheet.wrapped && sheet.rows > 1
             ? static_cast<int>(sheet.pitch) - sheet.cols
             : 0;
}

inline constexpr int kNoSheet = -1;

// A cell of a sheet, as drawn.
struct CellPlace {
  int row = 0;
  int col = 0;
  friend bool operator==(const CellPlace&, const CellPlace&) = default;
};

// The focus block's threads arranged as its part of an output (thread_tile.h).
struct ThreadTile {
  int rows = 0;
  int cols = 0;
  std::vector<std::uint32_t> threads;          // by cell: the thread that stores it
  std::map<std::uint32_t, CellPlace> corners;  // by block: its first cell in the output
  // Places in the first block, by thread and the variable of the sum. Blocks that leave their sums
  // to another block for the final addition hold them in the same arrangement.
  std::map<std::pair<std::uint32_t, std::string>, CellPlace> homes;
};

// The sheets of a launch and their roles in the L's.
struct StageShape {
  std::vector<Sheet> sheets;
  // The L of whole matrices: A left of C, B above it. kNoSheet unless all three exist and fit.
  int a = kNoSheet, b = kNoSheet, c = kNoSheet;
  // The L of the focus block: the shared array of A left of the threads, that of B above them; the
  // first and the second array if these are unknown.
  int left = kNoSheet, top = kNoSheet, threads = kNoSheet;

  std::optional<ThreadTile> tile;  // nullopt: one cell per thread

  [[nodiscard]] bool has_matrix_l() const { return c != kNoSheet; }
};

// A longer one-dimensional array is drawn as several rows of this many cells.
inline constexpr int kWrapAt = 32;

// The index of an element's cell, without padding between rows.
[[nodiscard]] std::size_t cell_index(const Sheet& sheet, CellPlace place);
[[nodiscard]] CellPlace cell_place(const Sheet& sheet, std::size_t index);
// Whether a buffer or a shared array is beside the L of its kind instead of in it.
[[nodiscard]] bool is_beside_l(const StageShape& shape, int sheet);

// A rectangle: left, top, width, height.
struct Box {
  float x = 0.0F, y = 0.0F, w = 0.0F, h = 0.0F;

  [[nodiscard]] float right() const { return x + w; }
  [[nodiscard]] float bottom() const { return y + h; }
  friend bool operator==(const Box&, const Box&) = default;
};

// The visible cells of a sheet; large sheets are cropped.
struct CellRange {
  int row = 0, col = 0, rows = 0, cols = 0;

  [[nodiscard]] bool has(int r, int c) const {
    return r >= row && c >= col && r < row + rows && c < col + cols;
  }
  friend bool operator==(const CellRange&, const CellRange&) = default;
};
// By sheet; empty: all of every sheet.
using Shown = std::vector<CellRange>;

// In world units: 1 is the height of a number of the first group.
struct Placed {
  float x = 0.0F, y = 0.0F;  // of cell (0, 0), visible or not
  ImVec2 cell{1.0F, 1.0F};   // a cell is wider than high if its numbers are long
  float number = 1.0F;       // height of a number
  CellRange shown{};
};

// In heights of a number: a cell's height, and a digit's width.
inline constexpr float kCellHeight = 1.6F;
inline constexpr float kDigitWidth = 0.525F;  // of Inconsolata
[[nodiscard]] float cell_width(int digits);

// In pixels: the least readable height in the block's own arrays; if numbers would be smaller, the
// arrays are cropped.
inline constexpr float kLeastNumber = 18.0F;

// Few: names beside the matrices, no row and column numbers.
enum class Labels { All, Few };

// The position of every sheet for a given room.
struct Arrangement {
  std::vector<Placed> sheets;  // parallel to StageShape::sheets
  bool has_map = false;        // A, B and C of `sheets` are a map
  std::vector<Placed> map;     // the whole A, B and C beside their parts in `sheets`; may be empty
  Labels labels = Labels::All;
  float width = 0.0F;  // of everything, labels included
  float height = 0.0F;
  float unit = 1.0F;  // pixels per world unit when everything fits
  // The free corner above A and left of B; empty if too small for a few lines.
  std::optional<Box> corner;
  bool hides_matrices = false;  // Matrices::None
  // The focus block's group, and its free corner (empty if the group has no L).
  std::optional<Box> block_group;
  std::optional<Box> block_corner;
};

// Map: the whole matrices without numbers, in the room that the other group's numbers leave. None:
// they are not on stage if a block has memory of its own. First: they are the subject, and the
// block may become small.
enum class Matrices { Numbers, Map, None, First };

// The least width of a map, in lines of text.
inline constexpr float kLeastMap = 12.0F;

// `room`: pixels for everything; `font`: height of a line of text in pixels, which determines the
// room for labels and the largest numbers.
[[nodiscard]] Arrangement arrange(const StageShape& shape, ImVec2 room, float font,
                                  Labels labels = Labels::All, const Shown& shown = {},
                                  Matrices matrices = Matrices::Numbers,
                                  float least_map = kLeastMap);

// Keeps only the map beside the parts that have numbers.
[[nodiscard]] Arrangement map_alone(const Arrangement& arrangement);

// The box of the visible cells.
[[nodiscard]] Box sheet_box(const StageShape& shape, const Arrangement& arrangement, int sheet);
// Also for cells beyond the sheet's edge.
[[nodiscard]] Box cell_box(const Arrangement& arrangement, int sheet, int row, int col);

// A cell and its sheet.
struct CellHit {
  int sheet = kNoSheet;
  int row = 0;
  int col = 0;
  friend bool operator==(const CellHit&, const CellHit&) = default;
};
[[nodiscard]] std::optional<CellHit> hit_cell(const StageShape& shape,
                                              const Arrangement& arrangement, float x, float y);

// The transformation from world to window pixels.
struct StageView {
  float scale = 1.0F;  // pixels per world unit
  float x = 0.0F;      // window pixel of world (0, 0)
  float y = 0.0F;

  [[nodiscard]] Box to_window(const Box& world) const {
    return {x + world.x * scale, y + world.y * scale, world.w * scale, world.h * scale};
  }
  [[nodiscard]] ImVec2 to_world(ImVec2 pixel) const {
    return {(pixel.x - x) / scale, (pixel.y - y) / scale};
  }
};

}  // namespace tilestep::ui
