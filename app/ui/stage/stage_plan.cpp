#include "ui/stage/stage_plan.h"

#include <algorithm>
#include <array>

namespace tilestep::ui {
namespace {

constexpr int kBlockBeside = 6;       // cells of a side that matrices with numbers leave room for
constexpr int kEnoughCells = 4;       // of a side, before numbers become smaller
constexpr int kMostOfFirst = 12;      // of a side of matrices that are what the stage is about
constexpr int kFairCells = 6;         // of a side, for which a map becomes smaller
constexpr float kShareOfMap = 0.34F;  // of the room's width, before more cells of a block are shown
constexpr float kLeastBeside = 0.62F;   // lines: numbers of the matrices beside a block
constexpr float kShareOfWhole = 0.78F;  // of the least number, before a cell of a block is left out
constexpr int kReferenceSize = 8;
constexpr int kReferenceBlock = 4;

// The array whose numbers are to be read: the threads', or that of matrices which are alone.
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

// The longest side of what is cropped.
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
    if (!count_cells(std::max(request_.least, kLeastNumber))) {
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

  // Where they are free to become a map.
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
  // Of the matrices, where a block is beside them.
  [[nodiscard]] float least_beside() const { return kLeastBeside * request_.font; }

  // Height of the numbers; 0 where those of the matrices beside them are too small.
  [[nodiscard]] float number_with(const CellCounts& counts) const {
    const StagePlan plan{plan_.matrices, counts, plan_.least_map};
    const Arrangement stage = arrange_plan(shape_, request_, plan, shown_);
    const bool has_numbers = plan.matrices == Matrices::Numbers && shape_.has_matrix_l();
    return has_numbers && number_of(stage, shape_.c) < least_beside()
               ? 0.0F
               : number_of(stage, read_sheet(shape_));
  }

  // As many cells as can be read; whether these are enough.
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

  // A few, with smaller numbers.
  void count_few() {
    plan_.least_map = kLeastMap;
    int side = std::min(kEnoughCells, longest_side(shape_));
    while (side > 1 && number_with(square(side)) < kLeastNumber) {
      --side;
    }
    plan_.counts = square(side);
    grow(number_with(plan_.counts), longest_side(shape_));
  }

  // No more than this many rows of cells are as high as the room.
  [[nodiscard]] int most_that_fit(float least) const {
    return std::max(2, static_cast<int>(request_.height / (kCellHeight * least)));
  }

  // More of one direction, where there is room.
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
