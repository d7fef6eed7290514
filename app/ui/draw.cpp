// The whole window: style, layout, and what lies over it.
#include "ui/draw.h"

#include "ui/actions.h"
#include "ui/entry_panels.h"
#include "ui/keys_panel.h"
#include "ui/layout.h"
#include "ui/memory.h"
#include "ui/palette_panel.h"
#include "ui/panel.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <iterator>

namespace tilestep::ui {

Commands draw(const Context& context) {
  context.memory.note_frame(context.now);
  apply_style(context.theme, ImGui::GetFontSize());
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text);
  const bool closes_popup = ImGui::IsKeyPressed(ImGuiKey_Escape, false) &&
                            ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (closes_popup) {
    ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
  }
  Commands commands = draw_layout(context);
  for (Commands over : {draw_keys(context), draw_palette(context), draw_go_to(context),
                        draw_condition(context), draw_save_as(context), pressed_actions(context)}) {
    commands.insert(commands.end(), std::make_move_iterator(over.begin()),
                    std::make_move_iterator(over.end()));
  }
  ImGui::PopStyleColor();
  return commands;
}

}  // namespace tilestep::ui
