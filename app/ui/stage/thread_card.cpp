#include "ui/stage/thread_card.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::ui {
namespace {

// Lines of text.
constexpr float kBelow = 3.0F;     // the block's name and its memory stand above
constexpr float kInstead = 1.45F;  // its name alone
constexpr float kLine = 1.4F;
constexpr float kLeastLine = 1.2F;
constexpr float kNumber = 1.15F;
constexpr float kLargest = 2.0F;  // times these, in a hall where the corner has the room

struct CardLine {
  std::string text;
  ImU32 colour = 0;
  bool is_word = false;
};

bool is_adding(const StagePicture& p) {
  return std::ranges::any_of(p.content.sums, [&p](const SumCell& sum) {
    return sum.thread == p.context.state.focus.thread && sum.is_chosen && sum.is_added_to;
  });
}

std::vector<CardLine> lines_of_card(const StagePicture& p, const std::string& thread,
                                    const SumText& sum) {
  using insight::ValueRole;
  const Theme& t = p.context.theme;
  const SumText::Latest& latest = *sum.latest;
  const bool known = sum.from_a_and_b;
  std::vector<CardLine> lines{{tr("{} multiplies", thread), t.text_dim, true}};
  const auto factor = [&](const std::string& place, const std::string& value, ValueRole role) {
    if (place != value) {  // what was computed or written in the code has no place
      lines.push_back(
          {fmt::format("{} = {}", place, value), known ? role_colours(t, role).line : t.text});
    }
  };
  factor(latest.a_place, latest.a_value, ValueRole::A);
  factor(latest.b_place, latest.b_value, ValueRole::B);
  if (!latest.product.empty()) {
    lines.push_back({latest.product, t.text});
  }
  if (!latest.addition.empty()) {
    lines.push_back({latest.addition, role_colours(t, ValueRole::Sum).line});
  }
  return lines;
}

ImFont* font_of(const StagePicture& p, const CardLine& line) {
  return line.is_word ? p.context.fonts.text : p.context.fonts.mono;
}

float width_of(const StagePicture& p, const CardLine& line, float scale) {
  const float size = scale * (line.is_word ? p.font : kNumber * p.font);
  return font_of(p, line)->CalcTextSizeA(size, 1e6F, 0.0F, line.text.c_str()).x;
}

// As large as the room allows; `pitch` from line to line at the smallest size, in lines of text.
void paint_lines(const StagePicture& p, const std::vector<CardLine>& lines, const Box& room,
                 float pitch) {
  float widest = 1.0F;
  for (const CardLine& line : lines) {
    widest = std::max(widest, width_of(p, line, 1.0F));
  }
  const float height = pitch * p.font * static_cast<float>(lines.size());
  const float scale = std::max(1.0F, std::min({kLargest, room.h / height, room.w / widest}));
  float y = room.y;
  for (const CardLine& line : lines) {
    const float wanted = scale * (line.is_word ? p.font : kNumber * p.font);
    const float fitting = wanted * room.w / std::max(width_of(p, line, scale), 1.0F);
    const float size = std::max(0.85F * p.font, std::floor(std::min(wanted, fitting)));
    p.list.AddText(font_of(p, line), size, {std::round(room.x), std::round(y)}, line.colour,
                   line.text.c_str());
    y += pitch * scale * p.font;
  }
}

}  // namespace

bool paint_thread_card(const StagePicture& p, const std::string& thread, const SumStory& story) {
  if (!p.arrangement.block_corner || !story.sum || !story.sum->latest || !is_adding(p)) {
    return false;
  }
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const float y = corner.y + (p.arrangement.labels == Labels::Few ? kInstead : kBelow) * p.font;
  const float room = (corner.bottom() - y) / p.font;
  std::vector<CardLine> lines = lines_of_card(p, thread, *story.sum);
  if (room < kLine * static_cast<float>(lines.size())) {
    lines.erase(lines.begin());  // whose thread it is the frames say
  }
  const float least = kLeastLine * static_cast<float>(lines.size());
  if (room < least) {
    return false;
  }
  const float pitch = std::min(kLine, room / static_cast<float>(lines.size()));
  paint_lines(p, lines, {corner.x, y, corner.w - 0.3F * p.font, corner.bottom() - y}, pitch);
  return true;
}

}  // namespace tilestep::ui
