#include "problem/tr.h"
#include "problem/words.h"
#include "state/words.h"
#include "ui/source/source.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <misc/cpp/imgui_stdlib.h>
#include <utility>

namespace tilestep::ui {
namespace {

// Texts about the file.
constexpr Message kFileChangedOnDisk =
    "Another program changed {}. Load the file's text, or keep the text on screen?";
constexpr Message kFileTake = "Load the file";
constexpr Message kFileTakeTip = "Shows the file's text; Ctrl+Z restores yours.";
constexpr Message kFileKeep = "Keep mine";
constexpr Message kFileKeepTip = "Keeps the text on screen as an unsaved change.";
constexpr Message kFileUnsaved = "Changed, not saved.";

constexpr float kFileLongestName = 0.4F;  // of the row

struct HeaderButton {
  ActionId action;
  std::string face;
  bool lit = false;
};

// Moves to the next row if this one has no room.
void button_in_row(const Context& context, const HeaderButton& button, Commands& commands) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::CalcTextSize(button.face.c_str()).x + 2.0F * style.FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - style.WindowPadding.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
  }
  append(commands, action_button(context, button.action, button.face.c_str(), button.lit));
}

void draw_file_name(const Context& context) {
  // While a text does not compile, the previous text's run is on stage.
  const bool is_its =
      context.view.run.scene != nullptr && context.view.run.scene->spec.id == context.state.kernel;
  const std::string name = is_its ? context.view.run.scene->launch.source_name
                                  : std::filesystem::path(context.state.kernel).filename().string();
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(cut_to(name, kFileLongestName * ImGui::GetWindowWidth()).c_str());
  ImGui::PopFont();
  const std::string& path = context.view.source.file.path;
  if (is_changed(context)) {
    tooltip(path.empty() ? kFileUnsaved.text() : fmt::format("{}\n{}", path, kFileUnsaved));
    ImGui::SameLine(0.0F, 0.3F * ImGui::GetFontSize());
    coloured_text(context.theme.warning, icon::kCircle);
    tooltip(kFileUnsaved.text());
  } else if (!path.empty()) {
    tooltip(path);
  }
}

void ask_about_disk(const Context& context, Commands& commands) {
  const workspace::FileView& file = context.view.source.file;
  if (!file.mistake.empty()) {
    wrapped_text(context.theme.bad, file.mistake);
  }
  if (!file.on_disk) {
    return;
  }
  wrapped_text(context.theme.warning,
               fmt::format(fmt::runtime(kFileChangedOnDisk.text()),
                           std::filesystem::path(file.path).filename().string()));
  if (ImGui::Button(kFileTake)) {
    commands.emplace_back(state::AnswerDisk{true});
  }
  tooltip(kFileTakeTip.text());
  ImGui::SameLine();
  if (ImGui::Button(kFileKeep)) {
    commands.emplace_back(state::AnswerDisk{false});
  }
  tooltip(kFileKeepTip.text());
}

constexpr Message kFindHint = "find";
constexpr Message kFindReplaceHint = "replace with";
constexpr Message kFindMatchCase = "Case sensitive.";
constexpr Message kFindWholeWord = "Whole words only.";
constexpr Message kFindNext = "Next  (Enter)";
constexpr Message kFindLast = "Previous  (Shift+Enter)";
constexpr Message kFindReplace = "Replace";
constexpr Message kFindReplaceAll = "All";
constexpr Message kFindReplaceTip = "Replaces this one and goes to the next.";
constexpr Message kFindReplaceAllTip = "Replaces all; Ctrl+Z undoes it.";
constexpr Message kFindNone = "none";
constexpr Message kFindCount = "{} of {}";
constexpr Message kFindClose = "Close  (Esc)";

constexpr float kFindFieldShare = 0.42F;  // of the row

