#include "ui/timing/plot.h"

#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "ui/theme.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Curve;
using analysis::Mark;
using analysis::Role;

constexpr float kPickRadius = 1.2F;  // in font sizes
constexpr float kLevelRadius =
    0.7F;  // a level line's distance along x, relative to the nearest point's
constexpr float kBesideAxes = 5.5F;  // width of a plot's titles and numbers
constexpr float kTickWidth = 2.2F;   // width of a number along its axis
constexpr float kTickHeight = 1.2F;
constexpr float kRoomForNames = 20.0F;  // in font sizes: smaller plots do not name families
constexpr float kLibraryDash = 0.2F;
constexpr float kBestWidth = 0.34F;  // in font sizes: visible on both sides of a line over it
constexpr float kDash = 0.5F;        // in font sizes

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

// ImPlot has no dashes: the line is cut into pieces of equal length in pixels.
void draw_dashed(const Curve& curve, const std::string& label, float dash, const ImPlotSpec& line) {
  std::vector<double> x;
  std::vector<double> y;
  float past = 0.0F;  // length of the line so far
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
  ImPlotSpec spec = line;
  spec.Flags = ImPlotLineFlags_Segments;
  ImPlot::PlotLine(label.c_str(), x.data(), y.data(), static_cast<int>(x.size()), spec);
}

// Markers of neighbors do not touch, so that the line and its points stay readable.
float most_of_marker(const Values& values) {
  constexpr float kOfDistance = 0.42F;
  float distance = FLT_MAX;
  for (std::size_t i = 1; i < values.x.size(); ++i) {
    distance = std::min(distance, ImPlot::PlotToPixels(values.x[i], values.y[i]).x -
                                      ImPlot::PlotToPixels(values.x[i - 1], values.y[i - 1]).x);
  }
  return std::max(kOfDistance * distance, 2.0F);
}

