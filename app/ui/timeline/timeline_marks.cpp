#include "insight/events/breakpoint.h"
#include "problem/tr.h"
#include "record/words.h"
#include "ui/actions.h"
#include "ui/masked_context.h"
#include "ui/stage/race_effects.h"
#include "ui/theme.h"
#include "ui/timeline/timeline.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tilestep::ui {
namespace {

constexpr std::uint64_t kStepsAtOnce = 100'000;  // some 10 ms
constexpr double kNextFrame = 0.05;              // seconds
constexpr float kMarkDistance = 0.95F;           // of a sign's height: nearer signs are merged

// Marks at the same place are one sign, of the most important kind.
struct Sign {
  RunMark mark;
  float x = 0.0F;
  std::size_t count = 1;
};

// What the signs depend on, besides the state of the recording.
struct SignsKey {
  workspace::Generation generation;
  std::uint32_t block = 0;
  std::uint64_t known_to = 0;
  bool has_check = false;
  float left = 0.0F;
  float right = 0.0F;
  std::uint64_t first = 0;  // first visible step
  std::uint64_t last = 0;
  friend bool operator==(const SignsKey&, const SignsKey&) = default;
};

struct MarksMemory {
  RunMarks marks;
  int frame = -1;
  SignsKey key;
  std::vector<Sign> signs;
};

std::vector<RunMark> all_marks(const Context& context) {
  const auto known = focus_marks(context).marks();
  std::vector<RunMark> marks(known.begin(), known.end());
  const std::uint32_t block = context.state.focus.block;
  for (const insight::RaceEffect& effect : race_effects_of(context, block)) {
    marks.push_back({MarkKind::Finding, effect.last_step(), effect.reader.thread,
                     effect.is_lost() ? effect.reader.line : effect.writer.line, 0, 0});
  }
  const problem::Launch& launch = context.view.run.scene->launch;
  if (context.view.run.check != nullptr) {
    for (const insight::Finding& finding : context.view.run.check->findings) {
      if (!finding.parties.empty() && launch.grid.linear(finding.parties.back().block) == block) {
        const insight::Party& last = finding.parties.back();
        marks.push_back({MarkKind::Finding, last.step,
                         static_cast<std::uint32_t>(launch.block.linear(last.thread)), last.line, 1,
                         0});
      }
    }
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const RunMark& a, const RunMark& b) { return a.step < b.step; });
  return marks;
}

// A sign is at the end of its statement, where a click goes.
std::uint64_t stop_of(const record::Recording& run, std::uint64_t step) {
  const auto starts = run.statement_starts();
  const auto after = std::upper_bound(starts.begin(), starts.end(), step);
  return after == starts.end() ? run.step_count() : *after;
}

std::vector<Sign> signs_of(const Context& context, const TimelineAxis& axis,
                           std::span<const std::uint64_t> starts, float distance) {
  const record::Recording& run = *context.view.run.scene->recording;
  std::vector<Sign> signs;
  const bool hides_findings = hides(context, course::Topic::Findings);
  const bool hides_costs = hides_findings || hides(context, course::Topic::Counts);
  for (const RunMark& mark : all_marks(context)) {
    if (mark.kind == MarkKind::Finding ? hides_findings : hides_costs) {
      continue;
    }
    const std::uint64_t stop = stop_of(run, mark.step);
    if (starts.empty() || stop <= starts.front() || stop > starts.back()) {
      continue;  // in another part of the run
    }
    const float x = axis.x_of(stop);
    if (signs.empty() || x - signs.back().x >= distance) {
      signs.push_back({mark, x, 1});
      continue;
    }
    ++signs.back().count;
    if (mark.kind < signs.back().mark.kind) {
      signs.back().mark = mark;
    }
  }
  return signs;
}

void draw_sign(ImDrawList& list, const Theme& t, const Sign& sign, float y, float height) {
  const float h = 0.5F * height;
  const float x = std::round(sign.x);
  const float line = std::max(1.5F, 0.14F * height);
  switch (sign.mark.kind) {
    case MarkKind::Finding:  // a diamond, as in a warning sign
      list.AddQuadFilled({x, y - h}, {x + h, y}, {x, y + h}, {x - h, y}, t.bad);
      list.AddLine({x, y - 0.5F * h}, {x, y + 0.15F * h}, t.fault.fill, line);
      list.AddRectFilled({x - 0.5F * line, y + 0.35F * h}, {x + 0.5F * line, y + 0.6F * h},
                         t.fault.fill);
      return;
    case MarkKind::Conflict:  // stacked words
      for (const float at : {-0.95F, -0.25F, 0.45F}) {
        list.AddRectFilled({x - 0.45F * h, y + at * h}, {x + 0.45F * h, y + (at + 0.5F) * h},
                           t.text_dim);
      }
      return;
    case MarkKind::Uncoalesced:  // separate words
      for (const float at : {-0.95F, -0.25F, 0.45F}) {
        list.AddRectFilled({x + at * h, y - 0.4F * h}, {x + (at + 0.4F) * h, y + 0.4F * h},
                           t.text_dim);
      }
      return;
    case MarkKind::Divergence:  // a fork
      list.AddLine({x, y + h}, {x, y}, t.text, line);
      list.AddLine({x, y}, {x - 0.7F * h, y - h}, t.text, line);
      list.AddLine({x, y}, {x + 0.7F * h, y - h}, t.text, line);
      return;
    case MarkKind::Barrier:  // a double bar
      list.AddRectFilled({x - 1.6F * line, y - h}, {x - 0.6F * line, y + h}, t.text_dim);
      list.AddRectFilled({x + 0.6F * line, y - h}, {x + 1.6F * line, y + h}, t.text_dim);
      return;
  }
}

