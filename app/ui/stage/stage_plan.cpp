#include "ui/stage/stage_plan.h"

#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tilestep::ui {
namespace {

constexpr int kPadding = 2;  // visible columns of padding: more have no information

struct Span {
  int first = 0;
  int count = 0;  // 0: unknown
  [[nodiscard]] int last() const { return first + count; }
};

Span joined(Span a, Span b) {
  if (a.count == 0 || b.count == 0) {
    return a.count == 0 ? b : a;
  }
  const int first = std::min(a.first, b.first);
  return {first, std::max(a.last(), b.last()) - first};
}

// A span of at most `most` of all, with `middle` in the center.
Span span_around(int all, int most, int middle) {
  const int count = std::min(all, most);
  return {std::clamp(middle - count / 2, 0, all - count), count};
}

// The visible span of a matrix: the tile in the center of its surroundings, or the surroundings of
// `centre` if the tile is larger.
Span shown_of(Span tile, int all, int most, int centre) {
  const int count = std::min(all, most);
  int wanted = tile.count < count ? tile.first - (count - tile.count) / 2 : centre - count / 2;
  if (tile.count >= count) {  // only the tile
    wanted = std::clamp(wanted, tile.first, tile.last() - count);
  }
  return {std::clamp(wanted, 0, all - count), count};
}

struct Extent {
  Span rows;
  Span cols;
};

// The part of a sheet that the block loads in a phase; before the first load, in the first phase
// that loads any.
class Tile {
 public:
  explicit Tile(const ContentInputs& in) : in_(in) {}

  [[nodiscard]] Extent of(int sheet) const {
    const std::size_t count = in_.log.phase_count();
    const std::size_t current = count > 0 ? in_.log.phase_before(in_.state.step()) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_past = i <= current;
      const std::size_t phase = is_past ? current - i : i;
      const Extent found = loaded(sheet, phase);
      if (found.rows.count > 0) {
        return found;
      }
    }
    return {};
  }

  // The cell that the focus thread accessed last, or accesses first; of a whole phase the first
  // cell that it reads (so that the current one of several buffers is visible), or else stores.
  [[nodiscard]] std::optional<CellPlace> touched(int sheet) const {
    std::optional<CellPlace> place;
    bool is_read = false;
    if (in_.log.phase_count() == 0) {
      return place;
    }
    for (const LoggedAccess& access :
         in_.log.phase(in_.log.phase_before(in_.state.step())).accesses) {
      const bool is_later = !in_.phase && access.step < in_.state.step();
      const bool reads_first = in_.phase && !access.is_store && !is_read;
      if (access.place.sheet == sheet && access.thread == in_.thread && access.place.inside &&
          (!place || is_later || reads_first)) {
        place = {access.place.row, access.place.col};
        is_read = !access.is_store;
      }
    }
    return place;
  }

 private:
  [[nodiscard]] Extent loaded(int sheet, std::size_t phase) const {
    Extent extent;
    for (const LoggedAccess& access : in_.log.phase(phase).accesses) {
      if (access.place.sheet == sheet && !access.is_store && access.place.inside) {
        extent.rows = joined(extent.rows, {access.place.row, 1});
        extent.cols = joined(extent.cols, {access.place.col, 1});
      }
    }
    return extent;
  }

  const ContentInputs& in_;
};

// The columns of a sheet that tiles use.
int used_columns(const StageShape& shape, const StageContent& content, int sheet) {
  return shape.sheets[size(sheet)].cols - content.sheets[size(sheet)].padding;
}

void crop_matrices(const ContentInputs& in, const StageContent& content, const CellCounts& counts,
                   Shown& shown) {
  const StageShape& shape = in.shape;
  const Tile tile(in);
  Extent block;
  for (const CellFrame& frame : content.frames) {
    if (frame.kind == FrameKind::Block && frame.sheet == shape.c && frame.block == in.block) {
      block = {{frame.row, frame.rows}, {frame.col, frame.cols}};
    }
  }
  const Extent a = tile.of(shape.a);
  const Extent b = tile.of(shape.b);
  const auto at_a = tile.touched(shape.a);
  const auto at_b = tile.touched(shape.b);
  const CellPlace result = content.focus_result
                               ? CellPlace{content.focus_result->row, content.focus_result->col}
                               : CellPlace{block.rows.first, block.cols.first};
  const Sheet& c = shape.sheets[size(shape.c)];
  const Sheet& sa = shape.sheets[size(shape.a)];
  const Span rows =
      shown_of(block.rows.count > 0 ? block.rows : a.rows, c.rows, counts.rows, result.row);
  const Span cols =
      shown_of(block.cols.count > 0 ? block.cols : b.cols, c.cols, counts.cols, result.col);
  const Span inner = joined(a.cols, b.rows);
  const int at = at_a ? at_a->col : at_b ? at_b->row : inner.first;
  const Span ks = shown_of(inner, sa.cols, counts.inner, at);
  shown[size(shape.a)] = {rows.first, ks.first, rows.count, ks.count};
  shown[size(shape.b)] = {ks.first, cols.first, ks.count, cols.count};
  shown[size(shape.c)] = {rows.first, cols.first, rows.count, cols.count};
}

