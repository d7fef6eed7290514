#include "ui/phase_card.h"

#include "narration/templates.h"
#include "problem/words.h"
#include "ui/copying.h"
#include "ui/piece_row.h"
#include "ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr Message kCopiedLines = "the phase, line by line";

// In lines of text.
constexpr float kCardRow = 1.3F;
constexpr float kCardHeight = 8.6F;  // a title and five rows
constexpr float kLeastSource = 22.0F;
constexpr float kCardGap = 0.4F;
constexpr float kLineColumn = 4.0F;

using narration::part;
using narration::Pieces;
using narration::plain;

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
  const PieceRow row(context, at.y, size);
  row.write(all_bold(part("card_line", {{"line", plain(fmt::format("{}", line.line))}})), at.x,
            t.text);
  const Pieces cost = all_bold(line.cost);
  const float cost_at = right - row.width(cost);
  row.write(cost, cost_at, t.text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = at.x + kLineColumn * size;
  list.PushClipRect({left, at.y}, {cost_at - 0.5F * size, at.y + 1.3F * size}, true);
  // A long line shrinks a little before it is cut.
  const float share = (cost_at - 0.5F * size - left) / std::max(row.width(line.what), 1.0F);
  PieceRow(context, at.y, size * std::clamp(share, 0.8F, 1.0F)).write(line.what, left, t.text_dim);
  list.PopClipRect();
}

// A row a line: its number, what it did, what that cost.
std::string lines_table(const std::vector<narration::PhaseLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const narration::PhaseLine& line : lines) {
    rows.push_back({std::to_string(line.line), narration::plain_text(line.what),
                    narration::plain_text(line.cost)});
  }
  return tabbed(rows);
}

}  // namespace

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
  const PieceRow title(context, at.y, font);
  if (context.view.scene == nullptr || !context.view.phase_over ||
      context.view.phase_summary == nullptr) {
    title.write(part("card_empty", {}), at.x, t.text_dim);
    return;
  }
  const record::Recording& run = *context.view.scene->recording;
  const record::Phase& phase = run.phases_of(context.state.focus.block)[*context.view.phase_over];
  title.write(all_bold(part("card_title", {{"phase", plain(*phase.name)}})), at.x, t.text);
  const Pieces where = plain(statements_of(run, phase));
  title.write(where, right - title.width(where), t.text_dim);
  const auto& lines = context.view.phase_summary->lines;
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
    PieceRow(context, y, size)
        .write(part("card_more", {{"count", plain(fmt::format("{}", lines.size() - shown))}}), at.x,
               t.text_dim);
  }
}

}  // namespace tilestep::ui
