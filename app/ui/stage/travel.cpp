#include "ui/stage/travel.h"

#include "ui/sum_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilestep::ui {
namespace {

constexpr double kSeconds = 0.55;
constexpr double kPhaseSeconds = 1.5;
constexpr std::size_t kMostNumbers = 1024;

Box between(const Box& a, const Box& b, float t) {
  const auto mix = [t](float p, float q) { return p + (q - p) * t; };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
}

}  // namespace

void Travel::notice(const workspace::Generation& generation, std::uint64_t step, double now,
                    bool animate) {
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

void PhaseClock::notice(const Showing& now_shown, double now, bool animate) {
  const bool goes_on = now_shown.shows_phase && now_shown.generation == shown_.generation &&
                       now_shown.block == shown_.block && now_shown.step > shown_.step;
  if (goes_on && animate) {
    since_ = now;
  } else if (now_shown != shown_ || !animate) {
    finish();
  }
  shown_ = now_shown;
}

float PhaseClock::progress(double now) const {
  return static_cast<float>(std::clamp((now - since_) / kPhaseSeconds, 0.0, 1.0));
}

double PhaseClock::ends_at() const {
  return since_ + kPhaseSeconds;
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
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  std::vector<Flight> flights;
  for (const Transfer& move : moving) {
    const Sheet& sheet = p.shape.sheets[size(move.to.sheet)];
    const Cell& cell =
        p.content.sheets[size(move.to.sheet)].cells[cell_index(sheet, {move.to.row, move.to.col})];
    flights.push_back({move.from, move.to, cell.value, t});
  }
  paint_flights(p, flights, instances);
}

void paint_flights(const StagePicture& p, std::span<const Flight> flights,
                   std::vector<CellInstance>& instances) {
  instances.clear();
  std::vector<Box> boxes;
  std::vector<Flight> shown;
  std::ranges::copy_if(flights, std::back_inserter(shown), [&p](const Flight& flight) {
    const auto is_shown = [&p](const SheetPlace& place) {
      return p.arrangement.sheets[size(place.sheet)].shown.has(place.row, place.col);
    };
    return is_shown(flight.from) && is_shown(flight.to);
  });
  for (const Flight& flight : shown) {
    const auto place = [&p](const SheetPlace& at) {
      return p.view.to_window(cell_box(p.arrangement, at.sheet, at.row, at.col));
    };
    const Box box = between(place(flight.from), place(flight.to), flight.progress);
    const Fill fill =
        role_colours(p.context.theme, p.shape.sheets[size(flight.to.sheet)].role).solid;
    boxes.push_back(box);
    instances.push_back({.x = box.x + 1.0F,
                         .y = box.y + 1.0F,
                         .w = box.w - 1.0F,
                         .h = box.h - 1.0F,
                         .fill = fill.fill,
                         .border = fill.text,
                         .border_width = 1.0F,
                         .radius = 0.12F * box.w});
  }
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  for (std::size_t i = 0; i < boxes.size() && boxes.size() <= kMostNumbers; ++i) {
    const double value = shown[i].value;
    const ValueText text = value_text({boxes[i].w, boxes[i].h}, number_room(value).longest,
                                      smallest_value_text(p.font));
    if (text.chars == 0) {
      continue;
    }
    const std::string number = cell_text(value, text.chars);
    const float width = kDigitWidth * text.size * static_cast<float>(sum_columns(number));
    const insight::ValueRole role = p.shape.sheets[size(shown[i].to.sheet)].role;
    p.list.AddText(p.context.fonts.mono, text.size,
                   {std::round(boxes[i].x + 0.5F * (boxes[i].w - width)),
                    std::round(boxes[i].y + 0.5F * (boxes[i].h - text.size))},
                   role_colours(p.context.theme, role).solid.text, number.c_str());
  }
}

}  // namespace tilestep::ui
