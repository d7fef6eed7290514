#include "ui/timing/story.h"

#include "analysis/why.h"
#include "problem/describe/best_by_size.h"
#include "problem/launch/launch.h"
#include "problem/tr.h"
#include "timing/cublas_series.h"
#include "timing/point_note.h"
#include "ui/icons.h"
#include "ui/line_breaks.h"
#include "ui/theme.h"
#include "ui/timing/guess_card.h"
#include "ui/timing/pair_card.h"
#include "ui/timing/seen_words.h"
#include "ui/timing/what_if_panel.h"
#include "ui/widgets.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <string>

namespace tilestep::ui {
namespace {

using analysis::ChartRequest;

double median_ms(const timing::DataSet* data, const std::string& kernel,
                 const problem::Parameters& parameters) {
  return data == nullptr ? 0.0 : data->median_ms(kernel, parameters.problem, parameters.block_size);
}

void draw_remark(const Context& context, const analysis::Remark& remark) {
  if (remark.loss != analysis::Loss::Neither) {
    const bool nothing = remark.loss == analysis::Loss::Nothing;
    coloured_text(nothing ? context.theme.good : context.theme.warning,
                  nothing ? icon::kCheck : icon::kWarning);
    ImGui::SameLine();
  }
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(remark.about.c_str());
  ImGui::PopFont();
  text_in_lines(remark.sentence);
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
    shares = tr("{:.1f} % of cuBLAS", 100.0 * cublas / s.median_ms);
  }
  if (request.gpu.peak_gflops > 0.0) {
    shares += (shares.empty() ? "" : " · ") +
              tr("{:.1f} % of the peak", 100.0 * gflops / request.gpu.peak_gflops);
  }
  wrapped_text(context.theme.text_dim, shares);
  ImGui::TextWrapped("%s", tr("median {:.4f} ms of {} runs, quartiles {:.4f} and {:.4f} ms",
                              s.median_ms, s.samples, s.q1_ms, s.q3_ms)
                               .c_str());
  if (!point.verified || !point.note.empty()) {
    const std::string note = timing::told_note(point.note);
    wrapped_text(point.verified ? context.theme.text_dim : context.theme.bad,
                 point.verified ? note : tr("Not verified. {}", note));
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
               point == nullptr ? tr("Not measured.")
                                : tr("Not measured: {}", timing::told_note(point->note)));
}

// Why the stage's kernel has no point at its BLOCK_SIZE.
void draw_gap(const Context& context, const ChartRequest& request) {
  const std::string& kernel = context.state.kernel;
  const int block_size = context.state.parameters.block_size;
  const timing::Point* point = find_point(request, kernel, block_size);
  if (point != nullptr && point->samples_ms.empty()) {
    heading(context, tr("{}, BLOCK_SIZE {}", kernel_title(context, kernel), block_size).c_str());
    draw_unmeasured(context, point);
  }
}

void draw_reasons(const Context& context, const ChartRequest& request,
                  const problem::Parameters& parameters) {
  const std::string& kernel = context.state.timing.selected_kernel;
  if (kernel == problem::kBestBySize) {
    wrapped_text(context.theme.text_dim,
                 tr("Reasons belong to the kernel that it is here. Choose a point of that one."));
    return;
  }
  if (timing::is_cublas(kernel)) {
    wrapped_text(context.theme.text_dim,
                 tr("cuBLAS comes without source, so nothing of it is counted."));
    return;
  }
  const timing::DataSet* data = request.datasets.empty() ? nullptr : request.datasets.front();
  const analysis::LaunchFacts* facts =
      analysis::find_facts(request.facts, kernel, parameters, request.gpu.architecture);
  if (facts == nullptr) {
    coloured_text(context.theme.text_dim, tr("Counting its cost …"));
    return;
  }
  if (!facts->why_not.empty()) {
    text_in_lines(facts->why_not);
    return;
  }
  const analysis::Subject subject{kernel_title(context, kernel), facts,
                                  median_ms(data, kernel, parameters),
                                  workspace::is_last_rung(*context.view.catalog, kernel)};
  analysis::Subject next;
  if (const problem::LaunchSpec* rung = workspace::next_rung(*context.view.catalog, kernel)) {
    const problem::Parameters of_rung = workspace::own_parameters(*rung, parameters);
    const analysis::LaunchFacts* found =
        analysis::find_facts(request.facts, rung->id, of_rung, request.gpu.architecture);
    if (found != nullptr && found->why_not.empty()) {
      next = {tr(rung->title.c_str()), found, median_ms(data, rung->id, of_rung)};
    }
  }
  for (const analysis::Remark& remark :
       analysis::why(subject, next.facts == nullptr ? nullptr : &next, request.gpu)) {
    draw_remark(context, remark);
  }
}

// Above the reasons, which are many: what is below them is found by whoever scrolls.
Commands draw_way_to_stage(const Context& context, const ChartRequest& request,
                           const problem::Parameters& parameters) {
  const state::TimingView& view = context.state.timing;
  Commands commands;
  if (context.view.catalog->find(view.selected_kernel) == nullptr) {
    return commands;  // cuBLAS has no code to show
  }
  const analysis::LaunchFacts* facts = analysis::find_facts(request.facts, view.selected_kernel,
                                                            parameters, request.gpu.architecture);
  const std::optional<analysis::LineTraffic> costliest =
      facts == nullptr ? std::nullopt : analysis::costliest_line(*facts);
  const int line = costliest ? static_cast<int>(costliest->line) : 0;
  const std::string face =
      line == 0 ? tr("Show on the stage") : tr("Show on the stage, at line {}", line);
  if (ImGui::Button(face.c_str())) {
    commands.push_back(state::OpenOnStage{view.selected_kernel, view.selected_block_size, line});
  }
  const problem::Problem small = problem::miniature(parameters.problem, parameters.block_size);
  wrapped_text(context.theme.text_dim,
               tr("The stage shows {}×{}×{}: fewer tiles, with the last ones filled as here.",
                  small.M, small.N, small.K));
  return commands;
}

Commands draw_selected(const Context& context, const ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  const problem::Parameters parameters{request.view.problem, view.selected_block_size};
  const timing::Point* point = find_point(request, view.selected_kernel, view.selected_block_size);
  const std::string title = kernel_title(context, view.selected_kernel);
  const std::string size = analysis::to_text(parameters.problem);
  heading(context, (view.selected_block_size > 0
                        ? tr("{}, BLOCK_SIZE {}, {}", title, view.selected_block_size, size)
                        : fmt::format("{}, {}", title, size))
                       .c_str());
  if (point != nullptr && !point->samples_ms.empty()) {
    draw_measured(context, request, *point);
  } else {
    draw_unmeasured(context, point);
  }
  Commands commands = draw_way_to_stage(context, request, parameters);
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.3F});
  draw_reasons(context, request, parameters);
  return commands;
}

