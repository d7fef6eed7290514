#include "ui/timing_panel.h"

#include "ui/icons.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/timing_series.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

// A curve's marker also stands before its name: colours alone tell five curves apart, and none to
// some readers.
struct Marker {
  ImPlotMarker shape;
  const char* sign;
};
constexpr std::array kMarkers{Marker{ImPlotMarker_Circle, "●"}, Marker{ImPlotMarker_Square, "■"},
                              Marker{ImPlotMarker_Diamond, "◆"}, Marker{ImPlotMarker_Cross, "×"},
                              Marker{ImPlotMarker_Plus, "+"}};
constexpr float kPickRadius = 1.2F;  // in font sizes

// ImPlot keeps a context of its own, beside ImGui's.
struct TimingMemory {
  ImPlotContext* plot = ImPlot::CreateContext();
  TimingMemory() = default;
  ~TimingMemory() { ImPlot::DestroyContext(plot); }
  TimingMemory(const TimingMemory&) = delete;
  TimingMemory& operator=(const TimingMemory&) = delete;
  TimingMemory(TimingMemory&&) = delete;
  TimingMemory& operator=(TimingMemory&&) = delete;
};

std::string title_of(const Context& context, const std::string& id) {
  const problem::LaunchSpec* spec =
      context.view.catalog == nullptr ? nullptr : context.view.catalog->find(id);
  return spec == nullptr ? id : spec->title;
}

ImU32 series_colour(const Context& context, std::size_t index) {
  return context.theme.blocks[(index * 2 + 2) % context.theme.blocks.size()];
}

// Of an ISO 8601 time.
std::string day(const timing::Provenance& provenance) {
  return provenance.date.substr(0, provenance.date.find('T'));
}

void dataset_choice(const Context& context, const timing::DataSet& data, Commands& commands) {
  state::TimingView view = context.state.timing;
  field_label(context, "recorded");
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 17.0F);
  const std::string shown = fmt::format("{} · {}", data.provenance.gpu, day(data.provenance));
  if (ImGui::BeginCombo("##dataset", shown.c_str())) {
    for (const timing::DataSet& d : *context.view.datasets) {
      const std::string label =
          fmt::format("{} · {} · {}", d.provenance.gpu, day(d.provenance), d.name);
      if (ImGui::Selectable(label.c_str(), &d == &data)) {
        view.dataset = d.name;
        commands.push_back(state::SetTimingView{view});
      }
    }
    ImGui::EndCombo();
  }
  tooltip(fmt::format("driver {}, CUDA {}, cuBLAS {}, SM clock {} MHz\n{}", data.provenance.driver,
                      data.provenance.cuda, data.provenance.cublas, data.provenance.sm_clock_mhz,
                      data.provenance.method));
}

void size_slider(const Context& context, const timing::DataSet& data, int size,
                 Commands& commands) {
  const std::vector<int> sizes = data.square_sizes();
  int index = static_cast<int>(std::find(sizes.begin(), sizes.end(), size) - sizes.begin());
  field_label(context, "size  M=N=K");
  const Slider slider{.id = "##size",
                      .high = static_cast<float>(sizes.size() - 1),
                      .width = ImGui::GetFontSize() * 10.0F,
                      .shown = std::to_string(size),
                      .widest = "16384",
                      .flags = ImGuiSliderFlags_NoInput};
  if (value_slider(context, slider, index)) {
    state::TimingView view = context.state.timing;
    view.size = sizes[static_cast<std::size_t>(index)];
    commands.push_back(state::SetTimingView{view});
  }
}

void bench_controls(const Context& context, Commands& commands) {
  const workspace::BenchStatus& bench = context.view.bench;
  if (bench.running) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 14.0F);
    ImGui::ProgressBar(static_cast<float>(bench.fraction), {ImGui::GetFontSize() * 14.0F, 0.0F},
                       bench.current.c_str());
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::CancelBench, icon::kStop));
    return;
  }
  ImGui::BeginDisabled(!bench.gpu_found);
  append(commands, action_button(context, ActionId::StartBench,
                                 fmt::format("{}  measure here", icon::kPlay).c_str()));
  ImGui::EndDisabled();
  if (!bench.gpu_found && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip("%s", bench.gpu.empty() ? "Looking for a GPU…" : bench.gpu.c_str());
  }
  if (!bench.message.empty()) {
    ImGui::SameLine();
    coloured_text(context.theme.text_dim, bench.message.c_str());
  }
}

