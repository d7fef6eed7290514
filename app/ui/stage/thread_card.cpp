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

}  // namespace

void paint_thread_card(const StagePicture& p, const std::string& thread, const SumStory& story) {
  if (!p.arrangement.block_corner || !story.sum || !story.sum->latest || !is_adding(p)) {
    return;
  }
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const std::vector<CardLine> lines = lines_of_card(p, thread, *story.sum);
  float y = corner.y + kBelowName * p.font;
  if (y + kLine * p.font * static_cast<float>(lines.size()) > corner.bottom()) {
    return;
  }
  for (const CardLine& line : lines) {
    ImFont* font = line.is_word ? p.context.fonts.text : p.context.fonts.mono;
    float size = line.is_word ? p.font : kNumber * p.font;
    const float width = font->CalcTextSizeA(size, 1e6F, 0.0F, line.text.c_str()).x;
    const float room = corner.w - 0.3F * p.font;
    size =
        std::max(0.85F * p.font, std::floor(std::min(size, size * room / std::max(width, 1.0F))));
    p.list.AddText(font, size, {std::round(corner.x), std::round(y)}, line.colour,
                   line.text.c_str());
    y += kLine * p.font;
  }
}

}  // namespace tilestep::ui
