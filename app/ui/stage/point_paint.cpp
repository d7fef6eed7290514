#include "ui/stage/point_paint.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

// In lines of text.
constexpr float kPointLine = 0.13F;
constexpr float kPointLabel = 0.9F;
constexpr float kPointPad = 0.3F;
constexpr float kPointArrow = 0.9F;
constexpr float kAboveSheet = 1.2F;
constexpr float kBelowSheet = 1.3F;
constexpr float kLeftOfSheet = 0.9F;

// Of what a label hides, a pixel: a number counts one.
constexpr float kNumberCost = 1.0F;
constexpr float kBlankCost = 0.15F;
constexpr float kIndexCost = 0.5F;
constexpr float kCardCost = 0.3F;
constexpr float kFrameCost = 0.6F;
constexpr float kLabelCost = 8.0F;
constexpr float kOutsideCost = 20.0F;

int sheet_named(const StageShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.sheets, name, &Sheet::name);
  return found == shape.sheets.end() ? kNoSheet : static_cast<int>(found - shape.sheets.begin());
}

// Pixels.
float overlap_of(const Box& a, const Box& b) {
  const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return w > 0.0F && h > 0.0F ? w * h : 0.0F;
}

class Pointer {
 public:
  Pointer(const StagePicture& picture, std::vector<CellInstance>& out) : p_(picture), out_(out) {}

  void frame(const lesson::Annotation& point) {
    const int sheet = sheet_named(p_.shape, point.of);
    if (sheet == kNoSheet) {
      boxes_.push_back({});
      return;
    }
    const Box box = p_.window_box({FrameKind::FocusReads, sheet, point.first_row, point.first_col,
                                   point.last_row - point.first_row + 1,
                                   point.last_col - point.first_col + 1, 0});
    const bool is_shown = box.x > p_.clip.x - box.w && box.y > p_.clip.y - box.h;
    boxes_.push_back(is_shown ? box : Box{});
    if (!is_shown || !point.has_frame) {
      return;
    }
    const float width = std::max(2.0F, kPointLine * p_.font);
    out_.push_back(outline({std::round(box.x) - width, std::round(box.y) - width,
                            std::round(box.w) + 2.0F * width, std::round(box.h) + 2.0F * width},
                           p_.context.theme.text, width, 0.25F * p_.font));
  }

  void label(std::size_t index, const lesson::Annotation& point, const std::string& words) {
    const Box& box = boxes_[index];
    if (words.empty() || box.w <= 0.0F || box.h <= 0.0F) {
      return;
    }
    const float size = kPointLabel * p_.font;
    const float pad = kPointPad * p_.font;
    const ImVec2 text = p_.context.fonts.bold->CalcTextSizeA(size, 1e6F, 0.0F, words.c_str());
    const ImVec2 tag(text.x + 2.0F * pad, 1.35F * size);
    const Box place = point.has_frame ? place_of(box, tag, index)
                                      : inside({box.x + 0.5F * (box.w - tag.x),
                                                box.y + 0.5F * (box.h - tag.y), tag.x, tag.y});
    paint_arrow_to(box, place);
    p_.list.AddRectFilled({place.x, place.y}, {place.right(), place.bottom()},
                          p_.context.theme.raised, 0.25F * p_.font);
    p_.list.AddRect({place.x, place.y}, {place.right(), place.bottom()}, p_.context.theme.text,
                    0.25F * p_.font, ImDrawFlags_None, std::max(1.0F, 0.06F * p_.font));
    p_.list.AddText(p_.context.fonts.bold, size,
                    {std::round(place.x + pad), std::round(place.y + 0.5F * (tag.y - size))},
                    p_.context.theme.text, words.c_str());
    taken_.push_back(place);
  }

 private:
  // Across the frame's upper edge, below it, beside it or within: where it hides least.
  [[nodiscard]] Box place_of(const Box& box, ImVec2 tag, std::size_t own) const {
    const float x = box.x + 0.5F * (box.w - tag.x);
    const float y = box.y + 0.5F * (box.h - tag.y);
    const float gap = kPointArrow * p_.font;
    const Box places[] = {{x, box.y - 0.85F * tag.y, tag.x, tag.y},
                          {x, box.bottom() - 0.15F * tag.y, tag.x, tag.y},
                          {x, box.y - tag.y - gap, tag.x, tag.y},
                          {x, box.bottom() + gap, tag.x, tag.y},
                          {box.right() + gap, y, tag.x, tag.y},
                          {box.right() + gap, box.y, tag.x, tag.y},
                          {box.x - tag.x - gap, y, tag.x, tag.y},
                          {box.x - tag.x - gap, box.y, tag.x, tag.y},
                          {x, y, tag.x, tag.y}};
    Box best = inside(places[0]);
    float least = hidden_by(places[0], own);
    for (const Box& place : places) {
      if (const float hidden = hidden_by(place, own); hidden < least - 1.0F) {
        least = hidden;
        best = place;
      }
    }
    return inside(best);
  }

