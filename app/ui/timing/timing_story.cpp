#include "analysis/prediction.h"
#include "analysis/why.h"
#include "analysis/words.h"
#include "problem/describe/best_by_size.h"
#include "problem/launch/launch.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "timing/dataset_points.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tilestep::ui {
namespace {

using analysis::ChartRequest;
using analysis::GpuModel;
using state::WhatIf;

constexpr int kBytesOfKib = 1024;

// One parameter of a GPU.
struct Knob {
  Message label;
  const char* unit;
  int WhatIf::*wanted;
  int low, high;
  int (*own)(const GpuModel&);  // 0: unknown
};

int rounded(double value) {
  return static_cast<int>(std::lround(value));
}

constexpr std::array kKnobs{
    Knob{Message("SMs"), "", &WhatIf::sms, 1, 256, [](const GpuModel& gpu) { return gpu.sms; }},
    Knob{Message("Clock"), "MHz", &WhatIf::clock_mhz, 200, 4000,
         [](const GpuModel& gpu) { return rounded(gpu.sm_clock_mhz); }},
    Knob{Message("DRAM"), "GB/s", &WhatIf::dram_gb_s, 50, 16000,
         [](const GpuModel& gpu) { return rounded(gpu.dram_gb_s); }},
    Knob{Message("L2"), "GB/s", &WhatIf::l2_gb_s, 100, 32000,
         [](const GpuModel& gpu) { return rounded(gpu.l2_gb_s); }},
    Knob{Message("Shared memory per SM"), "KiB", &WhatIf::shared_kib, 16, 512,
         [](const GpuModel& gpu) {
           const auto sm = analysis::sm_of(gpu);
           return sm ? sm->shared_bytes / kBytesOfKib : 0;
         }},
    Knob{Message("Warps per SM"), "", &WhatIf::warps, 1, 128,
         [](const GpuModel& gpu) {
           const auto sm = analysis::sm_of(gpu);
           return sm ? sm->warps : 0;
         }},
};

Commands set_what_if(const Context& context, const WhatIf& what_if) {
  state::TimingView view = context.state.timing;
  view.what_if = what_if;
  view.predict = true;
  return {state::SetTimingView{view}};
}

void draw_knob(const Context& context, const Knob& knob, const GpuModel& gpu, Commands& commands) {
  WhatIf what_if = context.state.timing.what_if;
  const int own = knob.own(gpu);
  int value = what_if.*knob.wanted > 0 ? what_if.*knob.wanted : own;
  coloured_text(context.theme.text_dim, knob.label);
  const std::string id = std::string("##") + knob.label.english;
  const Slider slider{.id = id.c_str(),
                      .low = static_cast<float>(knob.low),
                      .high = static_cast<float>(knob.high),
                      .width = ImGui::GetContentRegionAvail().x,
                      .shown = value > 0 ? fmt::format("{} {}", value, knob.unit) : tr("unknown"),
                      .widest = "16000 GB/s",
                      .flags = ImGuiSliderFlags_AlwaysClamp};
  if (value_slider(context, slider, value)) {
    what_if.*knob.wanted = value == own ? 0 : value;
    append(commands, set_what_if(context, what_if));
  }
}

// The parameters that differ from the chosen GPU's.
WhatIf figures_of(const GpuModel& other, const GpuModel& gpu) {
  WhatIf what_if;
  for (const Knob& knob : kKnobs) {
    const int figure = knob.own(other);
    what_if.*knob.wanted = figure == knob.own(gpu) ? 0 : figure;
  }
  return what_if;
}

void draw_gpus(const Context& context, const GpuModel& gpu, Commands& commands) {
  const WhatIf& now = context.state.timing.what_if;
  std::string shown = now == WhatIf{} ? gpu.name : tr("as set below");
  for (const GpuModel& other : analysis::known_gpus()) {
    shown = now != WhatIf{} && figures_of(other, gpu) == now ? other.name : shown;
  }
  field_label(context, tr("Same as"));
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::BeginCombo("##gpu", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const GpuModel& other : analysis::known_gpus()) {
      if (ImGui::Selectable(other.name.c_str(), other.name == shown)) {
        append(commands, set_what_if(context, figures_of(other, gpu)));
      }
    }
    ImGui::EndCombo();
  }
}

