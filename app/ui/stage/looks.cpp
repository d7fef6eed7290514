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
constexpr int kMostDigits = 6;

int digits_of(const Sheet& sheet, std::span<const std::byte> bytes) {
  int most = 1;
  for (std::size_t i = 0; i < sheet.count && sheet.element; ++i) {
    const auto cols = static_cast<std::size_t>(sheet.cols);
    const CellPlace place{static_cast<int>(i / cols), static_cast<int>(i % cols)};
    const std::size_t offset = cell_offset(sheet, place);
    if (offset + sheet.element_bytes <= bytes.size()) {
      most = std::max(
          most, number_room(problem::load_element(*sheet.element, bytes.data() + offset)).longest);
    }
  }
  return std::clamp(most, 1, kMostDigits);
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

void find_roles(const insight::BlockSums* sums, StageShape& shape) {
  for (std::size_t i = 0; i < shape.sheets.size(); ++i) {
    Sheet& sheet = shape.sheets[i];
    const int at = static_cast<int>(i);
    if (sheet.kind == SheetKind::Threads || sheet.is_output) {
      sheet.role = insight::ValueRole::Sum;
    } else if (sums != nullptr) {
      sheet.role = sums->role_of(sheet.name);
    } else if (sheet.kind == SheetKind::Buffer) {
      sheet.role = at == shape.a   ? insight::ValueRole::A
                   : at == shape.b ? insight::ValueRole::B
                                   : insight::ValueRole::None;
    }
  }
  turn_block_l(shape);
}

}  // namespace tilestep::ui