ImPlotSpec line_spec(ImU32 colour, float weight) {
  ImPlotSpec spec;
  spec.LineColor = ImGui::ColorConvertU32ToFloat4(colour);
  spec.LineWeight = weight;
  return spec;
}

// No two curves share colour and marker before there are 25.
const Marker& marker_of(const Context& context, std::size_t index) {
  return kMarkers[(index + index / context.theme.blocks.size()) % kMarkers.size()];
}

void plot_series(const Context& context, const Series& series, std::size_t index) {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> below;
  std::vector<double> above;
  for (const SeriesPoint& p : series.points) {
    x.push_back(p.point->block_size);
    y.push_back(p.gflops);
    below.push_back(p.below);
    above.push_back(p.above);
  }
  const float em = ImGui::GetFontSize();
  // The kernel on the stage stands out from the others.
  const bool chosen = series.kernel == context.state.kernel;
  const ImU32 colour = with_alpha(series_colour(context, index), chosen ? 1.0F : 0.6F);
  const Marker& marker = marker_of(context, index);
  const std::string label = fmt::format("{} {}", marker.sign, title_of(context, series.kernel));
  const int count = static_cast<int>(x.size());
  ImPlotSpec spec = line_spec(colour, em * (chosen ? 0.24F : 0.1F));
  spec.Marker = marker.shape;
  spec.MarkerSize = em * (chosen ? 0.36F : 0.24F);
  spec.MarkerFillColor = spec.LineColor;
  spec.MarkerLineColor = spec.LineColor;
  ImPlotSpec whiskers = line_spec(colour, em * 0.08F);
  whiskers.Size = em * 0.2F;
  ImPlot::PlotErrorBars(label.c_str(), x.data(), y.data(), below.data(), above.data(), count,
                        whiskers);
  ImPlot::PlotLine(label.c_str(), x.data(), y.data(), count, spec);
}

struct Picked {
  const SeriesPoint* point = nullptr;
  float distance = 0.0F;
};

Picked nearest_point(const TimingPlot& plot) {
  const ImVec2 mouse = ImGui::GetMousePos();
  Picked best;
  best.distance = kPickRadius * ImGui::GetFontSize();
  for (const Series& series : plot.kernels) {
    for (const SeriesPoint& p : series.points) {
      const ImVec2 at = ImPlot::PlotToPixels(p.point->block_size, p.gflops);
      const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
      if (distance < best.distance) {
        best = {&p, distance};
      }
    }
  }
  return best;
}

void point_tooltip(const Context& context, const SeriesPoint& p, const TimingPlot& plot) {
  std::string text = fmt::format("{}, BLOCK_SIZE {}\n{:.0f} GFLOP/s  (median of {}, {:.3f} ms)",
                                 title_of(context, p.point->kernel), p.point->block_size, p.gflops,
                                 p.statistics.samples, p.statistics.median_ms);
  text += fmt::format("\nquartiles {:.3f} … {:.3f} ms", p.statistics.q1_ms, p.statistics.q3_ms);
  if (plot.cublas.gflops > 0.0) {
    text += fmt::format("\n{:.1f} % of cuBLAS", 100.0 * p.gflops / plot.cublas.gflops);
  }
  text += "\nclick: set it on the stage · double-click: go there";
  ImGui::SetTooltip("%s", text.c_str());
}

void pick(const Context& context, const TimingPlot& plot, Commands& commands) {
  if (!ImPlot::IsPlotHovered()) {
    return;
  }
  const Picked picked = nearest_point(plot);
  if (picked.point == nullptr) {
    return;
  }
  const timing::Point& point = *picked.point->point;
  point_tooltip(context, *picked.point, plot);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    commands.push_back(state::OpenOnStage{point.kernel, point.block_size});
  } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    state::TimingView view = context.state.timing;
    view.selected_kernel = point.kernel;
    view.selected_block_size = point.block_size;
    problem::Parameters parameters = context.state.parameters;
    parameters.block_size = point.block_size;
    commands.push_back(state::SelectKernel{point.kernel});
    commands.push_back(state::SetParameters{parameters});
    commands.push_back(state::SetTimingView{view});
  }
}

