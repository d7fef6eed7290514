#include "problem/tr.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timeline/timeline.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// An opened fold: the part of the run that the timeline shows.
struct TimelineMemory {
  workspace::Generation generation;
  std::uint64_t first = 0;  // steps; both 0: the whole run
  std::uint64_t last = 0;
  bool opened_now = false;  // by the button that is still pressed, which must not scrub

  [[nodiscard]] bool is_part() const { return last > first; }
};

// Widths in lines of text: of a phase with a readable sign, of a fold with a readable name.
constexpr float kLeastPhase = 1.6F;
constexpr float kLeastFold = 6.4F;

struct Row {
  std::uint32_t block;
  float top;
  float bottom;
};

// The fill for over, current or later: by what the step on stage has executed of the phase.
Fill phase_fill(const Context& context, const record::Phase& phase, bool focused) {
  const std::uint64_t step = context.state.step;
  const Theme& t = context.theme;
  const Fill fill = phase.last_step <= step   ? t.phase_done
                    : phase.first_step < step ? t.phase_now
                                              : t.phase;
  return focused ? fill : Fill{mix(t.panel, fill.fill, 0.6F), fill.text};
}

void draw_segment(const Context& context, ImDrawList& list, const record::Phase& phase,
                  const Row& row, const TimelineAxis& axis, bool is_first) {
  const bool focused = row.block == context.state.focus.block;
  const Fill colour = phase_fill(context, phase, focused);
  // The first phase begins with its statement; each other one where the previous one ends.
  const float left = is_first ? axis.left_of(phase.first_step) : axis.right_of(phase.first_step);
  const float right = std::max(axis.right_of(phase.last_step) - 1.0F, left + 1.0F);
  const float em = ImGui::GetFontSize();
  list.AddRectFilled({left, row.top}, {right, row.bottom}, colour.fill, focused ? 3.0F : 1.0F);
  const bool is_current =
      focused && phase.first_step < context.state.step && context.state.step <= phase.last_step;
  if (is_current) {
    list.AddRect({left, row.top}, {right, row.bottom}, context.theme.focus, 3.0F, ImDrawFlags_None,
                 1.5F);
  }
  if (focused && right - left > em * 1.4F) {
    const float size = 0.9F * em;
    const std::string words = phase_words(context, phase, size, right - left - 0.8F * em);
    list.AddText(context.fonts.bold, size,
                 {left + em * 0.4F, std::round((row.top + row.bottom - size) * 0.5F)}, colour.text,
                 words.c_str());
  }
  if (phase.ends_at_barrier && focused) {
    for (float y = row.top - em * 0.15F; y < row.bottom + em * 0.15F; y += 4.0F) {
      list.AddLine({right, y}, {right, y + 2.0F}, context.theme.text, 1.5F);
    }
  }
}

// A phase that a lesson's scene points at: framed, with its label.
void draw_pointed_phase(const Context& context, ImDrawList& list, const record::Recording& run,
                        const Row& row, const TimelineAxis& axis) {
  const auto& shown = context.view.lesson;
  if (shown == nullptr || shown->scene == nullptr || shown->has_wandered) {
    return;
  }
  const auto phases = run.phases_of(row.block);
  const float em = ImGui::GetFontSize();
  for (std::size_t i = 0; i < shown->labels.size(); ++i) {
    const auto& of = shown->scene->points[i].phase;
    if (!of || static_cast<std::size_t>(*of) >= phases.size()) {
      continue;
    }
    const record::Phase& phase = phases[static_cast<std::size_t>(*of)];
    const float left = axis.left_of(phase.first_step);
    const float right = std::max(axis.right_of(phase.last_step), left + 0.5F * em);
    list.AddRect({left - 1.0F, row.top - 1.0F}, {right + 1.0F, row.bottom + 1.0F},
                 context.theme.text, 3.0F, ImDrawFlags_None, 2.0F);
    const float size = 0.8F * em;
    const float width = text_width(context.fonts.bold, size, shown->labels[i]);
    const ImVec2 at(std::round(left + 0.5F * (right - left - width)), row.top - size);
    list.AddRectFilled({at.x - 0.3F * em, at.y}, {at.x + width + 0.3F * em, at.y + size},
                       context.theme.raised, 2.0F);
    list.AddText(context.fonts.bold, size, at, context.theme.text, shown->labels[i].c_str());
  }
}

