#include "narration/templates.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/inspector/cards.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

using narration::part;
using narration::Pieces;
using narration::plain;

constexpr Message kCopiedLines = "the phase, line by line";

// Sizes in lines of text.
constexpr float kCardRow = 1.3F;
constexpr float kCardHeight = 8.6F;  // a title and five rows
constexpr float kLeastSource = 22.0F;
constexpr float kCardGap = 0.4F;
constexpr float kLineColumn = 4.0F;

// "statements 23–28".
std::string statements_of(const record::Recording& run, const record::Phase& phase) {
  const std::uint64_t last = std::max(phase.last_step, phase.first_step + 1) - 1;
  return narration::plain_text(
      part("card_statements",
           {{"first", plain(fmt::format("{}", run.statement_of(phase.first_step) + 1))},
            {"last", plain(fmt::format("{}", run.statement_of(last) + 1))}}));
}

void draw_card_line(const Context& context, const narration::PhaseLine& line, ImVec2 at,
                    float right, float size) {
  const Theme& t = context.theme;
  TextPen pen(context, at, size);
  pen.pieces(all_bold(part("card_line", {{"line", plain(fmt::format("{}", line.line))}})), t.text);
  const Pieces cost = all_bold(line.cost);
  const float cost_at = right - pieces_width(context, cost, size);
  pen.move_to(cost_at);
  pen.pieces(cost, t.text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = at.x + kLineColumn * size;
  list.PushClipRect({left, at.y}, {cost_at - 0.5F * size, at.y + 1.3F * size}, true);
  // A long line shrinks a little before it is cut.
  const float share =
      (cost_at - 0.5F * size - left) / std::max(pieces_width(context, line.what, size), 1.0F);
  TextPen(context, {left, at.y}, size * std::clamp(share, 0.8F, 1.0F))
      .pieces(line.what, t.text_dim);
  list.PopClipRect();
}

// One row per line: number, action, cost.
std::string lines_table(const std::vector<narration::PhaseLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const narration::PhaseLine& line : lines) {
    rows.push_back({std::to_string(line.line), narration::plain_text(line.what),
                    narration::plain_text(line.cost)});
  }
  return tabbed(rows);
}

// Sizes in lines of text.
constexpr float kBelow = 3.0F;     // the block's name and its memory are above
constexpr float kInstead = 1.45F;  // only its name is above
constexpr float kLine = 1.4F;
constexpr float kLeastLine = 1.2F;
constexpr float kNumber = 1.15F;
constexpr float kLargest = 2.0F;  // factor in lectures if the corner has room

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
    if (place != value) {  // computed values and literals have no place
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
  return text_width(font_of(p, line), size, line.text);
}

// As large as the room allows; `pitch`: line distance at the smallest size, in lines of text.
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
    p.write(font_of(p, line), size, {room.x, y}, line.colour, line.text);
    y += pitch * scale * p.font;
  }
}

}  // namespace

narration::Pieces all_bold(narration::Pieces pieces) {
  for (narration::Piece& piece : pieces) {
    piece.strong = true;
  }
  return pieces;
}

Box take_card(WindowPlan& plan, float font) {
  const float gap = std::round(kCardGap * font);
  const float height = std::round(kCardHeight * font);
  if (plan.is_lecture || plan.lesson.h > 0.0F || plan.keeps_source || plan.has_strip() ||
      plan.source.h - gap - height < kLeastSource * font) {
    return {};
  }
  plan.source.h -= gap + height;
  return {plan.source.x, plan.source.bottom() + gap, plan.source.w, height};
}

void draw_phase_card(const Context& context) {
  const float font = ImGui::GetFontSize();
  const float size = 0.95F * font;
  const Theme& t = context.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float right = at.x + room.x;
  TextPen title(context, at, font);
  const workspace::NarrationView& view = context.view.narration;
  if (context.view.run.scene == nullptr || !view.phase_over || view.summary == nullptr) {
    title.pieces(part("card_empty", {}), t.text_dim);
    return;
  }
  const record::Recording& run = *context.view.run.scene->recording;
  const record::Phase& phase = run.phases_of(context.state.focus.block)[*view.phase_over];
  title.pieces(all_bold(part("card_title", {{"phase", plain(*phase.name)}})), t.text);
  const Pieces where = plain(statements_of(run, phase));
  title.move_to(right - pieces_width(context, where, font));
  title.pieces(where, t.text_dim);
  const auto& lines = view.summary->lines;
  offer_copy(context, at, {right, at.y + room.y},
             {.what = kCopiedLines.text(), .text = [&lines] { return lines_table(lines); }});
  const auto rows = static_cast<std::size_t>(
      std::max(1.0F, std::floor((room.y - 1.6F * font) / (kCardRow * font))));
  const std::size_t shown = lines.size() <= rows ? lines.size() : rows - 1;
  float y = at.y + 1.6F * font;
  for (std::size_t i = 0; i < shown; ++i, y += kCardRow * font) {
    draw_card_line(context, lines[i], {at.x, std::round(y)}, right, size);
  }
  if (shown < lines.size()) {
    TextPen(context, {at.x, y}, size)
        .pieces(part("card_more", {{"count", plain(fmt::format("{}", lines.size() - shown))}}),
                t.text_dim);
  }
}

bool paint_thread_card(const StagePicture& p, const std::string& thread, const SumStory& story) {
  if (!p.arrangement.block_corner || !story.sum || !story.sum->latest || !is_adding(p)) {
    return false;
  }
  const Box corner = p.view.to_window(*p.arrangement.block_corner);
  const float y = corner.y + (p.arrangement.labels == Labels::Few ? kInstead : kBelow) * p.font;
  const float room = (corner.bottom() - y) / p.font;
  std::vector<CardLine> lines = lines_of_card(p, thread, *story.sum);
  if (room < kLine * static_cast<float>(lines.size())) {
    lines.erase(lines.begin());  // the frames show which thread it is
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
