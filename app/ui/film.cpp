#include "ui/film.h"

#include "problem/tr.h"
#include "problem/words.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

// What is said.
constexpr Message kAnyKey = "Any key or click: you have the controls, at this place.";

// In lines of text.
constexpr float kFilmBar = 0.25F;
constexpr float kFilmStrip = 30.0F;
constexpr const char* kStripWindow = "###film";

Commands skip(const Context& context) {
  const auto last = static_cast<int>(context.view.lesson->lesson->beats.size()) - 1;
  return {state::GoToBeat{last}, state::CloseLesson{}};
}

float seconds_of(const lesson::Lesson& lesson, std::size_t beats) {
  constexpr double kMinute = 60.0;
  double seconds = 0.0;
  for (std::size_t i = 0; i < beats; ++i) {
    seconds += kMinute * lesson.minutes_of(lesson.beats[i]);
  }
  return static_cast<float>(seconds);
}

// How much has played of all beats.
void draw_progress(const Context& context, float width) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const lesson::Lesson& film = *shown.lesson;
  const float before = seconds_of(film, shown.beat);
  const float here = seconds_of(film, shown.beat + 1) - before;
  const float all = seconds_of(film, film.beats.size());
  const float share = (before + static_cast<float>(shown.film_share) * here) / std::max(all, 1.0F);
  const float height = std::max(2.0F, std::round(kFilmBar * ImGui::GetFontSize()));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, context.theme.field);
  list.AddRectFilled(at, {at.x + share * width, at.y + height}, context.theme.text);
  ImGui::Dummy({width, height});
}

bool is_modifier(ImGuiKey key) {
  return (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper) ||
         (key >= ImGuiKey_ReservedForModCtrl && key <= ImGuiKey_ReservedForModSuper);
}

bool is_any_key_pressed() {
  for (int k = ImGuiKey_NamedKey_BEGIN; k < ImGuiKey_NamedKey_END; ++k) {
    const auto key = static_cast<ImGuiKey>(k);
    const bool is_mouse = key >= ImGuiKey_MouseLeft && key <= ImGuiKey_MouseWheelY;
    if (!is_mouse && !is_modifier(key) && ImGui::IsKeyPressed(key, false)) {
      return true;
    }
  }
  return false;
}

bool is_clicked_outside() {
  const ImGuiWindow* const hovered = ImGui::GetCurrentContext()->HoveredWindow;
  const ImGuiWindow* const strip = ImGui::FindWindowByName(kStripWindow);
  const bool is_strip = hovered != nullptr && hovered->RootWindow == strip;
  return !is_strip && (ImGui::IsMouseClicked(ImGuiMouseButton_Left) ||
                       ImGui::IsMouseClicked(ImGuiMouseButton_Right));
}

}  // namespace

Commands draw_film_strip(const Context& context, const Box& room) {
  const float font = ImGui::GetFontSize();
  const float width = std::min(room.w, kFilmStrip * font);
  ImGui::SetNextWindowPos({room.right(), room.bottom()}, ImGuiCond_Always, {1.0F, 1.0F});
  ImGui::SetNextWindowSizeConstraints({width, 0.0F}, {width, room.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  Commands commands;
  ImGui::Begin(kStripWindow, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
  draw_progress(context, ImGui::GetContentRegionAvail().x);
  wrapped_text(context.theme.text, kAnyKey.text());
  if (ImGui::Button((std::string(tr("Esc  skip")) + "###skip").c_str())) {
    append(commands, skip(context));
  }
  tooltip(tr("Ends the film at its last scene."));
  ImGui::SameLine();
  if (ImGui::Button((std::string(tr("Home  again")) + "###again").c_str())) {
    commands.emplace_back(state::GoToBeat{0});
  }
  tooltip(tr("Plays the film from its first scene."));
  ImGui::SameLine();
  append(commands, action_button(context, ActionId::PreviousBeat, "PgUp"));
  ImGui::SameLine();
  append(commands, action_button(context, ActionId::NextBeat, "PgDn"));
  ImGui::End();
  ImGui::PopStyleColor();
  return commands;
}

Commands film_keys(const Context& context, Commands pressed) {
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    return skip(context);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Home, false)) {
    return {state::GoToBeat{0}};
  }
  const bool walks = ImGui::IsKeyPressed(ImGuiKey_PageDown) || ImGui::IsKeyPressed(ImGuiKey_PageUp);
  if (walks || !(is_any_key_pressed() || is_clicked_outside())) {
    return pressed;
  }
  // The key that takes the controls steps, but opens and plays nothing.
  std::erase_if(pressed, [](const state::Command& command) { return !command.is<state::Step>(); });
  pressed.insert(pressed.begin(), state::CloseLesson{});
  return pressed;
}

}  // namespace tilestep::ui
