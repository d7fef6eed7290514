#include "ui/timing/plot_labels.h"

#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "ui/theme.h"
#include "ui/timing/plot_style.h"
#include "ui/widgets.h"

#include <implot.h>

#include <algorithm>
#include <string>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Role;

constexpr float kRow = 1.3F;         // in font sizes, as all below
constexpr float kLeader = 2.4F;      // from the plot's edge to a name
constexpr float kWidest = 19.0F;     // of the column
constexpr float kNarrowest = 10.0F;  // likewise
constexpr float kPlot = 18.0F;       // that a plot keeps

// Ceilings of a roofline are named along their lines.
bool is_named(const Chart& chart, const Curve& curve) {
  return !curve.marks.empty() && !(chart.is_roofline && curve.role == Role::Ceiling);
}

std::string sign_of(const Curve& curve) {
  return curve.role == Role::Measured ? std::string(marker_of(curve).sign) + " " : "";
}

// 0 is named first.
int rank_of(const Context& context, const Curve& curve) {
  const state::TimingView& view = context.state.timing;
  const bool is_asked = curve.kernel == context.state.kernel ||
                        curve.kernel == view.selected_kernel || curve.kernel == view.against.kernel;
  const bool is_best = curve.kernel == problem::kBestBySize;
  if (curve.role != Role::Measured || ((is_asked || is_best) && !curve.is_overlay)) {
    return 0;
  }
  const auto& names = context.view.timings->request.names;
  const auto name = std::ranges::find(names, curve.kernel, &analysis::KernelName::id);
  const bool is_rung = name != names.end() && name->is_rung;
  return curve.is_overlay ? 3 : is_rung ? 1 : 2;
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
  // A name comes before its number.
  const bool has_end = width_of(context, curve) + em * 0.5F <= width;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const std::string name = cut_to(sign_of(curve) + shown_name(curve), width);
  list.AddText(at, colour, name.c_str());
  const float past = ImGui::CalcTextSize(name.c_str()).x;
  ImGui::PopFont();
  if (has_end) {
    list.AddText({at.x + past + em * 0.5F, at.y}, context.theme.text_dim, curve.end.c_str());
  }
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
  std::ranges::stable_sort(all, {},
                           [&](const LineLabel& label) { return rank_of(context, *label.curve); });
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

}  // namespace tilestep::ui
