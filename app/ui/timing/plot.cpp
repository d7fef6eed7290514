#include "ui/timing/plot.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Mark;
using analysis::Role;

// A curve's marker also stands before its name: colours alone tell five curves apart, and none to
// some readers. All of them can be hollow.
struct Marker {
  ImPlotMarker shape;
  const char* sign;
};
constexpr std::array kMarkers{
    Marker{ImPlotMarker_Circle, icon::kCircle}, Marker{ImPlotMarker_Square, icon::kSquare},
    Marker{ImPlotMarker_Diamond, icon::kDiamond}, Marker{ImPlotMarker_Up, icon::kUp},
    Marker{ImPlotMarker_Down, icon::kDown}};
constexpr float kPickRadius = 1.2F;  // in font sizes
constexpr float kDash = 0.5F;        // in font sizes

// No two curves share colour and marker before there are 25.
const Marker& marker_of(const Theme& theme, const Curve& curve) {
  return kMarkers[(curve.style + curve.style / theme.blocks.size()) % kMarkers.size()];
}

struct Values {
  std::vector<double> x, y, below, above;

  explicit Values(const Curve& curve) {
    for (const Mark& mark : curve.marks) {
      x.push_back(mark.x);
      y.push_back(mark.y);
      below.push_back(mark.below);
      above.push_back(mark.above);
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(x.size()); }
};

ImPlotSpec line_spec(ImU32 colour, float weight) {
  ImPlotSpec spec;
  spec.LineColor = ImGui::ColorConvertU32ToFloat4(colour);
  spec.LineWeight = weight;
  return spec;
}

bool is_on_stage(const Context& context, const Curve& curve) {
  return curve.kernel == context.state.kernel && !curve.is_overlay;
}

void draw_measured(const Context& context, const Chart& chart, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const bool chosen = is_on_stage(context, curve);
  const ImU32 colour = with_alpha(curve_colour(context.theme, curve), chosen ? 1.0F : 0.6F);
  const Marker& marker = marker_of(context.theme, curve);
  const std::string label = fmt::format("{} {}", marker.sign, curve.name);
  const Values values(curve);
  ImPlotSpec spec = line_spec(colour, em * (chosen ? 0.24F : curve.is_overlay ? 0.06F : 0.1F));
  spec.Marker = marker.shape;
  const float smallest = chart.is_roofline ? 0.32F : 0.24F;
  spec.MarkerSize = em * (chosen ? smallest + 0.12F : smallest);
  spec.MarkerLineColor = spec.LineColor;
  spec.MarkerFillColor = spec.LineColor;
  if (curve.is_overlay) {
    spec.MarkerFillColor = ImGui::ColorConvertU32ToFloat4(context.theme.panel);
  }
  if (chart.is_roofline) {
    // The two points of a kernel: of all traffic, and of its global part, hollow.
    ImPlotSpec hollow = spec;
    hollow.MarkerFillColor = ImGui::ColorConvertU32ToFloat4(context.theme.panel);
    ImPlot::PlotLine(label.c_str(), values.x.data(), values.y.data(), values.count(),
                     line_spec(with_alpha(colour, 0.4F), em * 0.06F));
    if (values.count() > 1) {
      ImPlot::PlotScatter(label.c_str(), &values.x[1], &values.y[1], 1, hollow);
    }
    ImPlot::PlotScatter(label.c_str(), values.x.data(), values.y.data(), 1, spec);
    return;
  }
  ImPlotSpec whiskers = line_spec(colour, em * 0.08F);
  whiskers.Size = em * 0.2F;
  ImPlot::PlotErrorBars(label.c_str(), values.x.data(), values.y.data(), values.below.data(),
                        values.above.data(), values.count(), whiskers);
  ImPlot::PlotLine(label.c_str(), values.x.data(), values.y.data(), values.count(), spec);
}

// ImPlot has no dashes: the line cut into pieces of equal length in pixels.
void draw_dashed(const Context& context, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const float dash = kDash * em;
  std::vector<double> x;
  std::vector<double> y;
  float past = 0.0F;  // of the line so far
  for (std::size_t i = 1; i < curve.marks.size(); ++i) {
    const ImVec2 from = ImPlot::PlotToPixels(curve.marks[i - 1].x, curve.marks[i - 1].y);
    const ImVec2 to = ImPlot::PlotToPixels(curve.marks[i].x, curve.marks[i].y);
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const int first = static_cast<int>(past / (2.0F * dash));
    const int last = static_cast<int>((past + length) / (2.0F * dash));
    for (int k = first; k <= last; ++k) {
      const float start = std::max(2.0F * dash * static_cast<float>(k) - past, 0.0F);
      const float end = std::min(2.0F * dash * static_cast<float>(k) + dash - past, length);
      for (const float at : {start, end}) {
        if (start < end) {
          const float share = at / length;
          const ImPlotPoint point = ImPlot::PixelsToPlot(from.x + (to.x - from.x) * share,
                                                         from.y + (to.y - from.y) * share);
          x.push_back(point.x);
          y.push_back(point.y);
        }
      }
    }
    past += length;
  }
  // In the text's colour: it often lies on its own measurement.
  ImPlotSpec spec = line_spec(context.theme.text, em * 0.14F);
  spec.Flags = ImPlotLineFlags_Segments;
  ImPlot::PlotLine(("╌ " + curve.name).c_str(), x.data(), y.data(), static_cast<int>(x.size()),
                   spec);
}

// cuBLAS has no BLOCK_SIZE: over it, a line across the plot with its number.
void draw_library(const Context& context, const Chart& chart, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const ImU32 colour = curve_colour(context.theme, curve);
  const Values values(curve);
  if (values.count() > 1) {
    ImPlot::PlotLine(curve.name.c_str(), values.x.data(), values.y.data(), values.count(),
                     line_spec(colour, em * 0.17F));
    return;
  }
  const double x[] = {chart.x.low, chart.x.high};
  const double y[] = {values.y[0], values.y[0]};
  ImPlot::PlotLine(curve.name.c_str(), x, y, 2, line_spec(colour, em * 0.17F));
  const std::string label = fmt::format("{}  {:.0f}", curve.name, values.y[0]);
  ImPlot::PlotText(label.c_str(), chart.x.low + 0.6, values.y[0],
                   {ImGui::CalcTextSize(label.c_str()).x * 0.5F, -em * 0.8F});
}

// What a ceiling may be called where there is less and less room: "L2 8.6 TB/s", the same in two
// lines, "L2".
std::array<std::string, 3> shorter_and_shorter(const std::string& name) {
  std::string two_lines = name;
  const std::size_t unit = name.rfind(' ');
  const std::size_t number = unit == std::string::npos ? unit : name.rfind(' ', unit - 1);
  if (number != std::string::npos) {
    two_lines[number] = '\n';
  }
  return {name, two_lines, name.substr(0, name.find(' '))};
}

// Where a rising ceiling is at a height, in pixels.
float x_at(const Curve& ceiling, float y) {
  const ImVec2 from = ImPlot::PlotToPixels(ceiling.marks[0].x, ceiling.marks[0].y);
  const ImVec2 to = ImPlot::PlotToPixels(ceiling.marks[1].x, ceiling.marks[1].y);
  return to.x + (to.x - from.x) / (to.y - from.y) * (y - to.y);
}

// The name of a rising ceiling stands below its upper end: right of the last one, left of the
// others, and there as long as it reaches neither the ceiling before it nor the axis.
void name_rising(const Context& context, const std::vector<const Curve*>& rising) {
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  for (std::size_t i = 0; i < rising.size(); ++i) {
    const Curve& curve = *rising[i];
    const float top = ImPlot::PlotToPixels(curve.marks[1].x, curve.marks[1].y).y +
                      em * (0.7F + 2.0F * static_cast<float>(i));
    if (i + 1 == rising.size()) {
      list.AddText({x_at(curve, top + em) + em * 0.6F, top + em * 0.5F}, context.theme.text,
                   curve.name.c_str());
      break;
    }
    const float taken = i == 0 ? ImPlot::GetPlotPos().x : x_at(*rising[i - 1], top);
    for (const std::string& name : shorter_and_shorter(curve.name)) {
      const ImVec2 size = ImGui::CalcTextSize(name.c_str());
      const float left = x_at(curve, top + size.y) - em * 0.3F - size.x;
      if (left > taken + em * 0.3F) {
        list.AddText({left, top}, context.theme.text, name.c_str());
        break;
      }
    }
  }
}

void draw_ceilings(const Context& context, const Chart& chart) {
  const float em = ImGui::GetFontSize();
  std::vector<const Curve*> rising;
  for (const Curve& curve : chart.curves) {
    if (curve.role != Role::Ceiling || curve.marks.empty()) {
      continue;
    }
    const Values values(curve);
    ImPlot::PlotLine(("##" + curve.name).c_str(), values.x.data(), values.y.data(), values.count(),
                     line_spec(context.theme.text_dim, em * 0.12F));
    if (values.y[0] != values.y[1]) {
      rising.push_back(&curve);
      continue;
    }
    const float width = ImGui::CalcTextSize(curve.name.c_str()).x;
    const ImVec2 end = ImPlot::PlotToPixels(values.x[1], values.y[1]);
    ImPlot::GetPlotDrawList()->AddText({end.x - width - em * 2.0F, end.y - em * 1.3F},
                                       context.theme.text, curve.name.c_str());
  }
  name_rising(context, rising);
}

struct Picked {
  const Curve* curve = nullptr;
  const Mark* mark = nullptr;
  float distance = 0.0F;
};

Picked nearest_mark(const Chart& chart) {
  const ImVec2 mouse = ImGui::GetMousePos();
  Picked best;
  best.distance = kPickRadius * ImGui::GetFontSize();
  for (const Curve& curve : chart.curves) {
    if (curve.role != Role::Measured) {
      continue;
    }
    for (const Mark& mark : curve.marks) {
      const ImVec2 at = ImPlot::PlotToPixels(mark.x, mark.y);
      const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
      if (distance < best.distance) {
        best = {&curve, &mark, distance};
      }
    }
  }
  return best;
}

void pick(const Context& context, const Chart& chart, Commands& commands) {
  if (!ImPlot::IsPlotHovered()) {
    return;
  }
  const Picked picked = nearest_mark(chart);
  if (picked.mark == nullptr || picked.mark->point == nullptr) {
    return;
  }
  mark_tooltip(*picked.curve, *picked.mark);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    commands.push_back(
        state::OpenOnStage{picked.mark->point->kernel, picked.mark->point->block_size});
  } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    append(commands, select_point(context, *picked.mark->point));
  }
}

