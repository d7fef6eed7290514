#include "ui/event_menu.h"

#include "insight/events/breakpoint.h"
#include "problem/tr.h"
#include "record/words.h"
#include "ui/actions.h"
#include "ui/event_actions.h"
#include "ui/icons.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace tilestep::ui {
namespace {

struct WatchMemory {
  std::array<char, 256> text{};
  std::string shown;  // of the state, as it was put into `text`
};

// One line a kind: back, and on.
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

// What is typed stays, whatever is wrong with it.
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
      text.empty() || context.view.scene == nullptr
          ? std::nullopt
          : insight::condition_mistake(context.view.scene->recording->program(), text);
  if (mistake) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetFontSize() * 22.0F);
    wrapped_text(context.theme.bad, mistake->message);
    ImGui::PopTextWrapPos();
  }
}

}  // namespace

Commands event_button(const Context& context, bool wide) {
  Commands commands;
  const Action& next = action(ActionId::NextEvent);
  const std::string kind = word_of(context.state.event).label.text();
  const std::string face =
      wide ? fmt::format("{} {} {}", key_name(next.key), icon::kDiamond, tr("next {}", kind))
           : icon::kDiamond;
  append(commands, action_button(context, ActionId::NextEvent, face.c_str()));
  ImGui::SameLine(0.0F, 1.0F);
  if (ImGui::ArrowButton("events", ImGuiDir_Up)) {
    ImGui::OpenPopup("event menu");
  }
  tooltip(tr("What to run to: findings, barriers, conflicts, …"));
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
