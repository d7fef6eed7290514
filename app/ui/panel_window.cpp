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

constexpr double kMillion = 1e6;

// In the middle of the stage, with how far the new run is.
void say_it_is_old(const Context& context, ImDrawList& list, ImVec2 from, ImVec2 size) {
  const double steps = static_cast<double>(context.view.recorded_steps) / kMillion;
  const std::string words =
      context.view.recorded_steps == 0
          ? tr("This is the run before. The new one is being recorded …")
          : tr("This is the run before. The new one is being recorded: {:.1f} M steps …", steps);
  const ImVec2 text = ImGui::CalcTextSize(words.c_str());
  const float pad = 0.6F * ImGui::GetFontSize();
  const ImVec2 at(std::floor(from.x + 0.5F * (size.x - text.x)),
                  std::floor(from.y + 0.5F * (size.y - text.y)));
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
  const double due = context.view.busy_since + kUnnoticed;
  if (context.view.busy && context.now < due) {
    context.memory.animate_until(due);
    return;
  }
  const ImVec2 from = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float top = context.view.busy ? from.y : std::max(from.y, panel.said_above);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled({from.x, top}, {from.x + size.x, from.y + size.y},
                     (context.theme.panel & ~IM_COL32_A_MASK) | (0xA0U << IM_COL32_A_SHIFT));
  if (panel.is_ground && context.view.busy) {
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
