#include "ui/timing/story.h"

#include "analysis/why.h"
#include "problem/launch/miniature.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <string>

namespace tilestep::ui {
namespace {

using analysis::ChartRequest;

std::string title_of(const Context& context, const std::string& id) {
  const problem::LaunchSpec* spec = context.view.catalog->find(id);
  return spec == nullptr ? id : spec->title;
}

double median_ms(const timing::DataSet* data, const std::string& kernel,
                 const problem::Parameters& parameters) {
  const timing::Point* point =
      data == nullptr ? nullptr : data->find(kernel, parameters.problem, parameters.block_size);
  return point == nullptr ? 0.0 : point->samples_ms.statistics().median_ms;
}

void draw_remark(const Context& context, const analysis::Remark& remark) {
  coloured_text(remark.good ? context.theme.good : context.theme.warning,
                remark.good ? icon::kCheck : icon::kWarning);
  ImGui::SameLine();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(remark.about.c_str());
  ImGui::PopFont();
  ImGui::TextWrapped("%s", remark.sentence.c_str());
}

void draw_measured(const Context& context, const ChartRequest& request,
                   const timing::Point& point) {
  const timing::Statistics& s = point.samples_ms.statistics();
  const double gflops = timing::gflops(point.problem, s.median_ms);
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.5F);
  ImGui::TextUnformatted(fmt::format("{:.0f} GFLOP/s", gflops).c_str());
  ImGui::PopFont();
  std::string shares;
  const double cublas = median_ms(request.datasets.front(), timing::kCublas, {point.problem, 0});
  if (cublas > 0.0) {
    shares = fmt::format("{:.1f} % of cuBLAS", 100.0 * cublas / s.median_ms);
  }
  if (request.gpu.peak_gflops > 0.0) {
    shares += fmt::format("{}{:.1f} % of the peak", shares.empty() ? "" : " · ",
                          100.0 * gflops / request.gpu.peak_gflops);
  }
  coloured_text(context.theme.text_dim, shares.c_str());
  ImGui::TextWrapped(
      "%s", fmt::format("median {:.4f} ms of {} runs, quartiles {:.4f} and {:.4f} ms", s.median_ms,
                        s.samples, s.q1_ms, s.q3_ms)
                .c_str());
  if (!point.verified || !point.note.empty()) {
    wrapped_text(point.verified ? context.theme.text_dim : context.theme.bad,
                 (point.verified ? "" : "Not verified. ") + point.note);
  }
}

// In the chosen data set, at the chosen size; null where it has none.
const timing::Point* find_point(const ChartRequest& request, const std::string& kernel,
                                int block_size) {
  return request.datasets.empty()
             ? nullptr
             : request.datasets.front()->find(kernel, request.view.problem, block_size);
}

void draw_unmeasured(const Context& context, const timing::Point* point) {
  wrapped_text(context.theme.text_dim,
               point == nullptr ? "Not measured." : "Not measured: " + point->note);
}

// Why the stage's kernel has no point at its BLOCK_SIZE.
void draw_gap(const Context& context, const ChartRequest& request) {
  const std::string& kernel = context.state.kernel;
  const int block_size = context.state.parameters.block_size;
  const timing::Point* point = find_point(request, kernel, block_size);
  if (point != nullptr && point->samples_ms.empty()) {
    heading(context,
            fmt::format("{}, BLOCK_SIZE {}", title_of(context, kernel), block_size).c_str());
    draw_unmeasured(context, point);
  }
}

void draw_reasons(const Context& context, const ChartRequest& request,
                  const problem::Parameters& parameters) {
  const std::string& kernel = context.state.timing.selected_kernel;
  const timing::DataSet* data = request.datasets.empty() ? nullptr : request.datasets.front();
  const analysis::LaunchFacts* facts = analysis::find_facts(request.facts, kernel, parameters);
  if (facts == nullptr) {
    coloured_text(context.theme.text_dim, "Counting its cost …");
    return;
  }
  if (!facts->why_not.empty()) {
    ImGui::TextWrapped("%s", facts->why_not.c_str());
    return;
  }
  const analysis::Subject subject{title_of(context, kernel), facts,
                                  median_ms(data, kernel, parameters)};
  analysis::Subject next;
  if (const problem::LaunchSpec* rung = workspace::next_rung(*context.view.catalog, kernel)) {
    const problem::Parameters of_rung = workspace::own_parameters(*rung, parameters);
    const analysis::LaunchFacts* found = analysis::find_facts(request.facts, rung->id, of_rung);
    if (found != nullptr && found->why_not.empty()) {
      next = {rung->title, found, median_ms(data, rung->id, of_rung)};
    }
  }
  for (const analysis::Remark& remark :
       analysis::why(subject, next.facts == nullptr ? nullptr : &next, request.gpu)) {
    draw_remark(context, remark);
  }
}

Commands draw_selected(const Context& context, const ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  const problem::Parameters parameters{request.view.problem, view.selected_block_size};
  const timing::Point* point = find_point(request, view.selected_kernel, view.selected_block_size);
  const std::string block_size =
      view.selected_block_size > 0 ? fmt::format("BLOCK_SIZE {}, ", view.selected_block_size) : "";
  heading(context, fmt::format("{}, {}{}", title_of(context, view.selected_kernel), block_size,
                               analysis::to_text(parameters.problem))
                       .c_str());
  if (point != nullptr && !point->samples_ms.empty()) {
    draw_measured(context, request, *point);
  } else {
    draw_unmeasured(context, point);
  }
  draw_reasons(context, request, parameters);
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.3F});
  Commands commands;
  if (context.view.catalog->find(view.selected_kernel) == nullptr) {
    return commands;  // cuBLAS has no code to show
  }
  const analysis::LaunchFacts* facts =
      analysis::find_facts(request.facts, view.selected_kernel, parameters);
  const std::optional<analysis::LineTraffic> costliest =
      facts == nullptr ? std::nullopt : analysis::costliest_line(*facts);
  const int line = costliest ? static_cast<int>(costliest->line) : 0;
  const std::string face =
      line == 0 ? "Show on the stage" : fmt::format("Show on the stage, at line {}", line);
  if (ImGui::Button(face.c_str())) {
    commands.push_back(state::OpenOnStage{view.selected_kernel, view.selected_block_size, line});
  }
  const problem::Problem small = problem::miniature(parameters.problem, parameters.block_size);
  wrapped_text(
      context.theme.text_dim,
      fmt::format("The stage shows {}×{}×{}: fewer tiles, with the last ones filled as here.",
                  small.M, small.N, small.K));
  return commands;
}

void draw_provenance(const Context& context, const timing::DataSet& data) {
  heading(context, "How it was measured");
  const timing::Provenance& p = data.provenance;
  ImGui::TextWrapped(
      "%s", fmt::format("{} · driver {} · CUDA {} · cuBLAS {} · SM clock {} MHz · {}", p.gpu,
                        p.driver, p.cuda, p.cublas, p.sm_clock_mhz, p.date.substr(0, 10))
                .c_str());
  wrapped_text(context.theme.text_dim, p.method);
}

}  // namespace

Commands draw_story(const Context& context, const ChartRequest& request) {
  Commands commands;
  if (context.state.timing.selected_kernel.empty()) {
    heading(context, "Choose a point");
    ImGui::TextWrapped(
        "Click a point in the plot. This panel then explains its speed, and the stage takes its "
        "kernel and BLOCK_SIZE.");
    draw_gap(context, request);
  } else {
    commands = draw_selected(context, request);
  }
  if (!request.datasets.empty()) {
    draw_provenance(context, *request.datasets.front());
  }
  return commands;
}

}  // namespace tilestep::ui
