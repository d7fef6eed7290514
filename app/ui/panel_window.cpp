#include "ui/panel_window.h"

#include "ui/memory.h"
#include "ui/theme.h"

#include <imgui_internal.h>

namespace tilestep::ui {
namespace {

// An answer that comes sooner is not announced: it would flicker.
constexpr double kUnnoticed = 0.1;  // seconds

// What is still on stage, but is not what was asked for, is dimmed.
void dim_what_is_old(const Context& context) {
  if (!context.view.busy || context.view.scene == nullptr) {
    return;
  }
  const double due = context.view.busy_since + kUnnoticed;
  if (context.now < due) {
    context.memory.animate_until(due);
    return;
  }
  const ImVec2 from = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled(from, {from.x + size.x, from.y + size.y},
                     (context.theme.panel & ~IM_COL32_A_MASK) | (0xA0U << IM_COL32_A_SHIFT));
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
      dim_what_is_old(context);
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace tilestep::ui
