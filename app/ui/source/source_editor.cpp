#include "ui/source/source_editor.h"

#include "problem/text.h"
#include "ui/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string_view>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMarginGlyphs = 3;
constexpr int kFollowFrames = 4;
constexpr double kFollowSeconds = 0.05;
constexpr float kTextScale = 0.92F;     // code is wide, so it is a little smaller
constexpr std::size_t kOfCompiler = 0;  // kinds of squiggles
constexpr std::size_t kOfFinding = 1;

// The text in the state's form: an empty text is "\n", because "" means the file's own.
std::string kept(const std::string& text) {
  return text.empty() ? "\n" : text;
}

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

SourceEditor::SourceEditor(Text kind)
    : language_(kind == Text::Cuda ? cuda_language() : ptx_language()) {
  editor_.SetLanguage(&language_);
  editor_.SetTabSize(2);
  editor_.SetInsertSpacesOnTabs(true);
  editor_.SetShowWhitespacesEnabled(false);
  editor_.SetWordWrapEnabled(false);  // the library's Down key stays in a wrapped line
  editor_.SetShowScrollbarMiniMapEnabled(false);
  editor_.SetShowMatchingBrackets(false);
  // The library types over an added bracket only directly after its opening bracket.
  editor_.SetCompletePairedGlyphs(false);
  editor_.SetLineNumberLeftMargin(0);
  editor_.SetDecorationLeftMargin(0);
  editor_.SetFindReplaceEnabled(false);  // our find bar is above the text, not over it
  editor_.SetTextLeftMargin(1);
  editor_.SetLineDecorator(kMarginGlyphs,
                           [this](TextEditor::Decorator& decorator) { draw_margin(decorator); });
  editor_.SetChangeCallback([this] { changed_ = true; });
}

void SourceEditor::set_text(const std::string& text, const std::string& document) {
  if (text == shown_ && document == document_) {
    return;
  }
  // A document without edits has nothing to undo: it may have held the previous run's text.
  const bool is_same = document == document_ && typed_into_ == document && !document.empty();
  shown_ = text;
  document_ = document;
  if (kept(editor_.GetText()) == kept(text)) {
    return;
  }
  if (is_same) {
    replace_lines(text);
    return;
  }
  editor_.SetText(text);
  strokes_.clear();
  changed_ = false;
  marks_ = {};
  follow_line_ = 0;
  applied_theme_ = nullptr;
}

void SourceEditor::replace_lines(const std::string& text) {
  const std::vector<std::string> now = lines_of(editor_.GetText());
  const std::vector<std::string> wanted = lines_of(text);
  const std::size_t most = std::min(now.size(), wanted.size());
  std::size_t same = 0;
  while (same + 1 < most && now[same] == wanted[same]) {
    ++same;
  }
  std::size_t behind = 0;
  while (behind + same + 1 < most &&
         now[now.size() - 1 - behind] == wanted[wanted.size() - 1 - behind]) {
    ++behind;
  }
  std::string middle;
  for (std::size_t i = same; i < wanted.size() - behind; ++i) {
    middle += (i == same ? "" : "\n") + wanted[i];
  }
  const std::size_t last = now.size() - 1 - behind;
  const bool is_read_only = editor_.IsReadOnlyEnabled();
  editor_.SetReadOnlyEnabled(false);
  editor_.ReplaceSectionText({same, 0}, {last, now[last].size()}, middle);
  editor_.SetReadOnlyEnabled(is_read_only);
}

void SourceEditor::set_marks(const Context& context, const LineMarks& marks) {
  theme_ = &context.theme;
  apply_theme(context.theme);
  if (marks == marks_) {
    return;
  }
  const int previous = marks_.executed_line;
  marks_ = marks;
  editor_.ClearMarkers();
  if (marks.executed_line > 0) {
    editor_.AddMarker(static_cast<std::size_t>(marks.executed_line - 1), 0,
                      context.theme.current_line.fill, "", "");
  }
  for (const int line : marks.fault_lines) {
    if (line > 0 && line != marks.executed_line) {
      editor_.AddMarker(static_cast<std::size_t>(line - 1), 0, context.theme.fault.fill, "", "");
    }
  }
  for (const int line : marks.linked_lines) {
    if (line > 0 && line != marks.executed_line) {
      editor_.AddMarker(static_cast<std::size_t>(line - 1), 0, context.theme.hover, "", "");
    }
  }
  if (editable_) {
    return;  // the user watches the caret
  }
  const int look_at = marks.wanted_line > 0     ? marks.wanted_line
                      : marks.executed_line > 0 ? marks.executed_line
                                                : marks.focus_line;
  if (look_at > 0 && (previous != marks.executed_line || follow_line_ == 0)) {
    follow_line_ = look_at;
    follow_frames_ = kFollowFrames;
  }
}