Commands draw_provenance(const Context& context, const timing::DataSet& data) {
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.3F});
  const bool open = context.state.timing.method_open;
  Commands commands = action_button(
      context, ActionId::ToggleMethod,
      fmt::format("{}  {}", open ? icon::kDown : icon::kForward, tr("How it was measured"))
          .c_str());
  if (open) {
    const timing::Provenance& p = data.provenance;
    ImGui::TextWrapped(
        "%s", tr("{} · driver {} · CUDA {} · cuBLAS {} · SM clock {} MHz · {}", p.gpu, p.driver,
                 p.cuda, p.cublas, p.sm_clock_mhz, p.date.substr(0, 10))
                  .c_str());
    wrapped_text(context.theme.text_dim, p.method);
  }
  return commands;
}

Commands draw_subject(const Context& context, const ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  if (!view.guess.kernel.empty() && !view.guess.shown) {
    return {};  // nothing that gives the hidden curve away
  }
  Commands commands = draw_compare_buttons(context);
  if (context.view.timings->pair) {
    append(commands, draw_pair_card(context));
    return commands;
  }
  if (view.selected_kernel.empty()) {
    heading(context, tr("Choose a point"));
    ImGui::TextWrapped(
        "%s",
        tr("Click a point in the plot. This panel then explains its speed, and the stage takes its "
           "kernel and BLOCK_SIZE. Shift+click a second one: it says why one is slower."));
    draw_gap(context, request);
  } else {
    append(commands, draw_selected(context, request));
  }
  return commands;
}

}  // namespace

Commands draw_story(const Context& context, const ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  Commands commands;
  if (view.what_if_open) {
    append(commands, draw_what_if(context, request));
  }
  if (!view.guess.kernel.empty()) {
    append(commands, draw_guess_card(context, request));
  }
  append(commands, draw_subject(context, request));
  if (!request.datasets.empty()) {
    append(commands, draw_provenance(context, *request.datasets.front()));
  }
  return commands;
}

}  // namespace tilestep::ui
