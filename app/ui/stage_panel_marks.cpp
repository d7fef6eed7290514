#include "ui/lesson/question.h"
#include "ui/stage_panel.h"
#include "workspace/shown_lesson.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

bool is_matrix(const StageShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.sheets, name, &Sheet::name);
  return found != shape.sheets.end() && found->kind == SheetKind::Buffer;
}

// `sums_are_known`: on both stages. In a fast build the sums of other blocks are not: their part of
// C is empty until it is stored.
bool shows_same(const Cell& a, const Cell& b, bool sums_are_known) {
  const bool is_pending = a.state == CellState::Pending || b.state == CellState::Pending;
  const bool is_nothing = a.state == CellState::Empty || b.state == CellState::Empty;
  if (!sums_are_known && is_pending && is_nothing) {
    return true;
  }
  const auto is_empty = [](const Cell& cell) {
    return cell.state == CellState::Empty || cell.state == CellState::Unused;
  };
  if (is_empty(a) || is_empty(b)) {
    return is_empty(a) == is_empty(b);
  }
  return a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
}

}  // namespace

bool is_about_matrices(const Context& context, const StageShape& shape) {
  const auto& lesson = context.view.lesson;
  if (lesson == nullptr || lesson->has_wandered) {
    return false;
  }
  if (lesson->question != nullptr) {
    return lesson->question->kind == lesson::QuestionKind::Cell &&
           is_matrix(shape, named_array(shape, lesson->ask));
  }
  if (lesson->scene == nullptr) {
    return false;
  }
  bool is_any = false;
  for (const lesson::Annotation& point : lesson->scene->points) {
    if (!point.of.empty() && !is_matrix(shape, point.of)) {
      return false;
    }
    is_any = is_any || !point.of.empty();
  }
  return is_any;
}

void find_differing(StageMemory& one, StageMemory& two, bool sums_are_known) {
  one.differing.clear();
  two.differing.clear();
  for (std::size_t i = 0; i < one.shape.sheets.size(); ++i) {
    const Sheet& sheet = one.shape.sheets[i];
    const auto other = std::ranges::find_if(two.shape.sheets, [&sheet](const Sheet& s) {
      return s.kind == sheet.kind && s.name == sheet.name && s.rows == sheet.rows &&
             s.cols == sheet.cols;
    });
    if (other == two.shape.sheets.end()) {
      continue;
    }
    const auto j = static_cast<std::size_t>(other - two.shape.sheets.begin());
    for (int row = 0; row < sheet.rows; ++row) {
      for (int col = 0; col < sheet.cols; ++col) {
        const std::size_t cell = cell_index(sheet, {row, col});
        if (!shows_same(one.content.sheets[i].cells[cell], two.content.sheets[j].cells[cell],
                        sums_are_known)) {
          one.differing.push_back({static_cast<int>(i), row, col});
          two.differing.push_back({static_cast<int>(j), row, col});
        }
      }
    }
  }
}

void paint_differing(const StagePicture& p, const std::vector<SheetPlace>& differing,
                     std::vector<CellInstance>& instances) {
  if (p.context.cells == nullptr) {
    return;
  }
  const float width = std::max(2.0F, 0.1F * p.font);
  instances.clear();
  for (const SheetPlace& place : differing) {
    if (!p.arrangement.sheets[size(place.sheet)].shown.has(place.row, place.col)) {
      continue;
    }
    const Box box = p.window_box(place.sheet, place.row, place.col);
    if (p.is_visible(box)) {
      CellInstance frame = outline(box, p.context.theme.bad, std::min(width, 0.15F * box.h),
                                   0.12F * std::min(box.w, box.h));
      frame.marks = mark::kDashed;
      instances.push_back(frame);
    }
  }
  if (!instances.empty()) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
}

}  // namespace tilestep::ui
