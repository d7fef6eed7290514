#include "ui/timeline_panel.h"

#include "ui/icons.h"
#include "ui/names.h"
#include "ui/theme.h"
#include "ui/timeline_axis.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

struct Row {
  std::uint32_t block;
  float top;
  float bottom;
};

void draw_segment(const Context& context, ImDrawList& list, const record::Phase& phase,
                  const Row& row, const TimelineAxis& axis, bool is_first) {
  const bool focused = row.block == context.state.focus.block;
  const Fill colour = phase_colour(context.theme, phase.kind);
  // The first phase begins with its statement; the others where the one before ends.
  const float left = is_first ? axis.left_of(phase.first_step) : axis.right_of(phase.first_step);
  const float right = std::max(axis.right_of(phase.last_step) - 1.0F, left + 1.0F);
  const ImU32 fill = focused ? colour.fill : mix(context.theme.panel, colour.fill, 0.38F);
  list.AddRectFilled({left, row.top}, {right, row.bottom}, fill, 3.0F);
  const float em = ImGui::GetFontSize();
  if (focused && right - left > em * 2.0F) {
    ImGui::PushFont(context.fonts.bold, 0.85F * ImGui::GetStyle().FontSizeBase);
    ImGui::PushStyleColor(ImGuiCol_Text, colour.text);
    ImGui::RenderTextEllipsis(
        &list, {left + em * 0.4F, std::round((row.top + row.bottom - em * 0.85F) * 0.5F)},
        {right - em * 0.3F, row.bottom}, right - em * 0.3F, phase.name->c_str(), nullptr, nullptr);
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  if (phase.ends_at_barrier && focused) {
    for (float y = row.top - em * 0.15F; y < row.bottom + em * 0.15F; y += 4.0F) {
      list.AddLine({right, y}, {right, y + 2.0F}, context.theme.text, 1.5F);
    }
  }
}

void draw_label(const Context& context, ImDrawList& list, const record::Recording& run,
                const Row& row, float left) {
  const bool focused = row.block == context.state.focus.block;
  const float em = ImGui::GetFontSize();
  const float size = em * 0.88F;
  const float y = (row.top + row.bottom - size) * 0.5F;
  list.AddCircleFilled({left + em * 0.35F, (row.top + row.bottom) * 0.5F}, em * 0.28F,
                       block_colour(context.theme, run.program().block_index(row.block)));
  list.AddText(focused ? context.fonts.bold : context.fonts.text, size, {left + em, y},
               focused ? context.theme.text : context.theme.text_dim,
               block_name(run.program(), row.block).c_str());
}

// Rows of blocks around the focus block: as many as fit.
std::vector<Row> visible_rows(const Context& context, std::uint32_t blocks, ImVec2 at,
                              float height) {
  const float em = ImGui::GetFontSize();
  const auto fit = static_cast<std::uint32_t>(std::max(1.0F, std::floor(height / (em * 1.15F))));
  const std::uint32_t count = std::min(fit, blocks);
  const std::uint32_t focus = context.state.focus.block;
  const std::uint32_t first = std::min(focus > count / 2 ? focus - count / 2 : 0U, blocks - count);
  const float row_height = std::min(height / static_cast<float>(count), em * 1.9F);
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float top = at.y + row_height * static_cast<float>(i);
    rows.push_back({first + i, top, top + row_height - em * 0.2F});
  }
  return rows;
}

void draw_marks(const Context& context, ImDrawList& list, const record::Recording& run,
                const TimelineAxis& axis, float top, float bottom) {
  const float em = ImGui::GetFontSize();
  for (const auto& fault : run.faults()) {
    const float x = axis.x_of(fault.step);
    list.AddTriangleFilled({x - em * 0.3F, top - em * 0.55F}, {x + em * 0.3F, top - em * 0.55F},
                           {x, top - em * 0.05F}, context.theme.bad);
  }
  const float x = axis.x_of(context.state.step);
  list.AddLine({x, top - em * 0.3F}, {x, bottom + em * 0.2F}, context.theme.text, 2.0F);
  list.AddTriangleFilled({x - em * 0.35F, top - em * 0.5F}, {x + em * 0.35F, top - em * 0.5F},
                         {x, top}, context.theme.text);
}

const record::Phase* phase_under(const record::Recording& run, const std::vector<Row>& rows,
                                 const TimelineAxis& axis, ImVec2 mouse) {
  for (const Row& row : rows) {
    if (mouse.y >= row.top && mouse.y < row.bottom) {
      return run.phase_at(row.block, axis.step_at(mouse.x));
    }
  }
  return nullptr;
}