void setup_axis(ImAxis axis, const analysis::Axis& wanted) {
  if (wanted.is_log) {
    ImPlot::SetupAxisScale(axis, ImPlotScale_Log10);
  }
  ImPlot::SetupAxisLimits(axis, wanted.low, wanted.high, ImPlotCond_Always);
  const std::vector<double> ticks = analysis::ticks_of(wanted);
  std::vector<std::string> names;
  std::vector<const char*> labels;
  for (const double tick : ticks) {
    names.push_back(fmt::format("{:g}", tick));
  }
  for (const std::string& name : names) {
    labels.push_back(name.c_str());
  }
  ImPlot::SetupAxisTicks(axis, ticks.data(), static_cast<int>(ticks.size()), labels.data());
}

void draw_curves(const Context& context, const Chart& chart) {
  draw_ceilings(context, chart);
  for (const Curve& curve : chart.curves) {
    if (curve.marks.empty()) {
      continue;
    }
    switch (curve.role) {
      case Role::Ceiling:
        break;
      case Role::Library:
        draw_library(context, chart, curve);
        break;
      case Role::Predicted:
        draw_dashed(context, curve);
        break;
      case Role::Measured:
        draw_measured(context, chart, curve);
        break;
    }
  }
}

// Where the stage's BLOCK_SIZE lies, and the selected point.
void draw_marks(const Context& context, const Chart& chart) {
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  if (chart.x_is_block_size) {
    const double x = context.state.parameters.block_size;
    list.AddLine(ImPlot::PlotToPixels(x, chart.y.high), ImPlot::PlotToPixels(x, chart.y.low),
                 with_alpha(context.theme.focus, 0.35F), em * 0.12F);
  }
  for (const Curve& curve : chart.curves) {
    for (const Mark& mark : curve.marks) {
      if (curve.role == Role::Measured && is_selected(context, mark)) {
        list.AddCircle(ImPlot::PlotToPixels(mark.x, mark.y), em * 0.55F, context.theme.focus, 0,
                       2.5F);
      }
    }
  }
}

}  // namespace