const SeriesPoint* selected_point(const Context& context, const TimingPlot& plot) {
  const state::TimingView& view = context.state.timing;
  for (const Series& series : plot.kernels) {
    for (const SeriesPoint& p : series.points) {
      if (p.point->kernel == view.selected_kernel &&
          p.point->block_size == view.selected_block_size) {
        return &p;
      }
    }
  }
  return nullptr;
}

void setup_axes(const Context& context, const TimingPlot& plot) {
  double top = plot.cublas.gflops;
  double bottom = top;
  // Tensor cores are so far above that only a logarithmic axis has room for both.
  const bool log_scale = context.state.timing.log_scale;
  top = log_scale ? std::max(top, plot.cublas_tf32.gflops) : top;
  for (const Series& series : plot.kernels) {
    for (const SeriesPoint& p : series.points) {
      top = std::max(top, p.gflops);
      bottom = std::min(bottom, p.gflops);
    }
  }
  ImPlot::SetupAxes("BLOCK_SIZE", "GFLOP/s", 0, 0);
  ImPlot::SetupAxisLimits(ImAxis_X1, 0.0, 33.0, ImPlotCond_Once);
  constexpr std::array kTicks{1.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0};
  ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), static_cast<int>(kTicks.size()));
  if (log_scale) {
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    ImPlot::SetupAxisLimits(ImAxis_Y1, std::max(bottom * 0.7, 1e-3), top * 1.6, ImPlotCond_Always);
  } else {
    ImPlot::SetupAxisLimits(ImAxis_Y1, 0.0, top * 1.1, ImPlotCond_Always);
  }
  ImPlot::SetupLegend(ImPlotLocation_East, ImPlotLegendFlags_Outside);
}

// A library's speed, which has no BLOCK_SIZE: a line across the plot.
void plot_library(const SeriesPoint& library, const char* name, ImU32 colour) {
  if (library.point == nullptr) {
    return;
  }
  const float em = ImGui::GetFontSize();
  const double x[] = {0.0, 33.0};
  const double y[] = {library.gflops, library.gflops};
  ImPlot::PlotLine(name, x, y, 2, line_spec(colour, em * 0.17F));
  const std::string label = fmt::format("{}  {:.0f}", name, library.gflops);
  ImPlot::PlotText(label.c_str(), 0.6, library.gflops,
                   {ImGui::CalcTextSize(label.c_str()).x * 0.5F, -em * 0.8F});
}

void draw_plot(const Context& context, const TimingPlot& plot, Commands& commands) {
  const float em = ImGui::GetFontSize();
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, context.theme.panel);
  ImPlot::PushStyleColor(ImPlotCol_LegendBg, context.theme.raised);
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, with_alpha(context.theme.text_dim, 0.5F));
  if (ImPlot::BeginPlot("##speed", ImGui::GetContentRegionAvail(), ImPlotFlags_NoMenus)) {
    setup_axes(context, plot);
    if (context.state.timing.log_scale) {
      plot_library(plot.cublas_tf32, "cuBLAS, TF32 tensor cores", context.theme.text_dim);
    }
    plot_library(plot.cublas, "cuBLAS SGEMM", context.theme.good);
    for (std::size_t i = 0; i < plot.kernels.size(); ++i) {
      plot_series(context, plot.kernels[i], i);
    }
    if (const SeriesPoint* p = selected_point(context, plot)) {
      const ImVec2 at = ImPlot::PlotToPixels(p->point->block_size, p->gflops);
      ImPlot::GetPlotDrawList()->AddCircle(at, em * 0.55F, context.theme.focus, 0, 2.5F);
    }
    pick(context, plot, commands);
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleColor(4);
}

