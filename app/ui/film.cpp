#include "ui/film.h"

#include "problem/problem.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr Message kAnyKey = "Press any key or click to take control here.";

// Sizes in lines of text.
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

// Draws the played share of all beats.
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

constexpr const char* kLaunch = "{}  ·  {}×{}×{}";
constexpr const char* kBlockSize = "  ·  BLOCK_SIZE {}";
constexpr Message kPhase = "phase {} of {}: {}";
constexpr Message kStatement = "statement {} of {}";
constexpr const char* kFilmGap = "  ·  ";

constexpr float kHeight = 1.9F;   // in font sizes
constexpr float kShare = 0.026F;  // of the window's height: the least text size

std::string phase_text(const Context& context) {
  const record::Recording& run = *context.view.run.scene->recording;
  const auto phases = run.phases_of(context.state.focus.block);
  std::optional<std::size_t> at;
  if (context.view.narration.shows_phase) {
    at = context.view.narration.phase_over;
  } else if (const auto* const phase =
                 run.phase_at(context.state.focus.block, context.state.step)) {
    at = static_cast<std::size_t>(phase - phases.data());
  }
  return at && *at < phases.size()
             ? fmt::format(fmt::runtime(kPhase.text()), *at + 1, phases.size(), *phases[*at].name)
             : std::string();
}

// "Tiled (shared memory) · 8×8×8 · BLOCK_SIZE 4" and "phase 2 of 5: multiply tile 0 · statement 31
// of 120".
std::string caption_of_launch(const Context& context) {
  if (context.view.run.scene == nullptr) {
    return {};
  }
  const problem::LaunchSpec& spec = context.view.run.scene->spec;
  const problem::Parameters& p = context.view.run.scene->launch.parameters;
  std::string text = fmt::format(fmt::runtime(kLaunch), tr(spec.title.c_str()), p.problem.M,
                                 p.problem.N, p.problem.K);
  if (spec.uses_block_size) {
    text += fmt::format(fmt::runtime(kBlockSize), p.block_size);
  }
  return text;
}

std::string caption_of_place(const Context& context) {
  if (context.view.run.scene == nullptr) {
    return {};
  }
  const record::Recording& run = *context.view.run.scene->recording;
  const std::size_t statements = run.statement_starts().size();
  const std::uint64_t step = std::min(context.state.step, run.step_count());
  std::string text = phase_text(context);
  if (step > 0 && statements > 1) {
    text += (text.empty() ? "" : kFilmGap) + fmt::format(fmt::runtime(kStatement.text()),
                                                         run.statement_of(step - 1) + 1,
                                                         statements - 1);
  }
  return text;
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
  tooltip(tr("Skips to the last scene and ends the opening."));
  ImGui::SameLine();
  if (ImGui::Button((std::string(tr("Home  replay")) + "###again").c_str())) {
    commands.emplace_back(state::GoToBeat{0});
  }
  tooltip(tr("Plays the opening from its first scene."));
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
  // The key that takes the controls makes its step, but opens and plays nothing.
  std::erase_if(pressed, [](const state::Command& command) { return !command.is<state::Step>(); });
  pressed.insert(pressed.begin(), state::CloseLesson{});
  return pressed;
}

void draw_caption(const Context& context) {
  const float em =
      std::max(ImGui::GetFontSize(), std::floor(kShare * ImGui::GetMainViewport()->Size.y));
  ImGui::PushFont(context.fonts.text, em / ImGui::GetStyle().FontScaleMain);
  const float height = std::floor(kHeight * em);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      ImVec2(em, std::floor(0.5F * (height - ImGui::GetTextLineHeight()))));
  if (ImGui::BeginViewportSideBar("###caption", ImGui::GetMainViewport(), ImGuiDir_Down, height,
                                  ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoDocking)) {
    const std::string place = caption_of_place(context);
    const float width = ImGui::CalcTextSize(place.c_str()).x;
    const float room = ImGui::GetContentRegionAvail().x;
    coloured_text(context.theme.text,
                  cut_to(caption_of_launch(context), std::max(room - width - em, 0.0F)).c_str());
    ImGui::SameLine(ImGui::GetCursorStartPos().x + std::max(0.0F, room - width));
    coloured_text(context.theme.text_dim, place.c_str());
  }
  ImGui::End();
  ImGui::PopFont();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

}  // namespace tilestep::ui