// Wrapped lines and the text's height are those of the previous frame, so this needs a few
// attempts.
void SourceEditor::follow(const Context& context) {
  if (follow_frames_ == 0) {
    return;
  }
  --follow_frames_;
  context.memory.animate_until(context.now + kFollowSeconds);
  const std::size_t top = editor_.GetFirstVisibleRow();
  const std::size_t bottom = editor_.GetLastVisibleRow();
  if (top == bottom) {
    return;
  }
  const auto row_of = [this](int line, std::size_t index) {
    return editor_.DocPos2VisPos({static_cast<std::size_t>(line - 1), index}).row;
  };
  const auto last_row_of = [&](int line) {
    return row_of(line, editor_.GetLineText(static_cast<std::size_t>(line - 1)).size());
  };
  const std::size_t first = row_of(follow_line_, 0);
  const std::size_t last = last_row_of(follow_line_);
  const bool shows_end = bottom >= last_row_of(static_cast<int>(editor_.GetLineCount()));
  const std::size_t quarter = (bottom - top) / 4;
  if (first >= top + (top == 0 ? 0 : quarter) && (last + 1 + quarter < bottom || shows_end)) {
    return;
  }
  const std::size_t home = home_ > 0 ? row_of(home_, 0) : 0;
  if (first >= home && last + 1 < home + (bottom - top)) {
    editor_.ScrollToLine(static_cast<std::size_t>(std::max(home_ - 1, 0)),
                         TextEditor::Scroll::alignTop);
  } else {
    editor_.ScrollToLine(static_cast<std::size_t>(follow_line_ - 1),
                         TextEditor::Scroll::alignMiddle);
  }
}

void SourceEditor::set_diagnostics(const Context& context,
                                   const std::vector<compile::Diagnostic>& diagnostics,
                                   const std::string& file) {
  editor_.ClearSquiggles(kOfCompiler);
  for (const compile::Diagnostic& d : diagnostics) {
    if (d.line <= 0 || d.file != file || d.follows) {
      continue;
    }
    const auto line = static_cast<std::size_t>(d.line - 1);
    const auto column = static_cast<std::size_t>(std::max(d.column - 1, 0));
    const std::size_t length = editor_.GetLineText(line).size();
    const TextEditor::DocPos start{line, std::min(column, length)};
    TextEditor::DocPos end = editor_.FindWordEnd(start);
    if (end.line != line || end.index <= start.index) {
      end = {line, std::min(start.index + 1, length)};
    }
    const bool error = d.severity == compile::Severity::Error;
    editor_.AddSquiggle(start, end, kOfCompiler, error ? context.theme.bad : context.theme.warning,
                        d.message);
  }
}

std::vector<int> SourceEditor::draw(const Context& context, bool editable, bool lent,
                                    const WordHover& hover) {
  clicked_.clear();
  const int frame = ImGui::GetFrameCount();
  if (editable && edited_in_ + 1 < frame) {
    if (typed_into_ != document_) {  // the caret is at the reader's position
      editor_.SetCursor({static_cast<std::size_t>(std::max(follow_line_ - 1, 0)), 0});
    }
    editor_.SetFocus();
  }
  edited_in_ = editable ? frame : edited_in_;
  editable_ = editable;
  editor_.SetReadOnlyEnabled(!editable);
  editor_.SetCaretsVisible(editable);
  editor_.SetShowCurrentLineHighlightEnabled(editable);
  // A smaller box may hide the line that was visible.
  if (const float room = ImGui::GetContentRegionAvail().y; room != room_) {
    room_ = room;
    follow_frames_ = follow_line_ > 0 || editable ? kFollowFrames : 0;
  }
  if (editable) {
    keep_keyboard(lent);
    undo_or_redo();
    follow_caret(context);
  } else {
    follow(context);
  }
  keep_carets_in_text();
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * kTextScale);
  editor_.Render("##text", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
  const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
  has_keyboard_ = focused != nullptr && focused->ChildId == ImGui::GetItemID();
  strokes_.note(editor_.GetUndoIndex(), editor_.GetCurrentCursorPosition().line, context.now);
  const ImVec2 mouse = ImGui::GetMousePos();
  // The library's own function fails if the text is scrolled down.
  const bool is_over = ImGui::IsItemHovered();
  hovered_line_ = is_over ? static_cast<int>(editor_.GetDocPosAtMousePos(mouse).line) + 1 : 0;
  if (hover && is_over && editor_.IsMousePosOverGlyph(mouse)) {
    hover(editor_.GetWordAtMousePos(mouse), hovered_line_,
          editor_.GetDocPosAtMousePos(mouse).index);
  }
  return std::exchange(clicked_, {});
}

