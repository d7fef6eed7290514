#include "ui/layout.h"

#include "ui/controls_panel.h"
#include "ui/event_menu.h"
#include "ui/inspector/panel.h"
#include "ui/lecture.h"
#include "ui/memory.h"
#include "ui/phase_card.h"
#include "ui/source_panel.h"
#include "ui/stage_panel.h"
#include "ui/theme.h"
#include "ui/timeline_panel.h"
#include "ui/timing_panel.h"
#include "ui/warp_card.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tilestep::ui {
namespace {

// An answer that comes sooner is not announced: it would flicker.
constexpr double kUnnoticed = 0.1;  // seconds

// What is still on stage, but is not what was asked for, is dimmed; not the sentence that says so,
// which ends at `said_above`.
void dim_what_is_old(const Context& context, float said_above) {
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
  const float top = context.view.busy ? from.y : std::max(from.y, said_above);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled({from.x, top}, {from.x + size.x, from.y + size.y},
                     (context.theme.panel & ~IM_COL32_A_MASK) | (0xA0U << IM_COL32_A_SHIFT));
  list.PopClipRect();
}

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNavFocus;

Commands draw_top_bar(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const float pad = std::floor((size.y - ImGui::GetFrameHeight()) * 0.5F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(std::floor(em * 0.8F), pad));
  Commands commands;
  if (ImGui::Begin("###top", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse)) {
    commands = draw_controls(context);
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
  return commands;
}

Commands draw_timing_tab(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  Commands commands;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const ImGuiWindowFlags flags = (kFixed & ~ImGuiWindowFlags_NoScrollbar) |
                                 ImGuiWindowFlags_HorizontalScrollbar |
                                 ImGuiWindowFlags_NoBackground;
  const bool is_open = ImGui::Begin("###timing", nullptr, flags);
  ImGui::PopStyleVar();
  if (is_open) {
    commands = draw_timing(context);
  }
  ImGui::End();
  return commands;
}

struct Panel {
  const char* window;
  Box box;
  bool shows_recording = true;
  bool is_ground = false;
  float said_above = 0.0F;
};

// A card of its own; what `draw` draws belongs to it.
template <class Draw>
void draw_panel(const Context& context, const Panel& panel, Draw draw) {
  ImGui::SetNextWindowPos({panel.box.x, panel.box.y});
  ImGui::SetNextWindowSize({panel.box.w, panel.box.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  const ImGuiWindowFlags flags = kFixed | ImGuiWindowFlags_NoScrollWithMouse;
  if (ImGui::Begin(panel.window, nullptr, flags)) {
    if (panel.is_ground) {  // the source's strip and the drawer lie over it
      ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    }
    draw();
    if (panel.shows_recording) {
      dim_what_is_old(context, panel.said_above);
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

// Over the column of source, where there is one; else over the sum's end. At the bottom.
Box event_room(const WindowPlan& plan, float font) {
  const float bottom = plan.timeline.y - 0.3F * font;
  if (!plan.has_strip()) {
    return {plan.source.x, plan.source.y, plan.source.w, bottom - plan.source.y};
  }
  const float width = 0.6F * plan.timeline.w;
  const float height = std::min(9.0F * font, bottom - plan.stage.y);
  return {plan.timeline.right() - 0.3F * font - width, bottom - height, width, height};
}

// Below the source: a phase's lines where a phase is shown, else the warp at the statement.
Commands draw_card(const Context& context) {
  const bool is_statement = context.view.scene != nullptr && context.view.statement != nullptr &&
                            !context.view.shows_phase && context.view.state->step() > 0;
  if (is_statement) {
    return draw_warp_card(context);
  }
  draw_phase_card(context);
  return {};
}

Commands draw_step_tab(const Context& context, const Box& room) {
  const bool is_wide = context.state.source_page != state::SourcePage::Source;
  WindowPlan plan = plan_window(
      {.room = room,
       .font = ImGui::GetFontSize(),
       .keeps_source = context.state.editing || context.state.header_open || is_wide ||
                       context.view.file.on_disk.has_value(),
       .is_wide = is_wide,
       .numbers = [&context](const WindowPlan& tried) { return stage_numbers(context, tried); }});
  const Box card = take_card(plan, ImGui::GetFontSize());
  Commands commands;
  draw_panel(context, {"Stage###stage", plan.stage, true, true, plan.narration.bottom()},
             [&] { append(commands, draw_stage(context, plan)); });
  const bool strip = plan.has_strip();
  const float pad = std::floor(ImGui::GetFontSize() * (strip ? 0.25F : 0.5F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  if (strip) {  // a bar would take one of the few lines
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 1.0F);
  }
  draw_panel(context, {"Source###source", plan.source, false},
             [&] { append(commands, draw_source(context, strip)); });
  if (card.h > 0.0F) {
    draw_panel(context, {"Card###card", card}, [&] { append(commands, draw_card(context)); });
  }
  ImGui::PopStyleVar(strip ? 2 : 1);
  draw_panel(context, {"Timeline###timeline", plan.timeline},
             [&] { append(commands, draw_timeline(context, plan.has(Yield::ShortTimeline))); });
  draw_event_sentence(context, event_room(plan, ImGui::GetFontSize()));
  if (context.state.inspector_open) {
    draw_panel(context, {"Inspector###inspector", plan.drawer},
               [&] { append(commands, draw_inspector(context)); });
  }
  return commands;
}

}  // namespace

float top_bar_height(float font_size) {
  return std::floor(font_size * 2.6F);
}

Commands draw_layout(const Context& context) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (context.state.lecture && context.state.tab == state::Tab::Step) {
    return draw_lecture(context,
                        {viewport->Pos.x, viewport->Pos.y, viewport->Size.x, viewport->Size.y});
  }
  const float bar = top_bar_height(ImGui::GetFontSize());
  const ImVec2 below(viewport->Pos.x, viewport->Pos.y + bar);
  const ImVec2 room(viewport->Size.x, viewport->Size.y - bar);
  Commands commands = draw_top_bar(context, viewport->Pos, {viewport->Size.x, bar});
  if (context.state.tab == state::Tab::Timing) {
    append(commands, draw_timing_tab(context, below, room));
  } else {
    append(commands, draw_step_tab(context, {below.x, below.y, room.x, room.y}));
  }
  return commands;
}

}  // namespace tilestep::ui
