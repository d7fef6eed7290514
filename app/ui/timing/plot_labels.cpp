#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "ui/theme.h"
#include "ui/timing/plot.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace tilestep::ui {

using analysis::Curve;
using analysis::Role;

namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Mark;
using analysis::Role;

constexpr float kRow = 1.3F;         // in font sizes, as all below
constexpr float kLeader = 2.4F;      // from the plot's edge to a name
constexpr float kWidest = 19.0F;     // of the column
constexpr float kNarrowest = 10.0F;  // of the column
constexpr float kPlot = 18.0F;       // least width of the plot

// The ceilings of a roofline are named along their lines.
bool is_named(const Chart& chart, const Curve& curve) {
  return !curve.marks.empty() && !(chart.is_roofline && curve.role == Role::Ceiling);
}

std::string sign_of(const Curve& curve) {
  return curve.role == Role::Measured ? std::string(marker_of(curve).sign) + " " : "";
}

constexpr std::size_t kFastest = 2;  // curves that are named first

// 0 is named first.
int rank_of(const Context& context, const Curve& curve) {
  const state::TimingView& view = context.state.timing;
  const bool is_asked = curve.kernel == context.state.kernel ||
                        curve.kernel == view.selected_kernel || curve.kernel == view.against.kernel;
  const bool is_best = curve.kernel == problem::kBestBySize;
  if (curve.role != Role::Measured || ((is_asked || is_best) && !curve.is_overlay)) {
    return 0;
  }
  const auto& names = context.view.timing.shown->request.names;
  const auto name = std::ranges::find(names, curve.kernel, &analysis::KernelName::id);
  const bool is_rung = name != names.end() && name->is_rung;
  return curve.is_overlay ? 3 : is_rung ? 1 : 2;
}

std::string wrong_words(const Curve& curve) {
  return curve.is_wrong ? tr(", wrong result") : "";
}

float width_of(const Context& context, const Curve& curve) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const float name = ImGui::CalcTextSize((sign_of(curve) + shown_name(curve)).c_str()).x;
  ImGui::PopFont();
  return name + ImGui::CalcTextSize(("  " + curve.end).c_str()).x;
}

void draw_label(const Context& context, const Curve& curve, ImVec2 at, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const ImU32 colour = curve_colour(context.theme, curve);
  // The name has priority over its number.
  const bool has_end = width_of(context, curve) + em * 0.5F <= width;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const std::string wrong = wrong_words(curve);
  const std::string name =
      cut_to(sign_of(curve) + curve.name, width - ImGui::CalcTextSize(wrong.c_str()).x) + wrong;
  list.AddText(at, colour, name.c_str());
  const float past = ImGui::CalcTextSize(name.c_str()).x;
  ImGui::PopFont();
  if (has_end) {
    list.AddText({at.x + past + em * 0.5F, at.y}, context.theme.text_dim, curve.end.c_str());
  }
}

constexpr float kRing = 0.55F;  // in font sizes, as all below
constexpr float kRise = 1.9F;   // height of the arc over its points
constexpr float kAside = 2.6F;  // of the arc beside points that are above each other

// Whether the curve is of the point's kernel, in the chosen data set or that of an overlay.
bool is_of(const Curve& curve, const state::TimedPoint& point) {
  return curve.kernel == point.kernel &&
         (point.dataset.empty() ? !curve.is_overlay : curve.dataset == point.dataset);
}