void draw_measured(const Context& context, const Chart& chart, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const bool chosen = is_on_stage(context, curve);
  const bool is_best = curve.kernel == problem::kBestBySize;
  const ImU32 colour = with_alpha(curve_colour(context.theme, curve), chosen ? 1.0F : 0.6F);
  const Marker& marker = marker_of(curve);
  const std::string label = fmt::format("{} {}", marker.sign, shown_name(curve));
  const Values values(curve);
  ImPlotSpec spec = line_spec(colour, em * (chosen             ? 0.24F
                                            : curve.is_overlay ? 0.06F
                                            : is_best          ? kBestWidth
                                                               : 0.1F));
  spec.Marker = marker.shape;
  const float smallest = chart.is_roofline ? 0.32F : 0.24F;
  spec.MarkerSize = em * (chosen ? smallest + 0.12F : smallest);
  spec.MarkerLineColor = spec.LineColor;
  spec.MarkerFillColor = spec.LineColor;
  if (curve.is_overlay) {
    spec.MarkerFillColor = ImGui::ColorConvertU32ToFloat4(context.theme.panel);
  }
  if (chart.is_roofline) {
    // A kernel's two points: all traffic, and its global part, which is hollow.
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
  spec.MarkerSize = std::min(spec.MarkerSize, most_of_marker(values));
  ImPlotSpec whiskers = line_spec(colour, em * 0.08F);
  whiskers.Size = std::min(em * 0.2F, spec.MarkerSize);
  ImPlot::PlotErrorBars(label.c_str(), values.x.data(), values.y.data(), values.below.data(),
                        values.above.data(), values.count(), whiskers);
  if (is_dashed(curve)) {
    ImPlotSpec line = spec;
    line.Marker = ImPlotMarker_None;
    draw_dashed(curve, label, 2.0F * kDash * em, line);
    ImPlot::PlotScatter(label.c_str(), values.x.data(), values.y.data(), values.count(), spec);
    return;
  }
  ImPlot::PlotLine(label.c_str(), values.x.data(), values.y.data(), values.count(), spec);
}

// Drawn in the text's color, because it is often over its own measurement.
void draw_predicted(const Context& context, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  draw_dashed(curve, "##" + curve.name, kDash * em, line_spec(context.theme.text, em * 0.14F));
}

// The user's drawing: dots along a thin line.
void draw_drawn(const Context& context, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const Values values(curve);
  ImPlotSpec spec = line_spec(curve_colour(context.theme, curve), em * 0.16F);
  spec.Marker = ImPlotMarker_Circle;
  spec.MarkerSize = em * 0.22F;
  spec.MarkerLineColor = spec.LineColor;
  spec.MarkerFillColor = ImGui::ColorConvertU32ToFloat4(context.theme.panel);
  ImPlot::PlotLine("##drawn", values.x.data(), values.y.data(), values.count(), spec);
}

// cuBLAS has no BLOCK_SIZE: along that axis it is a line across the plot.
void draw_library(const Context& context, const Chart& chart, const Curve& curve) {
  const float em = ImGui::GetFontSize();
  const ImPlotSpec spec = line_spec(curve_colour(context.theme, curve), em * 0.17F);
  const Values values(curve);
  // cuBLAS and its TF32 are solid lines; the other ways to call it have dashes of their own.
  if (values.count() > 1 && curve.style % 2 + curve.style / 3 > 0) {
    draw_dashed(curve, curve.name, em * kLibraryDash * static_cast<float>(curve.style), spec);
    return;
  }
  if (values.count() > 1) {
    ImPlot::PlotLine(curve.name.c_str(), values.x.data(), values.y.data(), values.count(), spec);
    return;
  }
  const double x[] = {chart.x.low, chart.x.high};
  const double y[] = {values.y[0], values.y[0]};
  ImPlot::PlotLine(curve.name.c_str(), x, y, 2, spec);
}

// A ceiling's name for less and less room: "L2 8.6 TB/s", the same in two lines, "L2".
std::array<std::string, 3> shorter_and_shorter(const std::string& name) {
  std::string two_lines = name;
  const std::size_t unit = name.rfind(' ');
  const std::size_t number = unit == std::string::npos ? unit : name.rfind(' ', unit - 1);
  if (number != std::string::npos) {
    two_lines[number] = '\n';
  }
  return {name, two_lines, name.substr(0, name.find(' '))};
}

// The x of a rising ceiling at a height, in pixels.
float x_at(const Curve& ceiling, float y) {
  const ImVec2 from = ImPlot::PlotToPixels(ceiling.marks[0].x, ceiling.marks[0].y);
  const ImVec2 to = ImPlot::PlotToPixels(ceiling.marks[1].x, ceiling.marks[1].y);
  return to.x + (to.x - from.x) / (to.y - from.y) * (y - to.y);
}

// The name of a rising ceiling is below its upper end: right of the last one, left of the others if
// it reaches neither the ceiling before it nor the axis.
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

// The name of a level ceiling is above its right end.
void name_level(const Context& context, const Curve& curve, ImVec2 end) {
  const float em = ImGui::GetFontSize();
  const float right = std::min(end.x - em * 2.0F, ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x);
  const std::string name = cut_to(curve.name, right - ImPlot::GetPlotPos().x);
  ImPlot::GetPlotDrawList()->AddText(
      {right - ImGui::CalcTextSize(name.c_str()).x, end.y - em * 1.3F}, context.theme.text,
      name.c_str());
}

void draw_ceilings(const Context& context, const Chart& chart) {
  const float em = ImGui::GetFontSize();
  std::vector<const Curve*> rising;
  for (const Curve& curve : chart.curves) {
    if (curve.role != Role::Ceiling || curve.marks.empty()) {
      continue;
    }
    const Values values(curve);
    if (!chart.is_roofline) {  // named at its end
      draw_dashed(curve, "##" + curve.name, kDash * em,
                  line_spec(context.theme.text_dim, em * 0.12F));
      continue;
    }
    ImPlot::PlotLine(("##" + curve.name).c_str(), values.x.data(), values.y.data(), values.count(),
                     line_spec(context.theme.text_dim, em * 0.12F));
    if (values.y[0] != values.y[1]) {
      rising.push_back(&curve);
      continue;
    }
    name_level(context, curve, ImPlot::PlotToPixels(values.x[1], values.y[1]));
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
    if (curve.role != Role::Measured && curve.role != Role::Library) {
      continue;
    }
    // A level line is one point, at any x.
    const bool is_level = curve.role == Role::Library && curve.marks.size() == 1;
    for (const Mark& mark : curve.marks) {
      const ImVec2 at = ImPlot::PlotToPixels(mark.x, mark.y);
      const float across = is_level ? kLevelRadius * best.distance : at.x - mouse.x;
      const float distance = std::hypot(across, at.y - mouse.y);
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
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && picked.curve->role == Role::Measured) {
    commands.push_back(state::OpenOnStage{analysis::stage_kernel(*picked.mark->point),
                                          picked.mark->point->block_size});
  } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    append(commands, click_point(context, *picked.curve, *picked.mark));
  }
}

// `most`: of tick labels.
void setup_axis(ImAxis axis, const analysis::Axis& wanted, float most) {
  if (wanted.is_log) {
    ImPlot::SetupAxisScale(axis, ImPlotScale_Log10);
  }
  ImPlot::SetupAxisLimits(axis, wanted.low, wanted.high, ImPlotCond_Always);
  const std::vector<double> ticks = analysis::ticks_with_room(wanted, most);
  std::vector<std::string> names;
  std::vector<const char*> labels;
  for (const double tick : ticks) {
    names.push_back(analysis::tick_text(wanted, tick));
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
        draw_predicted(context, curve);
        break;
      case Role::Drawn:
        draw_drawn(context, curve);
        break;
      case Role::Measured:
        draw_measured(context, chart, curve);
        break;
    }
  }
}

