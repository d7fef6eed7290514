#include "ui/find_bar.h"

#include "problem/words.h"
#include "ui/find_text.h"
#include "ui/icons.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <misc/cpp/imgui_stdlib.h>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

// Its words.
constexpr Message kFindHint = "find";
constexpr Message kFindReplaceHint = "replace with";
constexpr Message kFindMatchCase = "Large and small letters differ.";
constexpr Message kFindWholeWord = "Whole words only.";
constexpr Message kFindNext = "Next  (Enter)";
constexpr Message kFindLast = "Previous  (Shift+Enter)";
constexpr Message kFindReplace = "Replace";
constexpr Message kFindReplaceAll = "All";
constexpr Message kFindReplaceTip = "Replaces this one and goes to the next.";
constexpr Message kFindReplaceAllTip = "Replaces every one; Ctrl+Z takes that back.";
constexpr Message kFindNone = "none";
constexpr Message kFindCount = "{} of {}";
constexpr Message kFindClose = "Closes this.  (Esc)";

constexpr float kFindFieldShare = 0.42F;  // of the row

struct FindMemory {
  FindRequest request;
  std::string with;
  bool is_open = false;
  // What was looked for last, and where it is.
  std::string searched;
  FindRequest asked;
  std::vector<FoundText> all;
};

void search_text(const Context& context, FindMemory& memory, SourceEditor& editor,
                 const std::string& text) {
  if (memory.searched == text && memory.asked == memory.request) {
    return;
  }
  memory.searched = text;
  memory.asked = memory.request;
  memory.all = find_all(text, memory.request);
  editor.show_found(context, memory.all);
}

void go_to_found(FindMemory& memory, SourceEditor& editor, int step) {
  const FoundText at = editor.selection();
  const int from = step > 0 && at.to > at.from ? at.from + 1 : at.from;
  if (const int found = nearest(memory.all, at.line, from, step); found >= 0) {
    editor.select(memory.all[static_cast<std::size_t>(found)]);
  }
}

// While it is typed: the first one at the caret or behind it.
void go_to_first_found(FindMemory& memory, SourceEditor& editor) {
  const FoundText at = editor.selection();
  if (const int found = nearest(memory.all, at.line, at.from, +1); found >= 0) {
    editor.select(memory.all[static_cast<std::size_t>(found)]);
  }
}

std::string found_count(const FindMemory& memory, const SourceEditor& editor) {
  if (memory.request.wanted.empty()) {
    return "";
  }
  if (memory.all.empty()) {
    return kFindNone.text();
  }
  const auto at = std::ranges::find(memory.all, editor.selection());
  return at == memory.all.end() ? fmt::format("{}", memory.all.size())
                                : fmt::format(fmt::runtime(kFindCount.text()),
                                              at - memory.all.begin() + 1, memory.all.size());
}

void find_option(const Context& context, const char* face, Message tip, bool& on) {
  ImGui::SameLine(0.0F, 2.0F);
  ImGui::PushStyleColor(ImGuiCol_Button, on ? context.theme.selected.fill : context.theme.field);
  if (ImGui::Button(face)) {
    on = !on;
  }
  ImGui::PopStyleColor();
  tooltip(tip.text());
}

// Enter leaves a field; the next one is looked for in it.
bool draw_find_field(const char* id, const char* hint, std::string& text) {
  ImGui::SetNextItemWidth(kFindFieldShare * ImGui::GetWindowWidth());
  const bool entered = ImGui::InputTextWithHint(
      id, hint, &text, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (entered) {
    ImGui::SetKeyboardFocusHere(-1);
  }
  return entered;
}

void find_row(const Context& context, FindMemory& memory, SourceEditor& editor,
              const std::string& text, FindBarResult& result) {
  if (!memory.is_open) {
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = draw_find_field("##find", kFindHint, memory.request.wanted);
  const bool is_typed = ImGui::IsItemActive();
  find_option(context, "Aa", kFindMatchCase, memory.request.match_case);
  find_option(context, "\"w\"", kFindWholeWord, memory.request.whole_word);
  const bool is_new = memory.asked != memory.request;
  search_text(context, memory, editor, text);
  if (is_new && is_typed) {
    go_to_first_found(memory, editor);
  }
  ImGui::SameLine(0.0F, 2.0F);
  int step = entered ? (ImGui::GetIO().KeyShift ? -1 : +1) : 0;
  step = ImGui::ArrowButton("##last", ImGuiDir_Up) ? -1 : step;
  tooltip(kFindLast.text());
  ImGui::SameLine(0.0F, 2.0F);
  step = ImGui::ArrowButton("##next", ImGuiDir_Down) ? +1 : step;
  tooltip(kFindNext.text());
  if (step != 0) {
    go_to_found(memory, editor, step);
  }
  ImGui::SameLine();
  if (ImGui::Button("×##find")) {
    result.commands.emplace_back(state::ShowFind{false});
  }
  tooltip(kFindClose.text());
}

void replace_row(const Context& context, FindMemory& memory, SourceEditor& editor) {
  bool one = draw_find_field("##replace", kFindReplaceHint, memory.with);
  ImGui::SameLine(0.0F, 2.0F);
  one = ImGui::Button(kFindReplace) || one;
  tooltip(kFindReplaceTip.text());
  ImGui::SameLine(0.0F, 2.0F);
  const bool all = ImGui::Button(kFindReplaceAll);
  tooltip(kFindReplaceAllTip.text());
  ImGui::SameLine();
  coloured_text(memory.all.empty() ? context.theme.bad : context.theme.text_dim,
                found_count(memory, editor).c_str());
  if (all) {
    editor.replace(memory.all, memory.with);
  } else if (one && std::ranges::find(memory.all, editor.selection()) != memory.all.end()) {
    editor.replace({editor.selection()}, memory.with);
    go_to_found(memory, editor, +1);
  } else if (one) {
    go_to_found(memory, editor, +1);
  }
}

}  // namespace

FindBarResult draw_find_bar(const Context& context, SourceEditor& editor, const std::string& text) {
  auto& memory = context.memory.of<FindMemory>();
  FindBarResult result;
  if (!context.state.show_find || !context.state.editing) {
    if (std::exchange(memory.is_open, false)) {
      editor.show_found(context, {});
      memory.searched.clear();
      memory.asked = {};
    }
    return result;
  }
  if (!memory.is_open) {
    const std::string selected = editor.selected_text();
    memory.request.wanted = selected.empty() ? memory.request.wanted : selected;
    memory.asked = {};
  }
  ImGui::PushID("find bar");
  ImGui::BeginGroup();
  find_row(context, memory, editor, text, result);
  replace_row(context, memory, editor);
  ImGui::EndGroup();
  ImGui::PopID();
  memory.is_open = true;
  result.uses_keyboard = !editor.has_keyboard();
  return result;
}

}  // namespace tilestep::ui
