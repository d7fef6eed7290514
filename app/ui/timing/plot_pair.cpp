#include "ui/timing/plot_pair.h"

#include "problem/tr.h"
#include "ui/theme.h"
#include "ui/timing/plot_style.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Mark;
using analysis::Role;

constexpr float kRing = 0.55F;  // in font sizes, as all below
constexpr float kRise = 1.9F;   // of the arc over its points
constexpr float kAside = 2.6F;  // of the arc beside points that lie above each other

// The chosen data set's name, or the one of an overlay.
bool is_of(const Curve& curve, const state::TimedPoint& point) {
  return curve.kernel == point.kernel &&
         (point.dataset.empty() ? !curve.is_overlay : curve.dataset == point.dataset);
}

// Where a level line is, the other point says; nothing: it is not on this plot.
std::optional<ImVec2> place_of(const Context& context, const Chart& chart,
                               const state::TimedPoint& point) {
  for (const Curve& curve : chart.curves) {
    const bool drawn = curve.role == Role::Measured || curve.role == Role::Library;
    for (const Mark& mark : drawn&& is_of(curve, point) ? curve.marks : std::vector<Mark>{}) {
      const bool same_problem = mark.point != nullptr &&
                                mark.point->problem == context.view.timings->request.view.problem;
      if (mark.block_size == point.block_size && same_problem) {
        return ImPlot::PlotToPixels(mark.x, mark.y);
      }
    }
  }
  return std::nullopt;
}

bool is_level(const Chart& chart, const std::string& kernel) {
  return std::ranges::any_of(chart.curves, [&](const Curve& curve) {
    return curve.kernel == kernel && curve.role == Role::Library && curve.marks.size() == 1;
  });
}

void draw_ratio(const Context& context, ImVec2 middle, const std::string& text) {
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  const float em = ImGui::GetFontSize();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 low{middle.x - size.x / 2 - em * 0.4F, middle.y - size.y / 2 - em * 0.15F};
  const ImVec2 high{middle.x + size.x / 2 + em * 0.4F, middle.y + size.y / 2 + em * 0.15F};
  list.AddRectFilled(low, high, context.theme.raised, em * 0.3F);
  list.AddRect(low, high, context.theme.border, em * 0.3F);
  list.AddText({low.x + em * 0.4F, low.y + em * 0.15F}, context.theme.text, text.c_str());
  ImGui::PopFont();
}

void draw_arc(const Context& context, ImVec2 a, ImVec2 b, double ratio) {
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  const float em = ImGui::GetFontSize();
  const bool above_each_other = std::fabs(a.x - b.x) < 0.5F * std::fabs(a.y - b.y);
  const ImVec2 control = above_each_other
                             ? ImVec2{std::max(a.x, b.x) + 2 * kAside * em, (a.y + b.y) / 2}
                             : ImVec2{(a.x + b.x) / 2, std::min(a.y, b.y) - 2 * kRise * em};
  list.AddBezierQuadratic(a, control, b, context.theme.focus, em * 0.14F);
  const ImVec2 middle{(a.x + b.x) / 4 + control.x / 2,
                      std::max((a.y + b.y) / 4 + control.y / 2, ImPlot::GetPlotPos().y + em)};
  draw_ratio(context, middle, fmt::format("{:.2f}×", ratio));
}

}  // namespace

bool is_selected(const Context& context, const Curve& curve, const Mark& mark) {
  const state::TimingView& view = context.state.timing;
  return mark.point != nullptr && !curve.is_overlay && mark.point->kernel == view.selected_kernel &&
         mark.point->block_size == view.selected_block_size &&
         mark.point->problem == context.view.timings->request.view.problem;
}

bool is_compared(const Context& context, const Curve& curve, const Mark& mark) {
  const state::TimedPoint& against = context.state.timing.against;
  return mark.point != nullptr && is_of(curve, against) &&
         mark.point->block_size == against.block_size &&
         mark.point->problem == context.view.timings->request.view.problem;
}

void draw_pair(const Context& context, const Chart& chart) {
  const state::TimingView& view = context.state.timing;
  if (view.selected_kernel.empty()) {
    return;
  }
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  const float em = ImGui::GetFontSize();
  std::optional<ImVec2> a =
      place_of(context, chart, {view.selected_kernel, view.selected_block_size, ""});
  std::optional<ImVec2> b =
      view.against.kernel.empty() ? std::nullopt : place_of(context, chart, view.against);
  if (a && b && is_level(chart, view.against.kernel)) {
    b->x = a->x;
  } else if (a && b && is_level(chart, view.selected_kernel)) {
    a->x = b->x;
  }
  for (const std::optional<ImVec2>& at : {a, b}) {
    if (at) {
      list.AddCircle(*at, em * kRing, context.theme.focus, 0, em * 0.16F);
    }
  }
  const auto& pair = context.view.timings->pair;
  if (a && b && pair && pair->ratio > 0.0) {
    draw_arc(context, *a, *b, pair->ratio);
  }
}

Commands click_point(const Context& context, const Curve& curve, const Mark& mark) {
  const timing::Point& point = *mark.point;
  state::TimingView view = context.state.timing;
  view.problem = point.problem;
  const bool compares = ImGui::GetIO().KeyShift && !view.selected_kernel.empty();
  if (compares) {
    const state::TimedPoint clicked{point.kernel, point.block_size,
                                    curve.is_overlay ? curve.dataset : ""};
    const bool ends = clicked == view.against || is_selected(context, curve, mark);
    view.against = ends ? state::TimedPoint{} : clicked;
    return {state::SetTimingView{view}};
  }
  view.selected_kernel = point.kernel;
  view.selected_block_size = point.block_size;
  view.against = {};
  Commands commands = {state::SetTimingView{view}};
  if (curve.role == Role::Measured) {  // cuBLAS has no code for the stage
    commands.insert(commands.begin(), state::SelectKernel{analysis::stage_kernel(point)});
  }
  if (point.block_size > 0) {
    commands.push_back(state::SetTimedBlockSize{point.block_size});
  }
  return commands;
}

void mark_tooltip(const Curve& curve, const Mark& mark) {
  const timing::Statistics& s = mark.statistics;
  const std::string problem = analysis::to_text(mark.point->problem);
  std::string text = mark.block_size > 0
                         ? tr("{}, BLOCK_SIZE {}, {}", shown_name(curve), mark.block_size, problem)
                         : fmt::format("{}, {}", shown_name(curve), problem);
  text +=
      '\n' + tr("{:.0f} GFLOP/s  (median of {}, {:.4g} ms)", mark.gflops, s.samples, s.median_ms);
  text += '\n' + tr("quartiles {:.4g} … {:.4g} ms, extremes {:.4g} … {:.4g} ms", s.q1_ms, s.q3_ms,
                    s.min_ms, s.max_ms);
  if (!mark.won.empty()) {
    text += '\n' + mark.won;
  }
  if (!mark.point->note.empty()) {
    text += '\n';
    text += tr(mark.point->note.c_str());
  }
  text += '\n';
  text += tr("Click: explain it. Shift+click: compare with it. Double-click: go there.");
  ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace tilestep::ui