// The drawn text is that of the previous frame.
void SourceEditor::follow_caret(const Context& context) {
  if (follow_frames_ == 0) {
    return;
  }
  --follow_frames_;
  context.memory.animate_until(context.now + kFollowSeconds);
  const TextEditor::DocPos caret = editor_.GetMainCursorPosition();
  if (follow_frames_ == 0 && !editor_.IsDocPosVisible(caret)) {
    editor_.ScrollToLine(caret.line, TextEditor::Scroll::alignMiddle);
  }
}

// A pressed button or a click on the stage returns the keyboard.
void SourceEditor::keep_keyboard(bool lent) {
  const bool is_used = lent || ImGui::IsAnyItemActive() || ImGui::IsAnyMouseDown() ||
                       ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (!has_keyboard_ && !is_used) {
    editor_.SetFocus();
  }
}

// After a change the library keeps its scroll target, and sometimes a caret, behind the end of a
// shorter line, and reads there.
void SourceEditor::keep_carets_in_text() {
  const bool is_changed = editor_.GetUndoIndex() != seen_change_;
  seen_change_ = editor_.GetUndoIndex();
  if (is_changed && editor_.GetNumberOfCursors() == 1 && !editor_.AnyCursorHasSelection()) {
    editor_.SetCursor(editor_.GetMainCursorPosition());
    return;
  }
  const auto is_outside = [this](const TextEditor::DocPos& place) {
    return place.line >= editor_.GetLineCount() ||
           place.index > count_characters(editor_.GetLineText(place.line));
  };
  for (std::size_t i = 0; i < editor_.GetNumberOfCursors(); ++i) {
    const TextEditor::DocSelection selected = editor_.GetCursorSelection(i);
    if (is_outside(selected.start) || is_outside(selected.end)) {
      editor_.SetCursor(editor_.GetMainCursorPosition());
      return;
    }
  }
}

// Runs before the library's own undo, which undoes single characters and, at the end of a text,
// moves lines into their neighbors.
void SourceEditor::undo_or_redo() {
  constexpr ImGuiInputFlags kFlags =
      ImGuiInputFlags_Repeat | ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused;
  if (!has_keyboard_) {
    return;
  }
  static_cast<void>(ImGui::Shortcut(ImGuiMod_Alt | ImGuiKey_UpArrow, kFlags));
  static_cast<void>(ImGui::Shortcut(ImGuiMod_Alt | ImGuiKey_DownArrow, kFlags));
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Z, kFlags)) {
    const std::size_t to = strokes_.undo_to();
    while (editor_.CanUndo() && editor_.GetUndoIndex() > to) {
      editor_.Undo();
    }
    strokes_.moved_to(editor_.GetUndoIndex());
  }
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, kFlags) ||
      ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Y, kFlags)) {
    const std::size_t to = strokes_.redo_to();
    while (editor_.CanRedo() && editor_.GetUndoIndex() < to) {
      editor_.Redo();
    }
    strokes_.moved_to(editor_.GetUndoIndex());
  }
}

FoundText SourceEditor::selection() const {
  const TextEditor::DocSelection selected = editor_.GetMainCursorSelection();
  const int line = static_cast<int>(selected.start.line) + 1;
  const auto from = static_cast<int>(selected.start.index);
  const bool is_within = selected.end.line == selected.start.line;
  return {line, from, is_within ? static_cast<int>(selected.end.index) : from};
}

std::string SourceEditor::selected_text() const {
  const TextEditor::DocSelection selected = editor_.GetMainCursorSelection();
  return selected.start.line == selected.end.line ? editor_.GetSectionText(selected) : "";
}

void SourceEditor::select(const FoundText& place) {
  const auto line = static_cast<std::size_t>(place.line - 1);
  editor_.SelectRegion({line, static_cast<std::size_t>(place.from)},
                       {line, static_cast<std::size_t>(place.to)});
  follow_frames_ = editable_ ? kFollowFrames : follow_frames_;  // the library does not scroll there
}

void SourceEditor::go_to(int line, int column) {
  const auto index = static_cast<std::size_t>(std::max(line - 1, 0));
  const std::string text = editor_.GetLineText(index);
  const auto bytes = std::min(static_cast<std::size_t>(std::max(column - 1, 0)), text.size());
  editor_.SetCursor({index, count_characters(std::string_view(text).substr(0, bytes))});
}

void SourceEditor::scroll_to(int line) {
  editor_.ScrollToLine(static_cast<std::size_t>(std::max(line - 1, 0)));
}