struct FindMemory {
  FindRequest request;
  std::string with;
  bool is_open = false;
  // The latest query, and its matches.
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

// While typing: the first match at or after the caret.
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

// Enter finds the next match; the field keeps the keyboard.
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

bool is_changed(const Context& context) {
  const std::string& edited = context.state.edited_source;
  const bool is_handed_out =
      context.view.lesson != nullptr && edited == context.view.lesson->starter;
  return !edited.empty() && !is_handed_out && edited != context.view.source.file.text;
}

Commands draw_source_header(const Context& context) {
  Commands commands;
  const state::SourcePage page = context.state.source_page;
  const bool editing = context.state.editing;
  const bool changed = is_changed(context);
  draw_file_name(context);
  button_in_row(context, {ActionId::TogglePtx, "PTX", page == state::SourcePage::Ptx}, commands);
  button_in_row(context, {ActionId::ShowSass, "SASS", page == state::SourcePage::Sass}, commands);
  button_in_row(context,
                {ActionId::EditSource,
                 fmt::format("{} {}", icon::kEdit, tr(editing ? "Done" : "Edit")), editing},
                commands);
  if (changed) {
    button_in_row(context, {ActionId::SaveSource, tr("Save")}, commands);
    button_in_row(context, {ActionId::ResetSource, tr("Reset")}, commands);
  }
  if (changed || context.view.source.file.on_disk || page == state::SourcePage::Difference) {
    button_in_row(
        context,
        {ActionId::ShowDifference, tr("Difference"), page == state::SourcePage::Difference},
        commands);
  }
  ask_about_disk(context, commands);
  return commands;
}

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

std::vector<HeaderRow> header_rows(const Context& context, const std::vector<std::string>& lines,
                                   std::size_t header, float font, float width) {
  std::vector<HeaderRow> rows;
  for (const HeaderEntry& entry : header_entries(lines, header)) {
    if (!entry.label.empty()) {
      rows.push_back({entry.label, true});
    }
    const char* at = entry.text.data();
    const char* const end = at + entry.text.size();
    while (at < end) {
      const char* to = context.fonts.text->CalcWordWrapPosition(font, at, end, width);
      to = to == at ? end : to;
      rows.push_back({std::string(at, to), false});
      at = std::find_if(to, end, [](char c) { return c != ' '; });
    }
  }
  return rows;
}

void paint_header_bar(const Context& context, const Box& row, const CodeSize& size,
                      std::size_t lines) {
  const Theme& t = context.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pad = 0.5F * size.advance;
  const float inset = 0.12F * row.h;
  const ImVec2 from(row.x + pad, row.y + inset);
  const ImVec2 to(row.right() - pad, row.bottom() - inset);
  list.AddRectFilled(from, to, t.raised, 0.3F * size.font);
  list.AddRect(from, to, t.border, 0.3F * size.font);
  const float h = 0.28F * size.font;
  const ImVec2 middle(row.x + 2.2F * size.advance, row.y + 0.5F * row.h);
  if (context.state.header_open) {
    list.AddTriangleFilled({middle.x - h, middle.y - 0.6F * h}, {middle.x + h, middle.y - 0.6F * h},
                           {middle.x, middle.y + 0.8F * h}, t.text_dim);
  } else {
    list.AddTriangleFilled({middle.x - 0.6F * h, middle.y - h}, {middle.x + 0.8F * h, middle.y},
                           {middle.x - 0.6F * h, middle.y + h}, t.text_dim);
  }
  const float y = row.y + 0.5F * (row.h - size.font);
  list.AddText(context.fonts.text, size.font, {row.x + 4.0F * size.advance, y}, t.text_dim,
               tr("header: what the kernel does and costs (lines 1–{})", lines).c_str());
  const char* const key = "H";
  const float width = text_width(context.fonts.bold, size.font, key);
  list.AddText(context.fonts.bold, size.font, {row.right() - 2.0F * size.advance - width, y},
               t.text_dim, key);
}

void paint_barrier_sign(const Theme& theme, ImVec2 middle, const CodeSize& size, bool is_on) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = 0.32F * size.font;
  const ImU32 colour = is_on ? theme.text : theme.bad;
  for (const float side : {-0.32F, 0.32F}) {
    const float x = middle.x + side * size.advance;
    list.AddLine({x, middle.y - half}, {x, middle.y + half}, colour,
                 std::max(2.0F, 0.13F * size.font));
  }
  if (!is_on) {
    list.AddLine({middle.x - 0.75F * size.advance, middle.y + half},
                 {middle.x + 0.75F * size.advance, middle.y - half}, colour,
                 std::max(1.5F, 0.1F * size.font));
  }
}

}  // namespace tilestep::ui