void story(const Context& context, const TimingPlot& plot, Commands& commands) {
  const SeriesPoint* p = selected_point(context, plot);
  if (p == nullptr) {
    heading(context, "Choose a point");
    ImGui::TextWrapped(
        "Click a point of the plot: its numbers stand here, and the stage takes its kernel "
        "and BLOCK_SIZE.");
    return;
  }
  heading(context, fmt::format("{}, BLOCK_SIZE {}", title_of(context, p->point->kernel),
                               p->point->block_size)
                       .c_str());
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.5F);
  ImGui::TextUnformatted(fmt::format("{:.0f} GFLOP/s", p->gflops).c_str());
  ImGui::PopFont();
  if (plot.cublas.gflops > 0.0) {
    coloured_text(
        context.theme.text_dim,
        fmt::format("{:.1f} % of cuBLAS", 100.0 * p->gflops / plot.cublas.gflops).c_str());
  }
  ImGui::TextWrapped(
      "%s", fmt::format("median {:.4f} ms of {} runs, quartiles {:.4f} and {:.4f} ms",
                        p->statistics.median_ms, p->statistics.samples, p->statistics.q1_ms,
                        p->statistics.q3_ms)
                .c_str());
  for (const Remark& remark : remarks(*p->point)) {
    coloured_text(remark.good ? context.theme.good : context.theme.warning,
                  remark.good ? icon::kCheck : icon::kWarning);
    ImGui::SameLine();
    ImGui::PushFont(context.fonts.bold, 0.0F);
    ImGui::TextUnformatted(remark.about.c_str());
    ImGui::PopFont();
    ImGui::TextWrapped("%s", remark.sentence.c_str());
  }
  if (!p->point->verified) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.bad);
    ImGui::TextWrapped("Not verified. %s", p->point->note.c_str());
    ImGui::PopStyleColor();
  }
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.5F});
  append(commands, action_button(context, ActionId::StepTab, "Show on the stage"));
}

void provenance(const Context& context, const timing::DataSet& data) {
  heading(context, "How it was measured");
  const timing::Provenance& p = data.provenance;
  ImGui::TextWrapped(
      "%s", fmt::format("{} · driver {} · CUDA {} · cuBLAS {} · SM clock {} MHz · {}", p.gpu,
                        p.driver, p.cuda, p.cublas, p.sm_clock_mhz, day(p))
                .c_str());
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
  ImGui::TextWrapped("%s", p.method.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

Commands draw_timing(const Context& context) {
  Commands commands;
  const timing::DataSet* data =
      context.view.datasets == nullptr
          ? nullptr
          : find_dataset(*context.view.datasets, context.state.timing.dataset);
  ImPlot::SetCurrentContext(context.memory.of<TimingMemory>().plot);
  const int size = data == nullptr ? 0 : nearest_size(*data, context.state.timing.size);
  if (size == 0) {
    coloured_text(context.theme.text_dim, "No timings are recorded.");
    bench_controls(context, commands);
    return commands;
  }
  const TimingPlot plot = make_plot(*data, size);
  dataset_choice(context, *data, commands);
  ImGui::SameLine();
  size_slider(context, *data, size, commands);
  ImGui::SameLine();
  bool log_scale = context.state.timing.log_scale;
  if (ImGui::Checkbox("log scale", &log_scale)) {
    state::TimingView view = context.state.timing;
    view.log_scale = log_scale;
    commands.push_back(state::SetTimingView{view});
  }
  ImGui::SameLine();
  bench_controls(context, commands);

  const float side = ImGui::GetFontSize() * 20.0F;
  ImGui::BeginChild("plot", {ImGui::GetContentRegionAvail().x - side, 0.0F},
                    ImGuiChildFlags_AlwaysUseWindowPadding);
  heading(context, "Speed over BLOCK_SIZE");
  ImGui::SameLine();
  coloured_text(context.theme.text_dim,
                "median, whiskers: quartiles · FP32, TF32 off · cold L2 · verified before timing");
  draw_plot(context, plot, commands);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("story", {0.0F, 0.0F}, ImGuiChildFlags_AlwaysUseWindowPadding);
  story(context, plot, commands);
  provenance(context, *data);
  ImGui::EndChild();
  return commands;
}

}  // namespace tilestep::ui
