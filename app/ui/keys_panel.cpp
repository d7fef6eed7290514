#include "ui/keys_panel.h"

#include "ui/theme.h"
#include "ui/widgets.h"

#include <array>
#include <string>

namespace tilestep::ui {
namespace {

constexpr std::array kColumns{
    std::array{ActionGroup::Stepping, ActionGroup::Running},
    std::array{ActionGroup::Looking, ActionGroup::Working},
    std::array{ActionGroup::Arranging, ActionGroup::Arranging},
};

void key_row(const Context& context, const Action& action) {
  if (action.key == 0) {
    return;
  }
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  std::string keys = key_name(action.key);
  if (action.other_key != 0) {
    keys += "  " + key_name(action.other_key);
  }
  ImGui::PushFont(context.fonts.bold, 0.0F);
  coloured_text(context.theme.accent_text, keys.c_str());
  ImGui::PopFont();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(action.label);
}

void group(const Context& context, ActionGroup which) {
  heading(context, name(which));
  ImGui::PushID(static_cast<int>(which));
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const Action& action : actions()) {
      if (action.group == which) {
        key_row(context, action);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopID();
}

}  // namespace

Commands draw_keys(const Context& context) {
  if (!context.state.show_keys) {
    return {};
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em * 1.5F, em));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::SetNextWindowFocus();
  ImGui::Begin("###keys", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
  if (ImGui::BeginTable("columns", static_cast<int>(kColumns.size()),
                        ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableNextRow();
    for (const auto& column : kColumns) {
      ImGui::TableNextColumn();
      group(context, column[0]);
      if (column[1] != column[0]) {
        group(context, column[1]);
      }
    }
    ImGui::EndTable();
  }
  Commands commands;
  const bool clicked_away =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
  if (ImGui::IsKeyPressed(ImGuiKey_Escape) || clicked_away) {
    commands.push_back(state::ShowKeys{false});
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  return commands;
}

}  // namespace tilestep::ui