// The focus thread's row of the left array, its column of the upper one, and their surroundings.
void crop_block(const ContentInputs& in, const StageContent& content, const CellCounts& counts,
                Shown& shown) {
  const StageShape& shape = in.shape;
  const Sheet& threads = shape.sheets[size(shape.threads)];
  // The thread's element whose sum is chosen.
  const CellPlace focus = content.focus_cell ? *content.focus_cell
                                             : thread_cell(shape, in.thread).value_or(CellPlace{});
  const Span rows = span_around(threads.rows, counts.rows, focus.row);
  const Span cols = span_around(threads.cols, counts.cols, focus.col);
  shown[size(shape.threads)] = {rows.first, cols.first, rows.count, cols.count};
  const Tile tile(in);
  std::optional<int> inner;
  for (const int sheet : {shape.left, shape.top}) {
    if (sheet == kNoSheet) {
      continue;
    }
    const Sheet& s = shape.sheets[size(sheet)];
    // An array that the thread has not accessed may not extend to its elements of the tile.
    const CellPlace at = tile.touched(sheet).value_or(
        CellPlace{std::min(focus.row, s.rows - 1), std::min(focus.col, s.cols - 1)});
    // The columns of the left array run along k, unless it is transposed (As[k][m]), and so do the
    // rows of the upper one.
    const bool is_left = sheet == shape.left;
    const bool has_rows_of_k = is_left == is_turned(content.sources, sheet);
    const int part_rows = counts.one_part ? s.rows / s.parts : s.rows;
    const int own_most = is_left ? counts.rows : counts.cols;
    const int part = at.row / part_rows;
    if (!inner) {
      inner = has_rows_of_k ? at.row % part_rows : at.col;
    }
    const int used = used_columns(shape, content, sheet);
    Span r = span_around(part_rows, has_rows_of_k ? counts.inner : own_most,
                         has_rows_of_k ? *inner : at.row % part_rows);
    Span c =
        span_around(used, has_rows_of_k ? own_most : counts.inner, has_rows_of_k ? at.col : *inner);
    const Span& own = is_left ? rows : cols;  // of the threads
    const int all = is_left ? threads.rows : threads.cols;
    if (!has_rows_of_k && part_rows >= all) {
      r = own;
    }
    r.first += part * part_rows;
    if (has_rows_of_k && used >= all) {
      c = own;
    }
    shown[size(sheet)] = {r.first, c.first, r.count, c.count};
  }
}

// The corner of the L beside a further sheet; kNoSheet: it is in an L, or there is none.
int corner_beside(const StageShape& shape, int sheet) {
  if (!is_beside_l(shape, sheet)) {
    return kNoSheet;
  }
  const bool is_buffer = shape.sheets[size(sheet)].kind == SheetKind::Buffer;
  return is_buffer ? shape.c : shape.top != kNoSheet ? shape.threads : kNoSheet;
}

// A scratch buffer may be a thousand times as large as the matrices. It gets no more room than the
// corner of their L: the surroundings of the accessed cell.
void crop_further(const ContentInputs& in, Shown& shown) {
  const Tile tile(in);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int corner = corner_beside(in.shape, static_cast<int>(i));
    if (corner == kNoSheet) {
      continue;
    }
    const Sheet& sheet = in.shape.sheets[i];
    const CellRange& room = shown[size(corner)];
    const CellPlace at = tile.touched(static_cast<int>(i)).value_or(CellPlace{});
    const Span rows = span_around(sheet.rows, room.rows, at.row);
    const Span cols = span_around(sheet.cols, room.cols, at.col);
    shown[i] = {rows.first, cols.first, rows.count, cols.count};
  }
}

// Whether a further sheet is larger than its neighbor.
bool has_large_further(const StageShape& shape) {
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    const int corner = corner_beside(shape, static_cast<int>(i));
    if (corner != kNoSheet && (shape.sheets[i].rows > shape.sheets[size(corner)].rows ||
                               shape.sheets[i].cols > shape.sheets[size(corner)].cols)) {
      return true;
    }
  }
  return false;
}

// Shows only a few columns of wide padding if all other columns are visible.
void crop_padding(const StageShape& shape, const StageContent& content, Shown& shown) {
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int used = used_columns(shape, content, static_cast<int>(i));
    CellRange& range = shown[i];
    if (range.col == 0 && range.cols >= used) {
      range.cols = std::min(shape.sheets[i].cols, used + kPadding);
    }
  }
}

