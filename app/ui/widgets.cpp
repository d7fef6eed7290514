#include "ui/widgets.h"

#include "ui/theme.h"

#include <iterator>

namespace tilestep::ui {

void field_label(const Context& context, const char* text) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.theme.text_dim, text);
  ImGui::SameLine(0.0F, ImGui::GetStyle().ItemInnerSpacing.x);
}

void tooltip(const std::string& text) {
  ImGui::SetItemTooltip("%s", text.c_str());
}

Commands action_button(const Context& context, ActionId id, const char* face, bool lit) {
  const Action& a = action(id);
  ImGui::PushID(static_cast<int>(id));
  if (lit) {
    ImGui::PushStyleColor(ImGuiCol_Button, context.theme.selected.fill);
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.selected.text);
  }
  const bool pressed = ImGui::Button(face);
  if (lit) {
    ImGui::PopStyleColor(2);
  }
  ImGui::PopID();
  tooltip(tooltip_text(a));
  return pressed ? a.commands(context) : Commands{};
}

void append(Commands& to, Commands from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void coloured_text(ImU32 colour, const char* text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void heading(const Context& context, const char* text) {
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.25F});
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

}  // namespace tilestep::ui
