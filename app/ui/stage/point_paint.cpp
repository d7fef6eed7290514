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

int sheet_named(const StageShape& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.sheets, name, &Sheet::name);
  return found == shape.sheets.end() ? kNoSheet : static_cast<int>(found - shape.sheets.begin());
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
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
    if (!is_shown) {
      return;
    }
    const float width = std::max(2.0F, kPointLine * p_.font);
    out_.push_back(outline({std::round(box.x) - width, std::round(box.y) - width,
                            std::round(box.w) + 2.0F * width, std::round(box.h) + 2.0F * width},
                           p_.context.theme.text, width, 0.25F * p_.font));
  }

  void label(std::size_t index, const std::string& words) {
    const Box& box = boxes_[index];
    if (words.empty() || box.w <= 0.0F || box.h <= 0.0F) {
      return;
    }
    const float size = kPointLabel * p_.font;
    const float pad = kPointPad * p_.font;
    const ImVec2 text = p_.context.fonts.bold->CalcTextSizeA(size, 1e6F, 0.0F, words.c_str());
    const ImVec2 tag(text.x + 2.0F * pad, 1.35F * size);
    const Box place = place_of(box, tag, index);
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
  // Across the frame's upper edge; else below it, else beside: where no other label or frame is.
  [[nodiscard]] Box place_of(const Box& box, ImVec2 tag, std::size_t own) const {
    const float x = box.x + 0.5F * (box.w - tag.x);
    const float gap = kPointArrow * p_.font;
    const Box places[] = {
        {x, box.y - 0.75F * tag.y, tag.x, tag.y}, {x, box.bottom() - 0.8F * tag.y, tag.x, tag.y},
        {x, box.y - tag.y - gap, tag.x, tag.y},   {x, box.bottom() + gap, tag.x, tag.y},
        {box.right() + gap, box.y, tag.x, tag.y}, {box.x - tag.x - gap, box.y, tag.x, tag.y}};
    for (const Box& place : places) {
      if (is_free(place, own)) {
        return inside(place);
      }
    }
    return inside(places[0]);
  }

  [[nodiscard]] bool is_free(const Box& place, std::size_t own) const {
    const bool is_in_view = place.x >= p_.clip.x && place.y >= p_.clip.y &&
                            place.right() <= p_.clip.z && place.bottom() <= p_.clip.w;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (i != own && boxes_[i].w > 0.0F && overlap(place, boxes_[i])) {
        return false;
      }
    }
    return is_in_view && std::ranges::none_of(
                             taken_, [&place](const Box& other) { return overlap(place, other); });
  }

  [[nodiscard]] Box inside(Box place) const {
    place.x = std::clamp(place.x, p_.clip.x, std::max(p_.clip.x, p_.clip.z - place.w));
    place.y = std::clamp(place.y, p_.clip.y, std::max(p_.clip.y, p_.clip.w - place.h));
    return place;
  }

  // Where the label does not touch what it is of.
  void paint_arrow_to(const Box& box, const Box& place) const {
    if (overlap(box, place)) {
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
    pointer.label(i, shown->labels[i]);
  }
}

}  // namespace tilestep::ui
