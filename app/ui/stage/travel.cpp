#include "ui/stage/travel.h"

#include "ui/sum_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilestep::ui {
namespace {

constexpr double kSeconds = 0.55;
constexpr std::size_t kMostNumbers = 1024;

Box between(const Box& a, const Box& b, float t) {
  const auto mix = [t](float p, float q) { return p + (q - p) * t; };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
}

}  // namespace

void Travel::notice(std::uint64_t generation, std::uint64_t step, double now, bool animate) {
  if (generation == generation_ && step > step_ && animate) {
    since_ = now;
  } else if (generation != generation_ || step != step_ || !animate) {
    since_ = -1e9;
  }
  generation_ = generation;
  step_ = step;
}

float Travel::progress(double now) const {
  return static_cast<float>(std::clamp((now - since_) / kSeconds, 0.0, 1.0));
}

double Travel::ends_at() const {
  return since_ + kSeconds;
}

void paint_travel(const StagePicture& p, float progress, std::vector<CellInstance>& instances) {
  instances.clear();
  if (progress >= 1.0F) {
    return;
  }
  const float t = progress * progress * (3.0F - 2.0F * progress);
  const Theme& theme = p.context.theme;
  std::vector<Transfer> moving;  // of cells that are shown
  std::ranges::copy_if(p.content.moving, std::back_inserter(moving), [&p](const Transfer& move) {
    const auto is_shown = [&p](const SheetPlace& place) {
      return p.arrangement.sheets[size(place.sheet)].shown.has(place.row, place.col);
    };
    return is_shown(move.from) && is_shown(move.to);
  });
  std::vector<Box> boxes;
  for (const Transfer& move : moving) {
    const Box to =
        p.view.to_window(cell_box(p.arrangement, move.to.sheet, move.to.row, move.to.col));
    instances.push_back({.x = to.x + 1.0F,
                         .y = to.y + 1.0F,
                         .w = to.w - 1.0F,
                         .h = to.h - 1.0F,
                         .fill = theme.cell_empty.fill,
                         .border = theme.cell_border,
                         .border_width = 1.0F,
                         .radius = 0.12F * to.w});
  }
  for (const Transfer& move : moving) {
    const Box from =
        p.view.to_window(cell_box(p.arrangement, move.from.sheet, move.from.row, move.from.col));
    const Box to =
        p.view.to_window(cell_box(p.arrangement, move.to.sheet, move.to.row, move.to.col));
    const Box box = between(from, to, t);
    const Fill written = role_colours(theme, p.shape.sheets[size(move.to.sheet)].role).solid;
    boxes.push_back(box);
    instances.push_back({.x = box.x + 1.0F,
                         .y = box.y + 1.0F,
                         .w = box.w - 1.0F,
                         .h = box.h - 1.0F,
                         .fill = written.fill,
                         .border = written.text,
                         .border_width = 1.0F,
                         .radius = 0.12F * box.w});
  }
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  for (std::size_t i = 0; i < boxes.size() && boxes.size() <= kMostNumbers; ++i) {
    const Transfer& move = moving[i];
    const Sheet& sheet = p.shape.sheets[static_cast<std::size_t>(move.to.sheet)];
    const Cell& cell = p.content.sheets[static_cast<std::size_t>(move.to.sheet)]
                           .cells[cell_index(sheet, {move.to.row, move.to.col})];
    const ValueText text = value_text({boxes[i].w, boxes[i].h}, number_room(cell.value).longest,
                                      smallest_value_text(p.font));
    if (text.chars == 0) {
      continue;
    }
    const std::string number = cell_text(cell.value, text.chars);
    const float width = 0.525F * text.size * static_cast<float>(sum_columns(number));
    p.list.AddText(p.context.fonts.mono, text.size,
                   {std::round(boxes[i].x + 0.5F * (boxes[i].w - width)),
                    std::round(boxes[i].y + 0.5F * (boxes[i].h - text.size))},
                   role_colours(theme, sheet.role).solid.text, number.c_str());
  }
}

}  // namespace tilestep::ui