ImU32 curve_colour(const Theme& theme, const Curve& curve) {
  if (curve.role == Role::Library) {
    return curve.kernel == timing::kCublas ? theme.good : theme.text_dim;
  }
  return theme.blocks[(curve.style * 2 + 2) % theme.blocks.size()];
}

bool is_selected(const Context& context, const Mark& mark) {
  const state::TimingView& view = context.state.timing;
  return mark.point != nullptr && mark.point->kernel == view.selected_kernel &&
         mark.point->block_size == view.selected_block_size && mark.point->problem == view.problem;
}

Commands select_point(const Context& context, const timing::Point& point) {
  state::TimingView view = context.state.timing;
  view.selected_kernel = point.kernel;
  view.selected_block_size = point.block_size;
  view.problem = point.problem;
  Commands commands = {state::SelectKernel{point.kernel}, state::SetTimingView{view}};
  if (point.block_size > 0) {
    commands.push_back(state::SetTimedBlockSize{point.block_size});
  }
  return commands;
}

void mark_tooltip(const Curve& curve, const Mark& mark) {
  const timing::Statistics& s = mark.statistics;
  std::string text = fmt::format(
      "{}, BLOCK_SIZE {}, {}\n{:.0f} GFLOP/s  (median of {}, {:.4g} ms)", curve.name,
      mark.block_size, analysis::to_text(mark.point->problem), mark.gflops, s.samples, s.median_ms);
  text += fmt::format("\nquartiles {:.4g} … {:.4g} ms, extremes {:.4g} … {:.4g} ms", s.q1_ms,
                      s.q3_ms, s.min_ms, s.max_ms);
  text += "\nClick: explain it and set it on the stage. Double-click: go there.";
  ImGui::SetTooltip("%s", text.c_str());
}

Commands draw_chart(const Context& context, const Chart& chart) {
  Commands commands;
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_LegendBg, context.theme.raised);
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, with_alpha(context.theme.text_dim, 0.5F));
  // A plot of another title is another plot: ImPlot remembers axes by it.
  const std::string id = "##" + chart.title + (chart.y.is_log ? "log" : "linear");
  if (ImPlot::BeginPlot(id.c_str(), ImGui::GetContentRegionAvail(), ImPlotFlags_NoMenus)) {
    ImPlot::SetupAxes(chart.x.title.c_str(), chart.y.title.c_str());
    setup_axis(ImAxis_X1, chart.x);
    setup_axis(ImAxis_Y1, chart.y);
    ImPlot::SetupLegend(ImPlotLocation_East, ImPlotLegendFlags_Outside);
    draw_curves(context, chart);
    draw_marks(context, chart);
    pick(context, chart, commands);
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleColor(4);
  return commands;
}

}  // namespace tilestep::ui
