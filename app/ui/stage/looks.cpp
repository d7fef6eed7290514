#include "ui/stage/looks.h"

#include "problem/values/element.h"
#include "ui/stage/number_text.h"
#include "ui/stage/shape.h"

#include <algorithm>

namespace tilestep::ui {
namespace {

// Sums of a few characters take wider cells from the start: they grow.
constexpr int kFewestOfSums = 3;
// More are drawn smaller, or rounded.
constexpr int kMostDigits = 6;   // of a fraction
constexpr int kMostOfWhole = 8;  // which may lose none

int digits_of(const Sheet& sheet, std::span<const std::byte> bytes) {
  int most = 1;
  for (std::size_t i = 0; i < sheet.count && sheet.element; ++i) {
    const std::size_t offset = cell_offset(sheet, cell_place(sheet, i));
    if (offset + sheet.element_bytes <= bytes.size()) {
      const NumberRoom room =
          number_room(problem::load_element(*sheet.element, bytes.data() + offset));
      most = std::max({most, room.least, std::min(room.longest, kMostDigits)});
    }
  }
  return std::clamp(most, 1, kMostOfWhole);
}

// What comes from A stands left of the threads, what comes from B above them.
void turn_block_l(StageShape& shape) {
  const auto shared_of = [&shape](insight::ValueRole role) {
    const auto found =
        std::find_if(shape.sheets.begin(), shape.sheets.end(), [role](const Sheet& sheet) {
          return sheet.kind == SheetKind::Shared && sheet.role == role;
        });
    return found == shape.sheets.end() ? kNoSheet : static_cast<int>(found - shape.sheets.begin());
  };
  const int a = shared_of(insight::ValueRole::A);
  const int b = shared_of(insight::ValueRole::B);
  if (a != kNoSheet && b != kNoSheet) {
    shape.left = a;
    shape.top = b;
  }
}

insight::ValueRole matrix_role(const StageShape& shape, int sheet) {
  return sheet == kNoSheet  ? insight::ValueRole::None
         : sheet == shape.a ? insight::ValueRole::A
         : sheet == shape.b ? insight::ValueRole::B
                            : insight::ValueRole::None;
}

// Where no thread makes products itself, a tensor unit does: the matrices are told by their place
// in the L, the block's arrays by what was brought into them.
void find_roles_by_source(const insight::BlockSums& sums, const simt::Program& program,
                          StageShape& shape) {
  const auto has_role = [](const Sheet& sheet) {
    return sheet.role == insight::ValueRole::A || sheet.role == insight::ValueRole::B;
  };
  if (!shape.has_matrix_l() || std::ranges::any_of(shape.sheets, has_role)) {
    return;
  }
  shape.sheets[size(shape.a)].role = insight::ValueRole::A;
  shape.sheets[size(shape.b)].role = insight::ValueRole::B;
  for (const insight::BlockSums::Brought& brought : sums.brought()) {
    const auto to = sheet_place(shape, program, program.locate(brought.address, 1));
    const auto from = std::ranges::find_if(shape.sheets, [&brought](const Sheet& sheet) {
      return sheet.kind == SheetKind::Buffer && sheet.index == brought.from.launch_buffer;
    });
    if (to && shape.sheets[size(to->sheet)].role == insight::ValueRole::None) {
      shape.sheets[size(to->sheet)].role =
          matrix_role(shape, static_cast<int>(from - shape.sheets.begin()));
    }
  }
}

}  // namespace

void find_digits(const record::State& end, StageShape& shape) {
  int inputs = 1;
  int sums = kFewestOfSums;
  for (Sheet& sheet : shape.sheets) {
    if (sheet.kind != SheetKind::Buffer) {
      continue;
    }
    if (sheet.is_output) {
      sums = std::max(sums, digits_of(sheet, end.machine().buffer(sheet.index)));
    } else {
      sheet.digits = digits_of(sheet, end.machine().buffer(sheet.index));
      inputs = std::max(inputs, sheet.digits);
    }
  }
  for (Sheet& sheet : shape.sheets) {
    if (sheet.kind == SheetKind::Threads || sheet.is_output) {
      sheet.digits = sums;
    } else if (sheet.kind == SheetKind::Shared) {
      sheet.digits = inputs;
    }
  }
}

void find_roles(const insight::BlockSums* sums, const simt::Program& program, StageShape& shape) {
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    Sheet& sheet = shape.sheets[i];
    const int at = static_cast<int>(i);
    if (sheet.kind == SheetKind::Threads || sheet.is_output) {
      sheet.role = insight::ValueRole::Sum;
    } else if (sums != nullptr) {
      sheet.role = sums->role_of(sheet.name);
    } else if (sheet.kind == SheetKind::Buffer) {
      sheet.role = matrix_role(shape, at);
    }
  }
  if (sums != nullptr) {
    find_roles_by_source(*sums, program, shape);
  }
  turn_block_l(shape);
}

}  // namespace tilestep::ui