void draw_phase_label(const Context& context, ImDrawList& list, const record::Recording& run,
                      const Row& row, float left) {
  const float em = ImGui::GetFontSize();
  const ImU32 colour = block_colour(context.theme, run.program().block_index(row.block));
  const float middle = (row.top + row.bottom) * 0.5F;
  const float half = std::min(0.5F * (row.bottom - row.top), 0.28F * em);
  list.AddRectFilled({left + em * 0.35F - half, middle - half},
                     {left + em * 0.35F + half, middle + half}, colour, 0.3F * half);
  if (row.block == context.state.focus.block) {
    const float size = em * 0.95F;
    list.AddText(context.fonts.bold, size, {left + em, middle - 0.5F * size}, context.theme.text,
                 block_name(run.program(), row.block).c_str());
  }
}

// The focus block's row with its name, and thin rows of as many blocks around it as fit.
std::vector<Row> visible_rows(const Context& context, std::uint32_t blocks, ImVec2 at,
                              float height) {
  const float em = ImGui::GetFontSize();
  const float tall = std::clamp(height, 0.8F * em, 1.5F * em);
  const float thin = 0.42F * em;
  const auto fit =
      static_cast<std::uint32_t>(std::max(1.0F, 1.0F + std::floor((height - tall) / thin)));
  const std::uint32_t count = std::min({fit, blocks, 9U});
  const std::uint32_t focus = context.state.focus.block;
  const std::uint32_t first = std::min(focus > count / 2 ? focus - count / 2 : 0U, blocks - count);
  std::vector<Row> rows;
  float y = at.y;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float row = first + i == focus ? tall : thin;
    rows.push_back({first + i, y, y + row - 0.14F * em});
    y += row;
  }
  return rows;
}

void draw_marks(const Context& context, ImDrawList& list, const record::Recording& run,
                const TimelineAxis& axis, float top, float bottom) {
  const float em = ImGui::GetFontSize();
  for (const auto& fault : run.faults()) {
    if (hides(context, course::Topic::Findings)) {
      break;
    }
    const float x = axis.x_of(fault.step);
    list.AddTriangleFilled({x - em * 0.3F, top - em * 0.55F}, {x + em * 0.3F, top - em * 0.55F},
                           {x, top - em * 0.05F}, context.theme.bad);
  }
  const float x = axis.x_of(context.state.step);
  list.AddLine({x, top - em * 0.3F}, {x, bottom + em * 0.2F}, context.theme.text, 2.0F);
  list.AddTriangleFilled({x - em * 0.35F, top - em * 0.5F}, {x + em * 0.35F, top - em * 0.5F},
                         {x, top}, context.theme.text);
}

// The visible statements.
std::span<const std::uint64_t> shown_starts(const record::Recording& run,
                                            const TimelineMemory& memory) {
  const auto starts = run.statement_starts();
  if (!memory.is_part()) {
    return starts;
  }
  const auto first = std::upper_bound(starts.begin(), starts.end(), memory.first) - 1;
  const auto last = std::lower_bound(first, starts.end(), memory.last);
  return {first, last == starts.end() ? last : last + 1};
}

// Another run, or a step elsewhere, shows the whole run again.
void check_part(const Context& context, TimelineMemory& memory) {
  const std::uint64_t step = context.state.step;
  const bool is_inside = memory.first <= step && step <= memory.last;
  if (memory.generation != context.view.run.scene->generation || (memory.is_part() && !is_inside)) {
    memory = {.generation = context.view.run.scene->generation};
  }
}

// False if it is outside the visible part.
bool is_shown(const record::Phase& phase, const TimelineMemory& memory) {
  return !memory.is_part() || (phase.first_step < memory.last && memory.first < phase.last_step);
}

// The focus block's phases, with narrow ones folded.
std::vector<PhaseFold> row_folds(const record::Recording& run, std::uint32_t block,
                                 const TimelineMemory& memory, const TimelineAxis& axis) {
  const auto all = run.phases_of(block);
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&](const auto& phase) { return is_shown(phase, memory); });
  const auto last =
      std::find_if(first, all.end(), [&](const auto& phase) { return !is_shown(phase, memory); });
  const auto offset = static_cast<std::size_t>(first - all.begin());
  std::vector<PhaseFold> folds =
      fold_phases({first, last}, kLeastPhase * ImGui::GetFontSize(),
                  kLeastFold * ImGui::GetFontSize(), [&](std::size_t from, std::size_t to) {
                    return axis.right_of(first[static_cast<std::ptrdiff_t>(to) - 1].last_step) -
                           axis.left_of(first[static_cast<std::ptrdiff_t>(from)].first_step);
                  });
  for (PhaseFold& fold : folds) {
    fold.first += offset;
    fold.last += offset;
  }
  return folds;
}

