#include "problem/tr.h"
#include "ui/overlays.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace tilestep::ui {
namespace {

constexpr std::array kLeft{ActionGroup::Stepping, ActionGroup::Running, ActionGroup::Comparing};
constexpr std::array kMiddle{ActionGroup::Looking};
constexpr std::array kRight{ActionGroup::Arranging, ActionGroup::Working};
constexpr std::array<std::span<const ActionGroup>, 3> kColumns{kLeft, kMiddle, kRight};

// Eight keys for beginners.
constexpr std::array kFirstKeys{ActionId::NextStatement, ActionId::PreviousStatement,
                                ActionId::NextPhase,     ActionId::GoToStart,
                                ActionId::TogglePlay,    ActionId::ShowLessons,
                                ActionId::ToggleLecture, ActionId::ShowPalette};
constexpr float kLargeKey = 1.6F;  // lines of text

struct KeysMemory {
  bool shows_all = false;
};

std::string keys_of(const Action& action) {
  return action.other_key == 0 ? key_name(action.key)
                               : key_name(action.key) + "  " + key_name(action.other_key);
}

// Offset of the labels in a column's groups. Computed here so that the first frame is correct:
// self-sizing tables need several frames.
float label_offset(const Context& context, std::span<const ActionGroup> groups) {
  float widest = 0.0F;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  for (const Action& action : actions()) {
    if (action.key != 0 && std::find(groups.begin(), groups.end(), action.group) != groups.end()) {
      widest = std::max(widest, ImGui::CalcTextSize(keys_of(action).c_str()).x);
    }
  }
  ImGui::PopFont();
  return widest + ImGui::GetFontSize();
}

void group(const Context& context, ActionGroup which, float offset) {
  heading(context, name(which));
  for (const Action& action : actions()) {
    if (action.group == which && action.key != 0) {
      text_in(context.fonts.bold, keys_of(action), context.theme.accent_text);
      ImGui::SameLine(offset);  // from the group's left edge
      ImGui::TextUnformatted(action.label);
    }
  }
}

// The height of the longest column, in lines of text with their spacing.
float longest_column() {
  constexpr float kHeading = 1.9F;
  float longest = 0.0F;
  for (const std::span<const ActionGroup> column : kColumns) {
    const auto rows = std::ranges::count_if(actions(), [column](const Action& action) {
      return action.key != 0 && std::ranges::find(column, action.group) != column.end();
    });
    longest =
        std::max(longest, static_cast<float>(rows) + kHeading * static_cast<float>(column.size()));
  }
  return longest;
}

// Letters shrink to four fifths before the sheet scrolls.
float fitting_size(float room) {
  constexpr float kLeast = 0.8F;
  const float needed = longest_column() * ImGui::GetTextLineHeightWithSpacing();
  return ImGui::GetFontSize() * std::clamp(room / needed, kLeast, 1.0F);
}

void draw_first_keys(const Context& context) {
  const float font = kLargeKey * ImGui::GetFontSize() / ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(context.fonts.bold, font);
  float widest = 0.0F;
  for (const ActionId id : kFirstKeys) {
    widest = std::max(widest, ImGui::CalcTextSize(key_name(action(id).key).c_str()).x);
  }
  for (const ActionId id : kFirstKeys) {
    coloured_text(context.theme.accent_text, key_name(action(id).key).c_str());
    ImGui::SameLine(widest + 2.0F * ImGui::GetFontSize());
    text_in(context.fonts.text, action(id).label.text());
  }
  ImGui::PopFont();
}

void draw_all_keys(const Context& context) {
  for (const std::span<const ActionGroup> column : kColumns) {
    const float offset = label_offset(context, column);
    ImGui::BeginGroup();
    for (const ActionGroup which : column) {
      group(context, which, offset);
    }
    ImGui::EndGroup();
    ImGui::SameLine(0.0F, 2.0F * ImGui::GetFontSize());
  }
  ImGui::NewLine();
}

}  // namespace

Commands draw_keys(const Context& context) {
  auto& memory = context.memory.of<KeysMemory>();
  if (!context.state.show_keys) {
    memory.shows_all = false;
    return {};
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSizeConstraints({0.0F, 0.0F}, viewport->Size);
  const float size = memory.shows_all ? fitting_size(viewport->Size.y - 4.0F * ImGui::GetFontSize())
                                      : ImGui::GetFontSize();
  ImGui::PushFont(context.fonts.text, size / ImGui::GetStyle().FontScaleMain);
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em * 1.5F, em));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::SetNextWindowFocus();
  ImGui::Begin("###keys", nullptr,
               (ImGuiWindowFlags_NoDecoration & ~ImGuiWindowFlags_NoScrollbar) |
                   ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
  if (memory.shows_all) {
    draw_all_keys(context);
  } else {
    draw_first_keys(context);
    ImGui::Dummy({0.0F, 0.5F * em});
    memory.shows_all =
        ImGui::Button((std::string(tr("Enter  all keys")) + "###all keys").c_str()) ||
        ImGui::IsKeyPressed(ImGuiKey_Enter, false);
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
  ImGui::PopFont();
  return commands;
}

}  // namespace tilestep::ui
