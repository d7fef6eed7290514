// The ladder: one bar a kernel, the fastest on top.
#include "ui/timing/ladder.h"

#include "problem/tr.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/timing/brought_into_view.h"
#include "ui/timing/plot_pair.h"
#include "ui/timing/plot_style.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Mark;

struct LadderMemory {
  BroughtIntoView bar;
};

struct Lane {
  float left = 0.0F;   // of the bars
  float right = 0.0F;  // of the longest
  float height = 0.0F;
};

void draw_bar(const Context& context, const Chart& chart, const Curve& curve, const Lane& lane,
              ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const Mark& mark = curve.marks.front();
  const bool chosen = curve.kernel == context.state.kernel;
  const auto x_of = [&](double y) {
    return lane.left + static_cast<float>(y / chart.y.high) * (lane.right - lane.left);
  };
  const float top = at.y + lane.height * 0.16F;
  const float bottom = at.y + lane.height * 0.84F;
  const float end = std::max(x_of(mark.y), lane.left + 2.0F);
  const ImU32 colour = curve_colour(context.theme, curve);
  list.AddRectFilled({lane.left, top}, {end, bottom}, with_alpha(colour, chosen ? 1.0F : 0.6F),
                     em * 0.15F);
  const bool compared = is_compared(context, curve, mark);
  if (compared || is_selected(context, curve, mark)) {
    list.AddRect({lane.left, top}, {end, bottom}, context.theme.focus, em * 0.15F, 0, 2.5F);
  }
  // The kernel's best BLOCK_SIZE as a tick.
  const Mark& best = curve.marks.back();
  std::string text = analysis::speed_text(chart.y, mark.y);
  float text_x = end;
  if (best.y > mark.y) {
    const float tick = x_of(best.y);
    list.AddLine({end, (top + bottom) / 2}, {tick, (top + bottom) / 2}, context.theme.text_dim,
                 1.5F);
    list.AddLine({tick, top}, {tick, bottom}, context.theme.text, em * 0.14F);
    text += tr("   best {} at {}", analysis::speed_text(chart.y, best.y), best.block_size);
    text_x = tick;
  }
  if (const auto& pair = context.view.timings->pair; compared && pair && pair->ratio > 0.0) {
    text += pair->is_swapped ? tr("   {:.2f}× as fast as the other", pair->ratio)
                             : tr("   {:.2f}× as slow as the other", pair->ratio);
  }
  list.AddText({text_x + em * 0.5F, at.y + (lane.height - em) / 2}, context.theme.text,
               text.c_str());
}

}  // namespace

Commands draw_ladder(const Context& context, const Chart& chart) {
  Commands commands;
  const float em = ImGui::GetFontSize();
  const ImVec2 space = ImGui::GetContentRegionAvail();
  float names = 0.0F;
  for (const Curve& curve : chart.curves) {
    names = std::max(names, ImGui::CalcTextSize(shown_name(curve).c_str()).x);
  }
  Lane lane;
  const float rows = static_cast<float>(std::max<std::size_t>(chart.curves.size(), 1));
  lane.height = std::clamp(space.y / rows, em * 1.25F, em * 2.4F);
  const float start = ImGui::GetCursorScreenPos().x;
  lane.left = start + names + em;
  lane.right = start + space.x - em * 10.0F;
  for (std::size_t i = chart.curves.size(); i-- > 0;) {
    const Curve& curve = chart.curves[i];
    const Mark& mark = curve.marks.front();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    if (hit_area("bar", {space.x, lane.height}) && mark.point != nullptr) {
      append(commands, click_point(context, curve, mark));
    }
    const std::string& selected = context.state.timing.selected_kernel;
    const bool is_wanted = curve.kernel == (selected.empty() ? context.state.kernel : selected);
    if (is_wanted && context.memory.of<LadderMemory>().bar.is_due(
                         fmt::format("{} {}", curve.kernel, ImGui::GetWindowHeight()))) {
      ImGui::SetScrollHereY(1.0F);  // no further than it takes
    }
    if (ImGui::IsItemHovered()) {
      mark_tooltip(curve, mark);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) &&
          curve.role == analysis::Role::Measured) {
        commands.push_back(state::OpenOnStage{
            mark.point == nullptr ? curve.kernel : analysis::stage_kernel(*mark.point),
            mark.block_size});
      }
    }
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, at.y + lane.height});
    ImGui::GetWindowDrawList()->AddText(
        {lane.left - em * 0.6F - ImGui::CalcTextSize(shown_name(curve).c_str()).x,
         at.y + (lane.height - em) / 2},
        curve.is_wrong ? context.theme.bad : context.theme.text, shown_name(curve).c_str());
    draw_bar(context, chart, curve, lane, at);
  }
  ImGui::Dummy({0.0F, 0.0F});
  return commands;
}

}  // namespace tilestep::ui