struct WatchMemory {
  std::array<char, 256> text{};
  std::string shown;  // the state's value that was copied into `text`
};

// One row per kind: previous and next.
void event_rows(const Context& context, Commands& commands) {
  for (const Word<record::EventKind>& word : words_of<record::EventKind>()) {
    ImGui::PushID(static_cast<int>(word.value));
    append(commands, action_button(context, event_action(word.value, -1).id, icon::kStepBack));
    ImGui::SameLine();
    const Action& next = event_action(word.value, +1);
    const bool chosen = word.value == context.state.event;
    ImGui::AlignTextToFramePadding();
    if (ImGui::Selectable(next.label, chosen, ImGuiSelectableFlags_None,
                          {ImGui::GetFontSize() * 15.0F, ImGui::GetFrameHeight()})) {
      append(commands, next.commands(context));
    }
    tooltip(tooltip_text(next));
    if (next.key != 0) {
      ImGui::SameLine();
      coloured_text(context.theme.text_dim, key_name(next.key).c_str());
    }
    ImGui::PopID();
  }
}

// The typed text stays, even with a mistake.
void watch_field(const Context& context, Commands& commands) {
  auto& memory = context.memory.of<WatchMemory>();
  if (memory.shown != context.state.watch) {
    memory.shown = context.state.watch;
    const std::size_t count = memory.shown.copy(memory.text.data(), memory.text.size() - 1);
    memory.text[count] = '\0';
  }
  ImGui::Separator();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 18.0F);
  ImGui::InputTextWithHint("##watch", tr("watch: t, acc > 0, As[1][2]"), memory.text.data(),
                           memory.text.size());
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    memory.shown = memory.text.data();
    commands.push_back(state::SetWatch{memory.shown});
  }
  const std::string text = memory.text.data();
  const auto mistake =
      text.empty() || context.view.run.scene == nullptr
          ? std::nullopt
          : insight::condition_mistake(context.view.run.scene->recording->program(), text);
  if (mistake) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetFontSize() * 22.0F);
    wrapped_text(context.theme.bad, mistake->message);
    ImGui::PopTextWrapPos();
  }
}

}  // namespace

const RunMarks& focus_marks(const Context& context) {
  auto& memory = context.memory.of<MarksMemory>();
  if (context.view.run.scene == nullptr || memory.frame == ImGui::GetFrameCount()) {
    return memory.marks;
  }
  memory.frame = ImGui::GetFrameCount();
  if (memory.marks.advance(*context.view.run.scene->recording, context.view.run.scene->generation,
                           context.state.focus.block, kStepsAtOnce)) {
    context.memory.animate_until(context.now + kNextFrame);
  }
  return memory.marks;
}

Commands draw_timeline_marks(const Context& context, const TimelineAxis& axis,
                             std::span<const std::uint64_t> starts, float y, float height) {
  Commands commands;
  const SignsKey key{context.view.run.scene->generation,
                     context.state.focus.block,
                     focus_marks(context).known_to(),
                     context.view.run.check != nullptr,
                     axis.x_of(0),
                     axis.x_of(context.view.run.scene->recording->step_count()),
                     starts.empty() ? 0 : starts.front(),
                     starts.empty() ? 0 : starts.back()};
  auto& memory = context.memory.of<MarksMemory>();
  if (memory.key != key) {
    memory.key = key;
    memory.signs = signs_of(context, axis, starts, kMarkDistance * height);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const Sign& sign : memory.signs) {
    draw_sign(list, context.theme, sign, y, height);
    // Takes the mouse press from the axis below.
    const bool over = std::abs(mouse.x - sign.x) <= 0.5F * height &&
                      std::abs(mouse.y - y) <= 0.6F * height &&
                      ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    if (!over) {
      continue;
    }
    if (!keys_came_last()) {
      ImGui::SetTooltip("%s", mark_tooltip(sign.mark, sign.count).c_str());
    }
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      const record::Recording& run = *context.view.run.scene->recording;
      commands.emplace_back(state::Play{false});
      commands.emplace_back(state::SeekStep{stop_of(run, sign.mark.step)});
      commands.emplace_back(state::FocusThread{context.state.focus.block, sign.mark.thread});
    }
  }
  return commands;
}

Commands event_button(const Context& context, bool wide) {
  Commands commands;
  const Action& next = action(ActionId::NextEvent);
  const std::string kind = word_of(context.state.event).label.text();
  const std::string face =
      wide ? fmt::format("{} {} {}", key_name(next.key), icon::kDiamond, tr("Next {}", kind))
           : icon::kDiamond;
  append(commands, action_button(context, ActionId::NextEvent, face.c_str()));
  ImGui::SameLine(0.0F, 1.0F);
  if (ImGui::ArrowButton("events", ImGuiDir_Up)) {
    ImGui::OpenPopup("event menu");
  }
  tooltip(tr("Events to run to: findings, barriers, conflicts, …"));
  ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetWindowPos().y}, ImGuiCond_Always,
                          {0.0F, 1.0F});
  if (ImGui::BeginPopup("event menu")) {
    event_rows(context, commands);
    watch_field(context, commands);
    ImGui::EndPopup();
  }
  return commands;
}

}  // namespace tilestep::ui