void draw_folds(const Context& context, ImDrawList& list, const record::Recording& run,
                const Row& row, const std::vector<PhaseFold>& folds, const TimelineAxis& axis) {
  const auto phases = run.phases_of(row.block);
  for (const PhaseFold& fold : folds) {
    record::Phase shown = phases[fold.first];
    if (fold.is_fold()) {
      shown.kind = record::PhaseKind::Other;
      shown.ends_at_barrier = phases[fold.last - 1].ends_at_barrier;
      shown.last_step = phases[fold.last - 1].last_step;
      shown.name = &fold.name;
    }
    draw_segment(context, list, shown, row, axis, fold.first == 0);
  }
}

// A press on a fold of the focus block opens it; a press on the names shows the whole run again.
// Returns true if it was one of these.
bool open_or_close(const record::Recording& run, const Row& row,
                   const std::vector<PhaseFold>& folds, const TimelineAxis& axis, bool on_names,
                   TimelineMemory& memory) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (on_names && memory.is_part()) {
    memory.first = memory.last = 0;
    return true;
  }
  const std::uint64_t step = axis.step_at(mouse.x);
  const auto phases = run.phases_of(row.block);
  for (const PhaseFold& fold : folds) {
    const std::uint64_t first = phases[fold.first].first_step;
    const std::uint64_t last = phases[fold.last - 1].last_step;
    if (!on_names && fold.is_fold() && mouse.y >= row.top && mouse.y < row.bottom &&
        first <= step && step < last) {
      memory.first = first;
      memory.last = last;
      return true;
    }
  }
  return false;
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
  if (context.view.beside != nullptr && context.view.beside->joint != nullptr) {
    append(commands, draw_joint_track(context, size));
    return;
  }
  const float em = ImGui::GetFontSize();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool has_labels = size.y > em * 2.6F;
  const float label_width = em * (has_labels ? 6.4F : 0.6F);
  const bool roomy = size.y > em * 3.1F;  // otherwise the row of phases would lose its height
  const float head = em * (roomy ? 1.35F : 0.65F);
  auto& memory = context.memory.of<TimelineMemory>();
  check_part(context, memory);
  const TimelineAxis axis(shown_starts(run, memory), origin.x + label_width,
                          origin.x + size.x - em * 0.4F, run.phases_of(context.state.focus.block));
  hit_area("track", size);
  const auto rows = visible_rows(context, run.program().block_count(), {origin.x, origin.y + head},
                                 size.y - head - em * (roomy ? 0.3F : 0.05F));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool on_signs = mouse.y < origin.y + head;
  const auto focus_row = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.block == context.state.focus.block;
  });
  std::vector<PhaseFold> folds;
  if (focus_row != rows.end()) {
    folds = row_folds(run, focus_row->block, memory, axis);
    memory.opened_now = memory.opened_now && ImGui::IsItemActive();
    if (ImGui::IsItemActivated() && !on_signs &&
        open_or_close(run, *focus_row, folds, axis, mouse.x < origin.x + label_width, memory)) {
      memory.opened_now = true;
      if (memory.is_part()) {
        commands.push_back(state::Play{false});
        commands.push_back(state::SeekStep{axis.step_at(mouse.x)});
      }
    }
  }
  if (memory.opened_now) {
    // Until the button is released.
  } else if (ImGui::IsItemActive() && !on_signs) {
    if (mouse.x >= origin.x + label_width) {
      commands.push_back(state::Play{false});
      commands.push_back(state::SeekStep{axis.step_at(mouse.x)});
    }
    for (const Row& row : rows) {
      if (ImGui::IsItemActivated() && mouse.y >= row.top && mouse.y < row.bottom) {
        commands.push_back(state::FocusThread{row.block, context.state.focus.thread});
      }
    }
  } else if (ImGui::IsItemHovered() && !keys_came_last()) {
    if (const record::Phase* phase = phase_under(run, rows, axis, mouse)) {
      ImGui::SetTooltip("%s", tr("{}: {}\nClick to go there.",
                                 block_name(run.program(), phase->block), *phase->name)
                                  .c_str());
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Row& row : rows) {
    if (has_labels) {
      draw_phase_label(context, list, run, row, origin.x);
    }
    if (row.block == context.state.focus.block) {
      draw_folds(context, list, run, row, folds, axis);
      continue;
    }
    const auto phases = run.phases_of(row.block);
    for (const record::Phase& phase : phases) {
      if (is_shown(phase, memory)) {
        draw_segment(context, list, phase, row, axis, &phase == phases.data());
      }
    }
  }
  append(commands, draw_timeline_marks(context, axis, shown_starts(run, memory),
                                       origin.y + (roomy ? 0.45F : 0.28F) * em,
                                       (roomy ? 0.75F : 0.55F) * em));
  draw_marks(context, list, run, axis, rows.front().top, rows.back().bottom);
  draw_pointed_phase(context, list, run, rows.front(), axis);
}

