#include "ui/panel_window.h"

#include "problem/tr.h"
#include "ui/memory.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

// An answer that comes sooner is not announced: it would flicker.
constexpr double kUnnoticed = 0.1;  // seconds
constexpr double kUnsaid = 0.3;
constexpr float kOldBrightness = 0.8F;      // of a stage whose run is on its way
constexpr float kRefusedBrightness = 0.4F;  // … of one whose run cannot be made

constexpr double kMillion = 1e6;

// At the top of the stage, with how far the new run is.
void say_it_is_old(const Context& context, ImDrawList& list, ImVec2 from, ImVec2 size) {
  const double steps = static_cast<double>(context.view.recorded_steps) / kMillion;
  const std::string words =
      context.view.recorded_steps == 0 ? tr("updating …") : tr("updating: {:.1f} M steps …", steps);
  const ImVec2 text = ImGui::CalcTextSize(words.c_str());
  const float pad = 0.6F * ImGui::GetFontSize();
  const ImVec2 at(std::floor(from.x + 0.5F * (size.x - text.x)), std::floor(from.y + pad));
  list.AddRectFilled({at.x - pad, at.y - pad}, {at.x + text.x + pad, at.y + text.y + pad},
                     context.theme.raised, pad);
  list.AddText(at, context.theme.text, words.c_str());
}

// What is still on stage, but is not what was asked for, is dimmed and says so; not the sentence
// that says why it stays.
void dim_what_is_old(const Context& context, const PanelWindow& panel) {
  const bool is_due = context.view.busy || context.view.is_old;
  if (!is_due || context.view.scene == nullptr) {
    return;
  }
  const double waited = context.now - context.view.busy_since;
  if (context.view.busy && waited < kUnsaid) {
    context.memory.animate_until(context.view.busy_since +
                                 (waited < kUnnoticed ? kUnnoticed : kUnsaid));
  }
  if (context.view.busy && waited < kUnnoticed) {
    return;
  }
  const ImVec2 from = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float top = context.view.busy ? from.y : std::max(from.y, panel.said_above);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled({from.x, top}, {from.x + size.x, from.y + size.y},
                     with_alpha(context.theme.panel,
                                1.0F - (context.view.busy ? kOldBrightness : kRefusedBrightness)));
  if (panel.is_ground && context.view.busy && waited >= kUnsaid) {
    say_it_is_old(context, list, from, size);
  }
  list.PopClipRect();
}

}  // namespace

void draw_panel(const Context& context, const PanelWindow& panel,
                const std::function<void()>& draw) {
  ImGui::SetNextWindowPos({panel.box.x, panel.box.y});
  ImGui::SetNextWindowSize({panel.box.w, panel.box.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  const ImGuiWindowFlags flags = kFixedWindow | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::Begin(panel.window, nullptr, flags)) {
    if (panel.is_ground) {
      ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    }
    draw();
    if (panel.shows_recording) {
      dim_what_is_old(context, panel);
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace tilestep::ui
