// The whole window: style, layout, and what lies over it.
#include "ui/draw.h"

#include "ui/actions.h"
#include "ui/copying.h"
#include "ui/entry_panels.h"
#include "ui/export_panel.h"
#include "ui/film.h"
#include "ui/keys_panel.h"
#include "ui/layout.h"
#include "ui/lecture_words.h"
#include "ui/lesson_list.h"
#include "ui/memory.h"
#include "ui/palette_panel.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "ui/veiling.h"

#include <imgui_internal.h>

#include <cfloat>
#include <cmath>
#include <iterator>
#include <numbers>

namespace tilestep::ui {

namespace {

// In lines of text.
constexpr float kRing = 1.6F;
constexpr float kRingWidth = 0.16F;
constexpr float kSpotlight = 8.0F;
constexpr float kSpotlightDims = 0.75F;
constexpr int kSpotlightCorners = 96;

// While one of them asks, what lies below takes no notice of the mouse: no tooltip over a list.
bool is_asking(const state::AppState& state) {
  return state.show_palette || state.show_keys || state.show_go_to || state.show_export ||
         state.show_save_as || state.course.list || state.asked != state::Asked::Nothing;
}

Commands draw_below(const Context& context) {
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  if (is_asking(context.state)) {
    io.MousePos = {-FLT_MAX, -FLT_MAX};
  }
  Commands commands = draw_layout(context);
  io.MousePos = mouse;
  return commands;
}

// For the last row: what the mouse points at.
void draw_ring(const Context& context) {
  const ImVec2 at = ImGui::GetMousePos();
  if (!context.state.course.ring || !ImGui::IsMousePosValid(&at)) {
    return;
  }
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddCircle(at, kRing * font, context.theme.window, 0, kRingWidth * 2.0F * font);
  list.AddCircle(at, kRing * font, context.theme.warning, 0, kRingWidth * font);
}

// Everything is dim but what is near the mouse pointer.
void draw_spotlight(const Context& context) {
  const ImVec2 at = ImGui::GetMousePos();
  if (!context.state.course.spotlight || !ImGui::IsMousePosValid(&at)) {
    return;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float inner = kSpotlight * ImGui::GetFontSize();
  const float outer = inner + viewport.Size.x + viewport.Size.y;
  const ImU32 dim = with_alpha(context.theme.window, kSpotlightDims);
  const auto on_circle = [at](float radius, int corner) {
    const float angle = 2.0F * std::numbers::pi_v<float> * static_cast<float>(corner) /
                        static_cast<float>(kSpotlightCorners);
    return ImVec2(at.x + radius * std::cos(angle), at.y + radius * std::sin(angle));
  };
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImDrawListFlags flags = list.Flags;
  list.Flags &= ~ImDrawListFlags_AntiAliasedFill;  // whose edges would show between the pieces
  for (int i = 0; i < kSpotlightCorners; ++i) {
    list.AddQuadFilled(on_circle(inner, i), on_circle(inner, i + 1), on_circle(outer, i + 1),
                       on_circle(outer, i), dim);
  }
  list.Flags = flags;
}

// Black, until something is pressed.
void draw_blank(const Context& context, Commands& commands) {
  if (!context.state.blank) {
    return;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::GetForegroundDrawList()->AddRectFilled(
      viewport.Pos, {viewport.Pos.x + viewport.Size.x, viewport.Pos.y + viewport.Size.y},
      IM_COL32_BLACK);
  if (!commands.empty() || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    commands.emplace_back(state::Blank{false});
  }
}

}  // namespace

Commands draw(const Context& given) {
  const Veiling veiling(given);
  const Context& context = veiling.context();
  context.memory.note_frame(context.now);
  apply_style(context.theme, ImGui::GetFontSize());
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text);
  const bool closes_popup = ImGui::IsKeyPressed(ImGuiKey_Escape, false) &&
                            ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (closes_popup) {
    ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
  }
  begin_copying(context);
  Commands commands = draw_below(context);
  for (Commands over :
       {draw_keys(context), draw_palette(context), draw_go_to(context), draw_condition(context),
        draw_asked(context), draw_save_as(context), draw_export(context), draw_lesson_list(context),
        plays_film(context) ? film_keys(context, pressed_actions(context))
                            : pressed_actions(context)}) {
    commands.insert(commands.end(), std::make_move_iterator(over.begin()),
                    std::make_move_iterator(over.end()));
  }
  draw_ring(context);
  draw_spotlight(context);
  draw_blank(context, commands);
  ImGui::PopStyleColor();
  return commands;
}

}  // namespace tilestep::ui
