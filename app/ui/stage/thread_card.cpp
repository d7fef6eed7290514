#include "ui/stage/thread_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr float kBelowName = 3.0F;  // lines: the block's name and its memory stand above
constexpr float kLine = 1.4F;
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
  std::vector<CardLine> lines{{thread + " multiplies", t.text_dim, true},
                              {fmt::format("{} = {}", latest.a_place, latest.a_value),
                               known ? role_colours(t, ValueRole::A).line : t.text},
                              {fmt::format("{} = {}", latest.b_place, latest.b_value),
                               known ? role_colours(t, ValueRole::B).line : t.text}};
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

}  // namespace

void paint_thread_card(const StagePicture& p, const std::string& thread, const SumStory& story) {
  if (!p.arrangement.block_corner || !story.sum || !story.sum->latest || !is_adding(p)) {
    return;
  }
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const std::vector<CardLine> lines = lines_of_card(p, thread, *story.sum);
  float y = corner.y + kBelowName * p.font;
  const float height = kLine * p.font * static_cast<float>(lines.size());
  if (y + height > corner.bottom()) {
    return;
  }
  const float room = corner.w - 0.3F * p.font;
  float widest = 1.0F;
  for (const CardLine& line : lines) {
    widest = std::max(widest, width_of(p, line, 1.0F));
  }
  const float larger = std::min({kLargest, (corner.bottom() - y) / height, room / widest});
  const float scale = std::max(1.0F, larger);
  for (const CardLine& line : lines) {
    const float wanted = scale * (line.is_word ? p.font : kNumber * p.font);
    const float fitting = wanted * room / std::max(width_of(p, line, scale), 1.0F);
    const float size = std::max(0.85F * p.font, std::floor(std::min(wanted, fitting)));
    p.list.AddText(font_of(p, line), size, {std::round(corner.x), std::round(y)}, line.colour,
                   line.text.c_str());
    y += kLine * scale * p.font;
  }
}

}  // namespace tilestep::ui
