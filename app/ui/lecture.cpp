#include "ui/lecture.h"

#include "ui/beat_dots.h"
#include "ui/compare_view.h"
#include "ui/instrument.h"
#include "ui/lecture_words.h"
#include "ui/said.h"
#include "ui/source_panel.h"
#include "ui/stage_panel.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kDotDistance = 1.45F;  // lines
constexpr float kDot = 0.28F;

// Done: filled, current: ringed, to come: an outline. Where there are too many, a bar.
void draw_dots(const Context& context, const Box& box) {
  const Theme& t = context.theme;
  if (context.view.scene == nullptr) {
    return;
  }
  const auto phases = context.view.scene->recording->phases_of(context.state.focus.block);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float font = ImGui::GetFontSize();
  const float y = std::round(box.y + 0.5F * box.h);
  const auto count = static_cast<float>(phases.size());
  const float width = kDotDistance * font * std::max(count - 1.0F, 0.0F);
  std::size_t current = phases.size();
  for (std::size_t i = 0; i < phases.size() && current == phases.size(); ++i) {
    current = context.state.step < phases[i].last_step ? i : current;
  }
  if (context.state.phase.done && current > 0) {
    --current;  // which is shown as a whole, at the start of the next one
  }
  current = phases.empty() ? 0 : std::min(current, phases.size() - 1);
  if (width > box.w) {
    const float share = static_cast<float>(current) / std::max(count, 1.0F);
    list.AddRectFilled({box.x, y - 0.1F * font}, {box.right(), y + 0.1F * font}, t.field);
    list.AddRectFilled({box.x, y - 0.1F * font}, {box.x + share * box.w, y + 0.1F * font},
                       t.accent.fill);
    return;
  }
  float x = box.x + 0.5F * (box.w - width);
  const float radius = kDot * font;
  for (std::size_t i = 0; i < phases.size(); ++i, x += kDotDistance * font) {
    if (i < current) {
      list.AddCircleFilled({x, y}, radius, t.accent.fill);
    } else if (i == current) {
      list.AddCircleFilled({x, y}, radius, t.accent.fill);
      list.AddCircle({x, y}, 1.7F * radius, t.accent.fill, 0, std::max(2.0F, 0.09F * font));
    } else {
      list.AddCircle({x, y}, radius, t.text_dim, 0, std::max(1.5F, 0.06F * font));
    }
  }
}

void draw_lines(const Context& context, const Box& box, Commands& commands) {
  const float font = ImGui::GetFontSize();
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      ImVec2(std::round(0.2F * font), std::round(0.2F * font)));
  if (ImGui::BeginChild("###lines", {box.w, box.h}, ImGuiChildFlags_AlwaysUseWindowPadding,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    append(commands, draw_source(context, true));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Commands leave_lecture(const Context& context) {
  const bool leaves = !context.state.show_keys && !context.state.show_palette &&
                      !context.state.blank && !context.state.course.list && !is_asked(context) &&
                      ImGui::IsKeyPressed(ImGuiKey_Escape);
  return leaves ? Commands{state::ShowLecture{false}} : Commands{};
}

}  // namespace

Commands draw_lecture(const Context& context, const Box& window) {
  const bool has_lesson = context.view.lesson != nullptr;
  // A lesson's scenes have their sizes.
  const float instrument =
      has_lesson ? 0.0F : instrument_height(context, window.h, plan_lecture(window).font);
  LecturePlan lecture = plan_lecture(window, has_lesson, has_question(context), instrument);
  if (context.state.comparison.on && context.view.beside != nullptr) {
    ImGui::PushFont(context.fonts.text, lecture.font / ImGui::GetStyle().FontScaleMain);
    Commands commands;
    const Box rest = has_lesson ? draw_lecture_frame(context, window, commands) : window;
    append(commands, draw_compared(context, rest));
    ImGui::PopFont();
    append(commands, leave_lecture(context));
    return commands;
  }
  ImGui::SetNextWindowPos({window.x, window.y});
  ImGui::SetNextWindowSize({window.w, window.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.window);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::PushFont(context.fonts.text, lecture.font / ImGui::GetStyle().FontScaleMain);
  Commands commands;
  if (ImGui::Begin("###lecture", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus |
                       ImGuiWindowFlags_NoBringToFrontOnFocus)) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the instrument lies over it
    lecture.plan.leaves_words =
        has_lesson && !context.view.lesson->has_wandered && !lecture.plan.asks;
    append(commands, draw_stage(context, lecture.plan));
    if (lecture.plan.leaves_words) {
      draw_lecture_words(context, lecture.plan.narration);
    }
    if (has_lesson) {
      append(commands, draw_beat_dots(context, lecture.plan.dots, DotsAt::Middle));
    } else {
      draw_dots(context, lecture.plan.dots);
    }
    draw_lines(context, lecture.plan.source, commands);
    append(commands, draw_said(context, lecture.plan.source));
  }
  ImGui::End();
  append(commands, draw_instrument(context, lecture.plan.instrument));
  ImGui::PopFont();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  append(commands, leave_lecture(context));
  return commands;
}

}  // namespace tilestep::ui