bool has_wide_padding(const StageContent& content) {
  return std::ranges::any_of(content.sheets,
                             [](const SheetContent& s) { return s.padding > kPadding; });
}

Shown all_of(const StageShape& shape) {
  Shown shown;
  for (const Sheet& sheet : shape.sheets) {
    shown.push_back({0, 0, sheet.rows, sheet.cols});
  }
  return shown;
}

// Side in cells that matrices with numbers must leave for the block.
constexpr int kBlockBeside = 6;
constexpr int kEnoughCells = 4;   // of a side: as many are kept before numbers become smaller
constexpr int kMostOfFirst = 12;  // of a side, for matrices that are the subject of the stage
constexpr int kFairCells = 6;     // of a side: as many are kept before a map becomes smaller
// Share of the room's width: a map has at least this before more cells of a block are shown.
constexpr float kShareOfMap = 0.34F;
constexpr float kLeastBeside = 0.62F;  // lines: size of the matrices' numbers beside a block
// Share of the least number size: accepted to show all cells of a block.
constexpr float kShareOfWhole = 0.78F;
constexpr int kReferenceSize = 8;
constexpr int kReferenceBlock = 4;

// The array whose numbers must be readable: the threads', or C for matrices alone.
int read_sheet(const StageShape& shape) {
  return shape.threads != kNoSheet ? shape.threads : shape.c;
}

float number_of(const Arrangement& arrangement, int sheet) {
  return arrangement.sheets[size(sheet)].number * arrangement.unit;
}

// The same for every BLOCK_SIZE.
StageShape with_block_of(StageShape shape, int side) {
  for (const int sheet : {shape.left, shape.top, shape.threads}) {
    if (sheet != kNoSheet) {
      Sheet& s = shape.sheets[size(sheet)];
      s.rows = s.cols = side;
      s.parts = 1;
    }
  }
  return shape;
}

// The longest side of the cropped sheets.
int longest_side(const StageShape& shape) {
  int longest = 1;
  const bool has_block = shape.threads != kNoSheet;
  for (const int sheet : has_block ? std::array{shape.left, shape.top, shape.threads}
                                   : std::array{shape.a, shape.b, shape.c}) {
    if (sheet != kNoSheet) {
      const Sheet& s = shape.sheets[size(sheet)];
      longest = std::max({longest, s.rows / s.parts, s.cols});
    }
  }
  return longest;
}

class Planner {
 public:
  Planner(const StageShape& shape, const StageRequest& request, const ShownOf& shown)
      : shape_(shape), request_(request), shown_(shown) {}

  [[nodiscard]] StagePlan plan() {
    if (read_sheet(shape_) == kNoSheet) {
      return {request_.matrices, {}, kLeastMap};
    }
    if (request_.matrices == Matrices::First) {
      return has_large_matrix() ? StagePlan{Matrices::First, square(kMostOfFirst), kLeastMap}
                                : StagePlan{Matrices::First, {}, kLeastMap};
    }
    plan_.matrices = matrices_can_be_read() ? request_.matrices : Matrices::Map;
    if (plan_.matrices == Matrices::Numbers && shape_.threads == kNoSheet) {
      return plan_;
    }
    const float least = std::max(request_.least, kLeastNumber);
    if (!count_cells(least) && least > kLeastNumber) {
      count_few();
    }
    return plan_;
  }

 private:
  [[nodiscard]] static CellCounts square(int side) { return {side, side, side, true}; }
  [[nodiscard]] bool has_large_matrix() const {
    return std::ranges::any_of(std::array{shape_.a, shape_.b, shape_.c}, [this](int sheet) {
      return sheet != kNoSheet &&
             std::max(shape_.sheets[size(sheet)].rows, shape_.sheets[size(sheet)].cols) > kReadable;
    });
  }

  // If they may become a map.
  [[nodiscard]] bool matrices_can_be_read() const {
    if (request_.matrices != Matrices::Numbers || !shape_.has_matrix_l()) {
      return true;
    }
    const Arrangement stage =
        arrange(with_block_of(shape_, kBlockBeside), {request_.width, request_.height},
                request_.font, request_.labels);
    const bool is_alone = shape_.threads == kNoSheet;
    return number_of(stage, shape_.c) >= (is_alone ? kLeastNumber : least_beside()) &&
           (is_alone || number_of(stage, shape_.threads) >= kLeastNumber);
  }
  // The least number size of matrices beside a block.
  [[nodiscard]] float least_beside() const { return kLeastBeside * request_.font; }