void SourceEditor::show_found(const Context& context, const std::vector<FoundText>& all) {
  editor_.ClearSquiggles(kOfFinding);
  for (const FoundText& one : all) {
    const auto line = static_cast<std::size_t>(one.line - 1);
    editor_.AddSquiggle({line, static_cast<std::size_t>(one.from)},
                        {line, static_cast<std::size_t>(one.to)}, kOfFinding,
                        with_alpha(context.theme.accent.fill, 0.45F), "",
                        TextEditor::SquiggleStyle::background);
  }
}

// From last to first, so that earlier positions stay valid.
void SourceEditor::replace(const std::vector<FoundText>& all, const std::string& with) {
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const auto line = static_cast<std::size_t>(one->line - 1);
    editor_.ReplaceSectionText({line, static_cast<std::size_t>(one->from)},
                               {line, static_cast<std::size_t>(one->to)}, with);
  }
}

bool SourceEditor::take_change(std::string& text) {
  if (!std::exchange(changed_, false)) {
    return false;
  }
  text = kept(editor_.GetText());
  if (text == shown_) {
    return false;
  }
  shown_ = text;
  typed_into_ = document_;
  return true;
}

// Breakpoint dot, an arrow at the focus thread's line, a bar at other warps' lines.
void SourceEditor::draw_margin(TextEditor::Decorator& decorator) {
  if (theme_ == nullptr) {
    return;
  }
  const int line = static_cast<int>(decorator.line) + 1;
  // The library counts one row per line here, even if the line is wrapped.
  const ImVec2 at(ImGui::GetCursorScreenPos().x, editor_.DocPos2ScreenPos({decorator.line, 0}).y);
  ImGui::SetCursorScreenPos(at);
  const float h = decorator.height;
  ImGui::PushID(line);
  if (hit_button("margin", {decorator.width, h})) {
    clicked_.push_back(line);
  }
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) {
    right_clicked_ = line;
  }
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = at.y + h * 0.5F;
  const float radius = h * 0.28F;
  const ImVec2 dot(at.x + radius + 1.0F, middle);
  if (marks_.conditions.contains(line)) {  // an equals sign: a conditional breakpoint
    list.AddCircleFilled(dot, radius, theme_->breakpoint);
    list.AddLine({dot.x - 0.55F * radius, middle - 0.25F * radius},
                 {dot.x + 0.55F * radius, middle - 0.25F * radius}, theme_->panel, 1.5F);
    list.AddLine({dot.x - 0.55F * radius, middle + 0.35F * radius},
                 {dot.x + 0.55F * radius, middle + 0.35F * radius}, theme_->panel, 1.5F);
  } else if (marks_.breakpoints.contains(line)) {
    list.AddCircleFilled(dot, radius, theme_->breakpoint);
  } else if (hovered) {
    list.AddCircle(dot, radius, theme_->breakpoint, 0, 1.5F);
  }
  draw_message_mark(decorator, at);
  if (marks_.fault_lines.contains(line)) {
    list.AddRectFilled({at.x - 1.0F, at.y}, {at.x + 0.22F * h, at.y + h}, theme_->bad);
  }
  const float x = at.x + decorator.width - h * 0.55F;
  if (marks_.errors.contains(line) || marks_.warnings.contains(line)) {
    return;
  }
  if (line == marks_.focus_line) {
    list.AddTriangleFilled({x, middle - h * 0.32F}, {x + h * 0.5F, middle}, {x, middle + h * 0.32F},
                           theme_->accent.fill);
  } else if (marks_.warp_lines.contains(line)) {
    list.AddRectFilled({x + h * 0.1F, middle - h * 0.25F}, {x + h * 0.28F, middle + h * 0.25F},
                       theme_->accent.fill, 1.0F);
  }
}

// A sign at the right of the margin on lines with compiler messages.
void SourceEditor::draw_message_mark(const TextEditor::Decorator& decorator, ImVec2 at) const {
  const int line = static_cast<int>(decorator.line) + 1;
  const auto error = marks_.errors.find(line);
  const auto warning = marks_.warnings.find(line);
  const bool is_error = error != marks_.errors.end();
  if (!is_error && warning == marks_.warnings.end()) {
    return;
  }
  const float x = at.x + decorator.width - 2.0F * decorator.glyphSize.x;
  ImGui::GetWindowDrawList()->AddText({x, at.y}, is_error ? theme_->bad : theme_->warning,
                                      is_error ? icon::kError : icon::kWarning);
  const ImVec2 to(at.x + decorator.width, at.y + decorator.height);
  if (ImGui::IsMouseHoveringRect(at, to)) {
    ImGui::SetTooltip("%s", (is_error ? error : warning)->second.c_str());
  }
}

void SourceEditor::apply_theme(const Theme& theme) {
  if (applied_theme_ != &theme) {
    applied_theme_ = &theme;
    editor_.SetPalette(editor_palette(theme));
    marks_ = {};  // marker colors depend on the theme
  }
}

}  // namespace tilestep::ui