  // Pixels, counted by what they show.
  [[nodiscard]] float hidden_by(const Box& place, std::size_t own) const {
    const Box view{p_.clip.x, p_.clip.y, p_.clip.z - p_.clip.x, p_.clip.w - p_.clip.y};
    float hidden = kOutsideCost * (place.w * place.h - overlap_of(place, view));
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      hidden += i == own ? 0.0F : kFrameCost * overlap_of(place, boxes_[i]);
    }
    for (const Box& label : taken_) {
      hidden += kLabelCost * overlap_of(place, label);
    }
    if (p_.arrangement.block_group) {  // what it says of the block
      hidden += kCardCost * overlap_of(place, p_.view.to_window(*p_.arrangement.block_group));
    }
    for (std::size_t i = 0; i < p_.shape.sheets.size(); ++i) {
      hidden += hidden_of_sheet(place, static_cast<int>(i));
    }
    return hidden;
  }

  [[nodiscard]] float hidden_of_sheet(const Box& place, int sheet) const {
    const CellRange& shown = p_.arrangement.sheets[size(sheet)].shown;
    if (shown.rows <= 0 || shown.cols <= 0) {
      return 0.0F;
    }
    const Box all = p_.window_box({.sheet = sheet,
                                   .row = shown.row,
                                   .col = shown.col,
                                   .rows = shown.rows,
                                   .cols = shown.cols});
    // Its column numbers and its name, its row numbers.
    const Box above{all.x, all.y - kAboveSheet * p_.font, all.w, kAboveSheet * p_.font};
    const Box left{all.x - kLeftOfSheet * p_.font, all.y, kLeftOfSheet * p_.font, all.h};
    const Box below{all.x, all.bottom(), all.w,
                    kBelowSheet * p_.font};  // its name, or what it holds
    float hidden = kIndexCost *
                   (overlap_of(place, above) + overlap_of(place, left) + overlap_of(place, below));
    const ImVec2 cell = p_.cell_size(sheet);
    for (int row = shown.row; row < shown.row + shown.rows; ++row) {
      const float y = all.y + cell.y * static_cast<float>(row - shown.row);
      if (y + cell.y <= place.y || y >= place.bottom()) {
        continue;
      }
      for (int col = shown.col; col < shown.col + shown.cols; ++col) {
        const float x = all.x + cell.x * static_cast<float>(col - shown.col);
        if (x + cell.x > place.x && x < place.right()) {
          hidden += cost_of(sheet, {row, col}) * overlap_of(place, {x, y, cell.x, cell.y});
        }
      }
    }
    return hidden;
  }

  [[nodiscard]] float cost_of(int sheet, CellPlace at) const {
    const Sheet& s = p_.shape.sheets[size(sheet)];
    const std::size_t index = cell_index(s, at);
    const auto& cells = p_.content.sheets[size(sheet)].cells;
    const bool is_blank = index >= cells.size() || cells[index].state == CellState::Empty ||
                          cells[index].state == CellState::Unused;
    return is_blank ? kBlankCost : kNumberCost;
  }

  [[nodiscard]] Box inside(Box place) const {
    place.x = std::clamp(place.x, p_.clip.x, std::max(p_.clip.x, p_.clip.z - place.w));
    place.y = std::clamp(place.y, p_.clip.y, std::max(p_.clip.y, p_.clip.w - place.h));
    return place;
  }

  // Where the label does not touch what it is of.
  void paint_arrow_to(const Box& box, const Box& place) const {
    if (overlap_of(box, place) > 0.0F) {
      return;
    }
    const ImVec2 from(place.x + 0.5F * place.w, place.y + 0.5F * place.h);
    const ImVec2 to(std::clamp(from.x, box.x, box.right()),
                    std::clamp(from.y, box.y, box.bottom()));
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const ImVec2 along((to.x - from.x) / length, (to.y - from.y) / length);
    const float head = 0.45F * p_.font;
    const ImVec2 neck(to.x - head * along.x, to.y - head * along.y);
    const ImU32 ink = p_.context.theme.text;
    p_.list.AddLine(from, neck, ink, std::max(2.0F, 0.1F * p_.font));
    p_.list.AddTriangleFilled(to, {neck.x - 0.5F * head * along.y, neck.y + 0.5F * head * along.x},
                              {neck.x + 0.5F * head * along.y, neck.y - 0.5F * head * along.x},
                              ink);
  }

  const StagePicture& p_;
  std::vector<CellInstance>& out_;
  std::vector<Box> boxes_;  // by point; empty: it is no cell's, or none of it is shown
  std::vector<Box> taken_;  // by labels
};

}  // namespace

void paint_points(const StagePicture& p, std::vector<CellInstance>& instances) {
  const workspace::ShownLesson* const shown = p.context.view.lesson;
  if (shown == nullptr || shown->scene == nullptr || shown->has_wandered) {
    return;
  }
  const auto& points = shown->scene->points;
  Pointer pointer(p, instances);
  instances.clear();
  for (const lesson::Annotation& point : points) {
    pointer.frame(point);
  }
  if (p.context.cells != nullptr && !instances.empty()) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
  for (std::size_t i = 0; i < points.size() && i < shown->labels.size(); ++i) {
    pointer.label(i, points[i], shown->labels[i]);
  }
}

}  // namespace tilestep::ui