  // Height of the numbers; 0 if the matrices' numbers beside them are too small.
  [[nodiscard]] float number_with(const CellCounts& counts) const {
    const StagePlan plan{plan_.matrices, counts, plan_.least_map};
    const Arrangement stage = arrange_plan(shape_, request_, plan, shown_);
    const bool has_numbers = plan.matrices == Matrices::Numbers && shape_.has_matrix_l();
    return has_numbers && number_of(stage, shape_.c) < least_beside()
               ? 0.0F
               : number_of(stage, read_sheet(shape_));
  }

  // Finds the most cells that are readable; returns whether these are enough.
  bool count_cells(float least) {
    const std::array maps{std::max(kShareOfMap * request_.width / request_.font, kLeastMap),
                          kLeastMap};
    const float whole = shape_.threads == kNoSheet ? 1.0F : kShareOfWhole;
    for (const float share : {1.0F, whole}) {
      for (const bool one_part : {false, true}) {
        plan_.counts = {.one_part = one_part};
        for (const float map : maps) {
          plan_.least_map = map;
          if (number_with(plan_.counts) >= share * least) {
            return true;
          }
        }
      }
    }
    const int longest = longest_side(shape_);
    for (const float map : maps) {
      plan_.least_map = map;
      int side = std::min(longest - 1, most_that_fit(least));
      while (side > 1 && number_with(square(side)) < least) {
        --side;
      }
      plan_.counts = square(std::max(side, 1));
      if (side >= kFairCells) {
        break;
      }
    }
    const int side = plan_.counts.rows;
    grow(least, longest);
    return side >= std::min(kEnoughCells, longest);
  }

  // A few cells, with smaller numbers.
  void count_few() {
    plan_.least_map = kLeastMap;
    int side = std::min(kEnoughCells, longest_side(shape_));
    while (side > 1 && number_with(square(side)) < kLeastNumber) {
      --side;
    }
    plan_.counts = square(side);
    grow(number_with(plan_.counts), longest_side(shape_));
  }

  // The number of rows of cells that fill the room's height.
  [[nodiscard]] int most_that_fit(float least) const {
    return std::max(2, static_cast<int>(request_.height / (kCellHeight * least)));
  }

  // More cells in one direction, if there is room.
  void grow(float least, int longest) {
    for (int CellCounts::*const side : {&CellCounts::cols, &CellCounts::inner, &CellCounts::rows}) {
      CellCounts more = plan_.counts;
      while (more.*side < longest) {
        ++(more.*side);
        if (number_with(more) < least) {
          break;
        }
        plan_.counts = more;
      }
    }
  }

  const StageShape& shape_;
  const StageRequest& request_;
  const ShownOf& shown_;
  StagePlan plan_;
};

}  // namespace

Shown find_crop_of_map(const ContentInputs& inputs) {
  if (!has_large_further(inputs.shape)) {
    return {};
  }
  Shown shown = all_of(inputs.shape);
  crop_further(inputs, shown);
  return shown;
}

Shown find_crop(const ContentInputs& inputs, const StageContent& content, const CellCounts& counts,
                bool crops_matrices) {
  const StageShape& shape = inputs.shape;
  const bool has_block = shape.threads != kNoSheet;
  const bool counts_all = counts == CellCounts{};
  const bool matrices = shape.has_matrix_l() && !counts_all && (crops_matrices || !has_block);
  const bool crops_block = has_block && !counts_all;
  if (!matrices && !crops_block && !has_wide_padding(content)) {
    return find_crop_of_map(inputs);
  }
  Shown shown = all_of(shape);
  if (matrices) {
    crop_matrices(inputs, content, counts, shown);
  }
  if (crops_block) {
    crop_block(inputs, content, counts, shown);
  }
  crop_padding(shape, content, shown);
  crop_further(inputs, shown);
  return shown;
}

StagePlan plan_stage(const StageShape& shape, const StageRequest& request, const ShownOf& shown) {
  return Planner(shape, request, shown).plan();
}

Arrangement arrange_plan(const StageShape& shape, const StageRequest& request,
                         const StagePlan& plan, const ShownOf& shown) {
  return arrange(shape, {request.width, request.height}, request.font, request.labels,
                 shown(plan.counts, plan.matrices), plan.matrices, plan.least_map);
}

StageShape reference_shape(const StageShape& shape) {
  StageShape reference = shape;
  for (Sheet& sheet : reference.sheets) {
    const bool is_buffer = sheet.kind == SheetKind::Buffer;
    const int side = is_buffer ? kReferenceSize : kReferenceBlock;
    const bool is_sum = sheet.is_output || sheet.kind == SheetKind::Threads;
    sheet.digits = is_sum ? 3 : 2;
    sheet.parts = 1;
    sheet.rows = sheet.wrapped ? 1 : side;
    sheet.cols = side;
  }
  return reference;
}

}  // namespace tilestep::ui