// A line at the stage's BLOCK_SIZE.
void draw_block_size(const Context& context, const Chart& chart) {
  const float em = ImGui::GetFontSize();
  if (chart.x_is_block_size) {
    const double x = context.state.parameters.block_size;
    ImPlot::GetPlotDrawList()->AddLine(ImPlot::PlotToPixels(x, chart.y.high),
                                       ImPlot::PlotToPixels(x, chart.y.low),
                                       with_alpha(context.theme.focus, 0.35F), em * 0.12F);
  }
}

// The legend of the colors, in the free corner.
void name_families(const Context& context, const Chart& chart) {
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  const std::vector<std::string>& families = context.view.timing.shown->request.families;
  std::map<std::size_t, const Curve*> shown;
  for (const Curve& curve : chart.curves) {
    if (curve.role == Role::Measured && !curve.is_wrong && curve.family < families.size()) {
      shown.emplace(curve.family, &curve);
    }
  }
  const ImVec2 corner{ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x,
                      ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y};
  float y = corner.y - em * (1.3F * static_cast<float>(shown.size()) + 0.5F);
  for (const auto& [family, curve] : shown) {
    const std::string name = tr(families[family].c_str());
    const float left = corner.x - ImGui::CalcTextSize(name.c_str()).x - em * 0.8F;
    list.AddCircleFilled({left - em * 0.7F, y + em * 0.5F}, em * 0.28F,
                         curve_colour(context.theme, *curve));
    list.AddText({left, y}, context.theme.text_dim, name.c_str());
    y += em * 1.3F;
  }
}

// Says in the corner above the roof why points are missing.
void say_what_is_counted(const Context& context) {
  if (context.view.timing.uncounted == 0) {
    return;
  }
  std::string names;
  for (const std::string& name : context.view.timing.counting) {
    names += (names.empty() ? "" : " · ") + name;
  }
  const float em = ImGui::GetFontSize();
  const ImVec2 corner = ImPlot::GetPlotPos();
  ImPlot::GetPlotDrawList()->AddText(
      {corner.x + 0.6F * em, corner.y + 0.5F * em}, context.theme.text,
      (names.empty() ? tr("Points left to count: {}.", context.view.timing.uncounted)
                     : tr("Points left to count for {}: {}.", names, context.view.timing.uncounted))
          .c_str());
}

void draw_inside(const Context& context, const Chart& chart, ImVec2 size, Commands& commands) {
  const float em = ImGui::GetFontSize();
  ImPlot::SetupAxes(chart.x.title.c_str(), chart.y.title.c_str());
  setup_axis(ImAxis_X1, chart.x, (size.x / em - kBesideAxes) / kTickWidth);
  setup_axis(ImAxis_Y1, chart.y, (size.y / em - kBesideAxes) / kTickHeight);
  const ImVec2 room = ImPlot::GetPlotSize();
  if (!chart.is_roofline && chart.y.is_log && room.x > kRoomForNames * em &&
      room.y > kRoomForNames * em) {
    name_families(context, chart);
  }
  draw_curves(context, chart);
  if (chart.is_roofline) {
    say_what_is_counted(context);
  }
  draw_block_size(context, chart);
  draw_pair(context, chart);
  if (context.state.timing.guess.hides(context.state.timing.guess.kernel)) {
    append(commands, draw_guess_in_plot(context, chart));
  } else {
    pick(context, chart, commands);
  }
}

}  // namespace

Commands draw_chart(const Context& context, const Chart& chart) {
  Commands commands;
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_LegendBg, context.theme.raised);
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, with_alpha(context.theme.text_dim, 0.5F));
  // ImPlot stores axes by id, so another title is another plot.
  const std::string id = "##" + chart.title + (chart.y.is_log ? "log" : "linear");
  ImVec2 size = ImGui::GetContentRegionAvail();
  const float names = width_of_labels(context, chart, size.x);
  size.x -= names;
  if (ImPlot::BeginPlot(id.c_str(), size,
                        ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoLegend)) {
    draw_inside(context, chart, size, commands);
    const ImVec2 at = ImPlot::GetPlotPos();
    const ImVec2 inner = ImPlot::GetPlotSize();
    std::vector<LineLabel> labels =
        names > 0.0F ? line_ends(context, chart) : std::vector<LineLabel>{};
    ImPlot::EndPlot();
    if (names > 0.0F) {
      draw_labels(context, std::move(labels), {at.x + inner.x, at.y}, {names, inner.y});
    }
  }
  ImPlot::PopStyleColor(4);
  return commands;
}

}  // namespace tilestep::ui