// The effect of F10 here: ends this phase, or goes through the next one; empty: there is none.
std::string next_phase_words(const Context& context, const record::Recording& run) {
  const std::uint64_t step = context.state.step;
  for (const record::Phase& phase : run.phases_of(context.state.focus.block)) {
    if (step < phase.last_step) {
      return phase.first_step < step ? tr("end of {}", *phase.name) : *phase.name;
    }
  }
  return "";
}

// The only filled button of the window; with a lesson the next beat's button is filled instead.
void next_phase_button(const Context& context, const record::Recording& run, Commands& commands) {
  const Theme& t = context.theme;
  const std::string words = next_phase_words(context, run);
  const bool is_filled = context.view.lesson == nullptr && !words.empty();
  if (is_filled) {
    ImGui::PushStyleColor(ImGuiCol_Button, t.accent.fill);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, mix(t.accent.fill, t.panel, 0.12F));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, mix(t.accent.fill, t.panel, 0.25F));
    ImGui::PushStyleColor(ImGuiCol_Text, t.accent.text);
  }
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const std::string face =
      words.empty() ? tr("The run has ended") : tr("F10  next phase   {}", words);
  append(commands, action_button(context, ActionId::NextPhase, face.c_str()));
  ImGui::PopFont();
  ImGui::PopStyleColor(is_filled ? 4 : 0);
  ImGui::SameLine();
}

void transport(const Context& context, const record::Recording& run, Commands& commands) {
  const struct {
    ActionId id;
    const char* face;
    const char* word;
  } buttons[] = {
      {ActionId::PreviousPhase, icon::kBackward, tr("Back")},
      {ActionId::PreviousStatement, icon::kStepBack, tr("Back")},
      {ActionId::NextStatement, icon::kStepForward, tr("Next statement")},
      {ActionId::TogglePlay, context.state.playing ? icon::kPause : icon::kPlay, tr("Play")},
      {ActionId::GoToStart, icon::kToStart, tr("Start")},
      {ActionId::GoToEnd, icon::kToEnd, tr("End")},
  };
  next_phase_button(context, run, commands);
  const bool wide = ImGui::GetContentRegionAvail().x > ImGui::GetFontSize() * 70.0F;
  for (const auto& [id, face, word] : buttons) {
    append(commands,
           action_button(context, id, face, id == ActionId::TogglePlay && context.state.playing));
    ImGui::SameLine();
    if (wide) {
      ImGui::AlignTextToFramePadding();
      coloured_text(context.theme.text_dim,
                    fmt::format("{} {}", key_name(action(id).key), word).c_str());
      ImGui::SameLine(0.0F, ImGui::GetFontSize() * 0.9F);
    }
  }
  append(commands, event_button(context, true));
  ImGui::SameLine(0.0F, ImGui::GetFontSize() * 0.9F);
  float pace = context.state.pace;
  field_label(context, tr("Pace"));
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
  tooltip(tr("Statements per second while playing. [ and ] change it."));
  const std::size_t statements = run.statement_starts().size() - 1;
  const std::size_t done =
      context.state.step >= run.step_count() ? statements : run.statement_of(context.state.step);
  const std::string where = tr("statement {} of {}", done, statements);
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

Commands draw_timeline(const Context& context, bool is_short) {
  if (context.view.run.scene == nullptr) {
    coloured_text(context.theme.text_dim, tr("No recording yet."));
    return {};
  }
  Commands commands;
  const record::Recording& run = *context.view.run.scene->recording;
  if (is_short) {
    next_phase_button(context, run, commands);
    append(commands, event_button(context, false));
    ImGui::SameLine();
    draw_track(context, run, ImGui::GetContentRegionAvail(), commands);
    return commands;
  }
  const float below = ImGui::GetFrameHeightWithSpacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  draw_track(context, run, {room.x, std::max(room.y - below, ImGui::GetFontSize() * 2.5F)},
             commands);
  transport(context, run, commands);
  return commands;
}

}  // namespace tilestep::ui