// The effect on the stage's kernel at its BLOCK_SIZE.
void draw_effect(const Context& context, const analysis::ChartRequest& request) {
  for (const int block_size : {context.state.parameters.block_size, 0}) {
    const analysis::LaunchFacts* const facts =
        analysis::find_facts(request.facts, context.state.kernel,
                             {request.view.problem, block_size}, request.gpu.architecture);
    if (facts == nullptr || !facts->why_not.empty()) {
      continue;
    }
    const analysis::Prediction before = analysis::predict(*facts, request.gpu);
    const analysis::Prediction after = analysis::predict(*facts, request.predicted_gpu());
    const double ratio = before.ms / after.ms;
    const std::string longest = word_of(after.binding()).label.text();
    const std::string sentence =
        block_size > 0
            ? tr("Predicted at BLOCK_SIZE {}: {:.3g} ms instead of {:.3g} ms, {:.2f}× as fast. "
                 "Bottleneck: {}.",
                 block_size, after.ms, before.ms, ratio, longest)
            : tr("Predicted: {:.3g} ms instead of {:.3g} ms, {:.2f}× as fast. Bottleneck: {}.",
                 after.ms, before.ms, ratio, longest);
    ImGui::TextWrapped("%s", sentence.c_str());
    say_aloud(context, sentence);
    return;
  }
}

Commands draw_what_if(const Context& context, const analysis::ChartRequest& request) {
  Commands commands;
  heading(context, tr("What if it were another GPU?"));
  if (!request.gpu.is_known()) {
    wrapped_text(context.theme.text_dim, tr("The specifications of this GPU are unknown. Choose "
                                            "another data set, or a GPU, above."));
    return commands;
  }
  draw_gpus(context, request.gpu, commands);
  for (const Knob& knob : kKnobs) {
    draw_knob(context, knob, request.gpu, commands);
  }
  ImGui::BeginDisabled(context.state.timing.what_if == WhatIf{});
  append(commands, action_button(context, ActionId::ResetWhatIf, tr("Reset")));
  ImGui::EndDisabled();
  if (context.state.timing.what_if != WhatIf{}) {
    draw_effect(context, request);
  }
  return commands;
}

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
  text_in(context.fonts.bold, remark.about);
  text_in_lines(remark.sentence);
  say_aloud(context, fmt::format("{}: {}", remark.about, remark.sentence));
}

void draw_measured_point(const Context& context, const ChartRequest& request,
                         const timing::Point& point) {
  const timing::Statistics& s = point.samples_ms.statistics();
  const double gflops = timing::gflops(point, s.median_ms);
  const std::string speed = fmt::format("{:.0f} GFLOP/s", gflops);
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.5F);
  ImGui::TextUnformatted(speed.c_str());
  ImGui::PopFont();
  std::string shares;
  const double cublas = median_ms(request.datasets.front(), timing::kCublas, {point.problem, 0});
  if (cublas > 0.0) {
    shares = tr("{:.1f}% of cuBLAS", 100.0 * cublas / s.median_ms);
  }
  if (request.gpu.peak_gflops > 0.0) {
    shares += (shares.empty() ? "" : " · ") +
              tr("{:.1f}% of the peak", 100.0 * gflops / request.gpu.peak_gflops);
  }
  wrapped_text(context.theme.text_dim, shares);
  say_aloud(context, shares.empty() ? speed : fmt::format("{} · {}", speed, shares));
  ImGui::TextWrapped("%s", tr("median {:.4f} ms of {} runs, quartiles {:.4f} and {:.4f} ms",
                              s.median_ms, s.samples, s.q1_ms, s.q3_ms)
                               .c_str());
  if (!point.verified || !point.note.empty()) {
    const std::string note = timing::translated_note(point.note);
    wrapped_text(point.verified ? context.theme.text_dim : context.theme.bad,
                 point.verified ? note : tr("Not verified. {}", note));
  }
}

// The point in the chosen data set, at the chosen size; null if it has none.
const timing::Point* find_point(const ChartRequest& request, const std::string& kernel,
                                int block_size) {
  return request.datasets.empty()
             ? nullptr
             : request.datasets.front()->find(kernel, request.view.problem, block_size);
}

void draw_unmeasured(const Context& context, const timing::Point* point) {
  const std::string words = point == nullptr
                                ? tr("Not measured.")
                                : tr("Not measured: {}", timing::translated_note(point->note));
  wrapped_text(context.theme.text_dim, words);
  say_aloud(context, words);
}

// Explains why the stage's kernel has no point at its BLOCK_SIZE.
void draw_gap(const Context& context, const ChartRequest& request) {
  const std::string& kernel = context.state.kernel;
  const int block_size = context.state.parameters.block_size;
  const timing::Point* point = find_point(request, kernel, block_size);
  if (point != nullptr && point->samples_ms.empty()) {
    heading(context, tr("{}, BLOCK_SIZE {}", kernel_title(context, kernel), block_size).c_str());
    draw_unmeasured(context, point);
  }
}

