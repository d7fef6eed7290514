#include "ui/timing/what_if_panel.h"

#include "analysis/prediction.h"
#include "analysis/words.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

using analysis::GpuModel;
using state::WhatIf;

constexpr int kBytesOfKib = 1024;

// One figure of a GPU.
struct Knob {
  Message label;
  const char* unit;
  int WhatIf::*wanted;
  int low, high;
  int (*own)(const GpuModel&);  // 0: nobody says
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
    Knob{Message("Shared memory of an SM"), "KiB", &WhatIf::shared_kib, 16, 512,
         [](const GpuModel& gpu) {
           const auto sm = analysis::sm_of(gpu);
           return sm ? sm->shared_bytes / kBytesOfKib : 0;
         }},
    Knob{Message("Warps of an SM"), "", &WhatIf::warps, 1, 128,
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
                      .shown = value > 0 ? fmt::format("{} {}", value, knob.unit) : tr("not known"),
                      .widest = "16000 GB/s",
                      .flags = ImGuiSliderFlags_AlwaysClamp};
  if (value_slider(context, slider, value)) {
    what_if.*knob.wanted = value == own ? 0 : value;
    append(commands, set_what_if(context, what_if));
  }
}

// Its figures, where they differ from the chosen GPU's.
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
  field_label(context, tr("as on"));
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

// What becomes of the kernel on the stage at its BLOCK_SIZE.
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
                 "What takes longest: {}.",
                 block_size, after.ms, before.ms, ratio, longest)
            : tr("Predicted: {:.3g} ms instead of {:.3g} ms, {:.2f}× as fast. What takes longest: "
                 "{}.",
                 after.ms, before.ms, ratio, longest);
    ImGui::TextWrapped("%s", sentence.c_str());
    return;
  }
}

}  // namespace

Commands draw_what_if(const Context& context, const analysis::ChartRequest& request) {
  Commands commands;
  heading(context, tr("What if the GPU were another?"));
  if (!request.gpu.is_known()) {
    wrapped_text(context.theme.text_dim,
                 tr("Nothing is known of this GPU. Choose another data set, or a GPU, above."));
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

}  // namespace tilestep::ui