// The point's position; on a level line, at the other point's x; nullopt: it is not on this plot.
std::optional<ImVec2> place_of(const Context& context, const Chart& chart,
                               const state::TimedPoint& point) {
  for (const Curve& curve : chart.curves) {
    const bool drawn = curve.role == Role::Measured || curve.role == Role::Library;
    for (const Mark& mark : drawn&& is_of(curve, point) ? curve.marks : std::vector<Mark>{}) {
      const bool same_problem =
          mark.point != nullptr &&
          mark.point->problem == context.view.timing.shown->request.view.problem;
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

constexpr std::array kMarkers{
    Marker{ImPlotMarker_Circle, icon::kCircle}, Marker{ImPlotMarker_Square, icon::kSquare},
    Marker{ImPlotMarker_Diamond, icon::kDiamond}, Marker{ImPlotMarker_Up, icon::kUp},
    Marker{ImPlotMarker_Down, icon::kDown}};
constexpr Marker kWrong{ImPlotMarker_Cross, icon::kError};

// In the catalog's order of families: one block, global memory, tiles, strips, several elements per
// thread, near cuBLAS, broken on purpose; then kernels without a family, such as the user's.
ImU32 family_colour(const Theme& theme, std::size_t family) {
  const std::array<ImU32, 8> colours{theme.blocks[2],     theme.roles[0].line, theme.roles[1].line,
                                     theme.roles[2].line, theme.roles[3].line, theme.blocks[3],
                                     theme.bad,           theme.blocks[0]};
  return colours[family % colours.size()];
}

}  // namespace

float width_of_labels(const Context& context, const Chart& chart, float room) {
  const float em = ImGui::GetFontSize();
  if (room - kNarrowest * em < kPlot * em) {
    return 0.0F;
  }
  float widest = kNarrowest * em;
  for (const Curve& curve : chart.curves) {
    if (is_named(chart, curve)) {
      widest = std::max(widest, width_of(context, curve) + (kLeader + 1.0F) * em);
    }
  }
  return std::min({widest, kWidest * em, room - kPlot * em});
}

std::vector<LineLabel> line_ends(const Context& context, const Chart& chart) {
  std::vector<LineLabel> all;
  const ImVec2 plot = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  for (const Curve& curve : chart.curves) {
    if (!is_named(chart, curve)) {
      continue;
    }
    const analysis::Mark& last = curve.marks.back();
    ImVec2 end = ImPlot::PlotToPixels(last.x, last.y);
    if (curve.role == Role::Library && curve.marks.size() == 1) {
      end.x = plot.x + size.x;
    }
    all.push_back({&curve, {std::min(end.x, plot.x + size.x), end.y}});
  }
  // The fastest ones have names where others have no room.
  std::vector<float> ends;
  for (const LineLabel& label : all) {
    if (label.curve->role == Role::Measured) {
      ends.push_back(label.end.y);
    }
  }
  std::ranges::sort(ends);
  const float fast = ends.empty() ? 0.0F : ends[std::min(kFastest, ends.size()) - 1];
  std::ranges::stable_sort(all, {}, [&](const LineLabel& label) {
    const bool is_fast = label.curve->role == Role::Measured && label.end.y <= fast;
    return is_fast ? 0 : rank_of(context, *label.curve);
  });
  return all;
}

void draw_labels(const Context& context, std::vector<LineLabel> labels, ImVec2 at, ImVec2 size) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float row = kRow * em;
  const auto room = static_cast<std::size_t>(std::max(1.0F, size.y / row));
  const std::size_t left_out = labels.size() > room ? labels.size() - room + 1 : 0;
  labels.resize(labels.size() - left_out);
  const float bottom = at.y + size.y - (left_out > 0 ? row : 0.0F);
  std::vector<double> wanted;
  for (const LineLabel& label : labels) {
    wanted.push_back(label.end.y);
  }
  const std::vector<double> places = analysis::spread_labels(wanted, row, at.y, bottom);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto middle = static_cast<float>(places[i]);
    const ImU32 thin = with_alpha(curve_colour(context.theme, *labels[i].curve), 0.5F);
    const float elbow = at.x + em * 0.3F;
    list.AddLine({labels[i].end.x + em * 0.35F, labels[i].end.y}, {elbow, labels[i].end.y}, thin);
    list.AddLine({elbow, labels[i].end.y}, {at.x + (kLeader - 0.3F) * em, middle}, thin);
    draw_label(context, *labels[i].curve, {at.x + kLeader * em, middle - em * 0.5F},
               size.x - kLeader * em);
  }
  if (left_out > 0) {
    list.AddText({at.x + kLeader * em, bottom}, context.theme.text_dim,
                 tr("and {} more", left_out).c_str());
  }
}

bool is_selected(const Context& context, const Curve& curve, const Mark& mark) {
  const state::TimingView& view = context.state.timing;
  return mark.point != nullptr && !curve.is_overlay && mark.point->kernel == view.selected_kernel &&
         mark.point->block_size == view.selected_block_size &&
         mark.point->problem == context.view.timing.shown->request.view.problem;
}

bool is_compared(const Context& context, const Curve& curve, const Mark& mark) {
  const state::TimedPoint& against = context.state.timing.against;
  return mark.point != nullptr && is_of(curve, against) &&
         mark.point->block_size == against.block_size &&
         mark.point->problem == context.view.timing.shown->request.view.problem;
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
  const auto& pair = context.view.timing.shown->pair;
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
  text +=
      tr("Click: explain this point. Shift+click: compare with it. Double-click: show it on the "
         "stage.");
  ImGui::SetTooltip("%s", text.c_str());
}

const Marker& marker_of(const Curve& curve) {
  return curve.is_wrong ? kWrong : kMarkers[curve.style % kMarkers.size()];
}

bool is_dashed(const Curve& curve) {
  return curve.style / kMarkers.size() % 2 == 1;
}

ImU32 curve_colour(const Theme& theme, const Curve& curve) {
  switch (curve.role) {
    case Role::Library:
      return curve.kernel == timing::kCublas ? theme.good : theme.text_dim;
    case Role::Ceiling:
    case Role::Predicted:
      return theme.text;
    case Role::Drawn:
      return theme.blocks[1];
    case Role::Measured:
      break;
  }
  if (curve.kernel == problem::kBestBySize) {
    return theme.blocks[1];  // as for drawings, which are never on the same page
  }
  return curve.is_wrong ? theme.bad : family_colour(theme, curve.family);
}

std::string shown_name(const Curve& curve) {
  return curve.name + wrong_words(curve);
}

}  // namespace tilestep::ui