// What the warps of an SM wait for; empty until it is estimated.
std::string waits_of(const Context& context, const std::string& kernel,
                     const problem::Parameters& parameters) {
  const workspace::ShownSm* const sm = context.view.timing.sm.get();
  return sm != nullptr && sm->summary && sm->kernel == kernel &&
                 sm->parameters.problem == parameters.problem &&
                 (sm->parameters.block_size == parameters.block_size || parameters.block_size == 0)
             ? clock::waits_sentence(*sm->summary, sm->measured ? &*sm->measured : nullptr,
                                     *sm->table)
             : "";
}

void draw_reasons(const Context& context, const ChartRequest& request,
                  const problem::Parameters& parameters) {
  const std::string& kernel = context.state.timing.selected_kernel;
  if (kernel == problem::kBestBySize) {
    wrapped_text(context.theme.text_dim,
                 tr("To see the reasons, choose a point of the kernel that is fastest at this "
                    "size: best_by_size uses that kernel."));
    return;
  }
  if (timing::is_cublas(kernel)) {
    wrapped_text(context.theme.text_dim,
                 tr("The source of cuBLAS is not available, so its cost is not counted."));
    return;
  }
  const timing::DataSet* data = request.datasets.empty() ? nullptr : request.datasets.front();
  const analysis::LaunchFacts* facts =
      analysis::find_facts(request.facts, kernel, parameters, request.gpu.architecture);
  if (facts == nullptr) {
    coloured_text(context.theme.text_dim, tr("Counting the cost …"));
    return;
  }
  if (!facts->why_not.empty()) {
    text_in_lines(facts->why_not);
    return;
  }
  const analysis::Subject subject{kernel_title(context, kernel), facts,
                                  median_ms(data, kernel, parameters),
                                  workspace::is_last_rung(*context.view.kernels.catalog, kernel)};
  analysis::Subject next;
  if (const problem::LaunchSpec* rung =
          workspace::next_rung(*context.view.kernels.catalog, kernel)) {
    const problem::Parameters of_rung = workspace::own_parameters(*rung, parameters);
    const analysis::LaunchFacts* found =
        analysis::find_facts(request.facts, rung->id, of_rung, request.gpu.architecture);
    if (found != nullptr && found->why_not.empty()) {
      next = {tr(rung->title.c_str()), found, median_ms(data, rung->id, of_rung)};
    }
  }
  for (const analysis::Remark& remark :
       analysis::why(subject, next.facts == nullptr ? nullptr : &next, request.gpu,
                     waits_of(context, kernel, parameters))) {
    draw_remark(context, remark);
  }
}

// Above the many reasons, where it needs no scrolling.
Commands draw_way_to_stage(const Context& context, const ChartRequest& request,
                           const problem::Parameters& parameters) {
  const state::TimingView& view = context.state.timing;
  Commands commands;
  if (context.view.kernels.catalog->find(view.selected_kernel) == nullptr) {
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
               tr("The stage shows a smaller problem, {}×{}×{}: fewer tiles, but its last tiles "
                  "are as full as those of this launch.",
                  small.M, small.N, small.K));
  return commands;
}

Commands draw_selected(const Context& context, const ChartRequest& request) {
  const state::TimingView& view = context.state.timing;
  const problem::Parameters parameters{request.view.problem, view.selected_block_size};
  const timing::Point* point = find_point(request, view.selected_kernel, view.selected_block_size);
  const std::string title = kernel_title(context, view.selected_kernel);
  const std::string size = analysis::to_text(parameters.problem);
  const std::string head = view.selected_block_size > 0
                               ? tr("{}, BLOCK_SIZE {}, {}", title, view.selected_block_size, size)
                               : fmt::format("{}, {}", title, size);
  heading(context, head.c_str());
  say_aloud(context, head);
  if (point != nullptr && !point->samples_ms.empty()) {
    draw_measured_point(context, request, *point);
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
    return {};  // anything else would give the hidden curve away
  }
  Commands commands = draw_compare_buttons(context);
  if (context.view.timing.shown->pair) {
    append(commands, draw_pair_card(context));
    return commands;
  }
  if (view.selected_kernel.empty()) {
    heading(context, tr("Choose a point"));
    ImGui::TextWrapped(
        "%s",
        tr("Click a point in the plot. This panel then explains its speed, and the stage shows its "
           "kernel and BLOCK_SIZE. Shift+click a second one to see why one is slower."));
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