void draw_track(const Context& context, const record::Recording& run, ImVec2 size,
                Commands& commands) {
  const float em = ImGui::GetFontSize();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float label_width = em * 6.4F;
  const float head = em * 0.6F;
  const TimelineAxis axis(run.statement_starts(), origin.x + label_width,
                          origin.x + size.x - em * 0.4F);
  ImGui::InvisibleButton("track", size);
  const auto rows = visible_rows(context, run.program().block_count(), {origin.x, origin.y + head},
                                 size.y - head - em * 0.3F);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) {
    if (mouse.x >= origin.x + label_width) {
      commands.push_back(state::Play{false});
      commands.push_back(state::SeekStep{axis.step_at(mouse.x)});
    }
    for (const Row& row : rows) {
      if (ImGui::IsItemActivated() && mouse.y >= row.top && mouse.y < row.bottom) {
        commands.push_back(state::FocusThread{row.block, context.state.focus.thread});
      }
    }
  } else if (ImGui::IsItemHovered()) {
    if (const record::Phase* phase = phase_under(run, rows, axis, mouse)) {
      ImGui::SetTooltip("%s: %s\nClick to go there.",
                        block_name(run.program(), phase->block).c_str(), phase->name->c_str());
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Row& row : rows) {
    draw_label(context, list, run, row, origin.x);
    const auto phases = run.phases_of(row.block);
    for (const record::Phase& phase : phases) {
      draw_segment(context, list, phase, row, axis, &phase == phases.data());
    }
  }
  draw_marks(context, list, run, axis, rows.front().top, rows.back().bottom);
}

void transport(const Context& context, const record::Recording& run, Commands& commands) {
  const struct {
    ActionId id;
    const char* face;
  } buttons[] = {
      {ActionId::GoToStart, icon::kToStart},
      {ActionId::PreviousPhase, icon::kBackward},
      {ActionId::PreviousStatement, icon::kStepBack},
      {ActionId::TogglePlay, context.state.playing ? icon::kPause : icon::kPlay},
      {ActionId::NextStatement, icon::kStepForward},
      {ActionId::NextPhase, icon::kForward},
      {ActionId::GoToEnd, icon::kToEnd},
  };
  const bool wide = ImGui::GetContentRegionAvail().x > ImGui::GetFontSize() * 62.0F;
  for (const auto& [id, face] : buttons) {
    append(commands,
           action_button(context, id, face, id == ActionId::TogglePlay && context.state.playing));
    ImGui::SameLine();
    if (wide) {
      ImGui::AlignTextToFramePadding();
      coloured_text(context.theme.text_dim, key_name(action(id).key).c_str());
      ImGui::SameLine(0.0F, ImGui::GetFontSize() * 0.9F);
    }
  }
  float pace = context.state.pace;
  field_label(context, "pace");
  const Slider slider{.id = "##pace",
                      .low = state::kMinPace,
                      .high = state::kMaxPace,
                      .width = ImGui::GetFontSize() * 7.5F,
                      .shown = fmt::format("{:.1f}/s", pace),
                      .widest = "240.0/s",
                      .flags = ImGuiSliderFlags_Logarithmic};
  if (value_slider(context, slider, pace)) {
    commands.push_back(state::SetPace{pace});
  }
  tooltip("Statements per second while playing. [ and ] change it.");
  const std::size_t statements = run.statement_starts().size() - 1;
  const std::size_t done =
      context.state.step >= run.step_count() ? statements : run.statement_of(context.state.step);
  const std::string where = fmt::format("statement {} of {} · step {} of {}", done, statements,
                                        context.state.step, run.step_count());
  const float x = ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x -
                  ImGui::CalcTextSize(where.c_str()).x;
  ImGui::SameLine();
  if (x > ImGui::GetCursorPosX()) {
    ImGui::SetCursorPosX(x);
    ImGui::AlignTextToFramePadding();
    coloured_text(context.theme.text_dim, where.c_str());
  } else {
    ImGui::NewLine();
  }
}

}  // namespace

Commands draw_timeline(const Context& context) {
  if (context.view.scene == nullptr) {
    coloured_text(context.theme.text_dim, "No recording yet.");
    return {};
  }
  Commands commands;
  const record::Recording& run = *context.view.scene->recording;
  const float below = ImGui::GetFrameHeightWithSpacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  draw_track(context, run, {room.x, std::max(room.y - below, ImGui::GetFontSize() * 2.5F)},
             commands);
  transport(context, run, commands);
  return commands;
}

}  // namespace tilestep::ui
