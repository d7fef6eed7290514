#include "ui/source_editor.h"

#include "ui/memory.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMarginGlyphs = 3;
constexpr int kFollowFrames = 4;
constexpr double kFollowSeconds = 0.05;
constexpr float kTextScale = 0.92F;  // code is wide: a little smaller than the rest

TextEditor::Language cuda() {
  TextEditor::Language language = *TextEditor::Language::Cpp();
  language.name = "CUDA C++";
  for (const char* word : {"__global__", "__device__", "__host__", "__shared__", "__constant__",
                           "__restrict__", "__forceinline__", "__launch_bounds__"}) {
    language.keywords.insert(word);
  }
  for (const char* word : {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3",
                           "float2", "float4", "int2", "int4", "__syncthreads", "__syncwarp",
                           "atomicAdd", "__shfl_xor_sync", "__shfl_down_sync", "__ldg"}) {
    language.identifiers.insert(word);
  }
  return language;
}

TextEditor::Language ptx() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "PTX";
  language.keywords = {"bra", "ret", "exit", "call", "bar", "barrier"};
  language.declarations = {"reg",     "param",   "shared", "global",      "local",
                           "const",   "entry",   "func",   "loc",         "file",
                           "section", "version", "target", "address_size"};
  language.identifiers = {"ld",  "st",   "mov", "add", "sub", "mul", "mad", "fma", "setp", "selp",
                          "cvt", "cvta", "shl", "shr", "and", "or",  "not", "div", "rem"};
  return language;
}

TextEditor::Palette palette_of(const Theme& theme) {
  using Color = TextEditor::Color;
  TextEditor::Palette palette =
      theme.dark ? TextEditor::GetDarkPalette() : TextEditor::GetLightPalette();
  const auto set = [&palette](Color which, ImU32 colour) {
    palette[static_cast<std::size_t>(which)] = colour;
  };
  set(Color::text, theme.syntax.text);
  set(Color::identifier, theme.syntax.text);
  set(Color::punctuation, theme.syntax.text);
  set(Color::keyword, theme.syntax.keyword);
  set(Color::declaration, theme.syntax.type);
  set(Color::knownIdentifier, theme.syntax.function);
  set(Color::number, theme.syntax.number);
  set(Color::string, theme.syntax.string);
  set(Color::preprocessor, theme.syntax.preprocessor);
  set(Color::comment, theme.syntax.comment);
  set(Color::background, theme.panel);
  set(Color::cursor, theme.text);
  set(Color::selection, theme.selected.fill);
  set(Color::lineNumber, theme.text_dim);
  set(Color::currentLineNumber, theme.text);
  set(Color::currentLineHighlight, theme.hover);
  return palette;
}

}  // namespace

SourceEditor::SourceEditor(Text kind) : language_(kind == Text::Cuda ? cuda() : ptx()) {
  editor_.SetLanguage(&language_);
  editor_.SetTabSize(2);
  editor_.SetInsertSpacesOnTabs(true);
  editor_.SetShowWhitespacesEnabled(false);
  editor_.SetWordWrapEnabled(false);
  editor_.SetShowScrollbarMiniMapEnabled(false);
  editor_.SetShowMatchingBrackets(false);
  editor_.SetLineNumberLeftMargin(0);
  editor_.SetDecorationLeftMargin(0);
  editor_.SetTextLeftMargin(1);
  editor_.SetLineDecorator(kMarginGlyphs,
                           [this](TextEditor::Decorator& decorator) { draw_margin(decorator); });
  editor_.SetChangeCallback([this] { changed_ = true; });
}

void SourceEditor::set_text(const std::string& text) {
  if (text == shown_) {
    return;
  }
  shown_ = text;
  if (editor_.GetText() == text) {
    return;
  }
  editor_.SetText(text);
  changed_ = false;
  marks_ = {};
  follow_line_ = 0;
  applied_theme_ = nullptr;
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
  const int look_at = marks.executed_line > 0 ? marks.executed_line : marks.focus_line;
  if (look_at > 0 && (previous != marks.executed_line || follow_line_ == 0)) {
    follow_line_ = look_at;
    follow_frames_ = kFollowFrames;
  }
}

// Wrapped lines and the height of the text are those of the frame before, hence a few attempts.
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
  editor_.ClearSquiggles();
  for (const compile::Diagnostic& d : diagnostics) {
    if (d.line <= 0 || d.file != file) {
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
    editor_.AddSquiggle(start, end, 0, error ? context.theme.bad : context.theme.warning,
                        d.message);
  }
}

std::vector<int> SourceEditor::draw(const Context& context, bool editable, const WordText& hover) {
  clicked_.clear();
  const int frame = ImGui::GetFrameCount();
  if (editable && edited_in_ + 1 < frame) {  // the caret stands where the reader looks
    editor_.SetCursor({static_cast<std::size_t>(std::max(follow_line_ - 1, 0)), 0});
    editor_.SetFocus();
  }
  edited_in_ = editable ? frame : edited_in_;
  editor_.SetReadOnlyEnabled(!editable);
  editor_.SetWordWrapEnabled(editable);
  editor_.SetCaretsVisible(editable);
  editor_.SetShowCurrentLineHighlightEnabled(editable);
  // In a smaller box the line that was in view may not be.
  if (const float room = ImGui::GetContentRegionAvail().y; room != room_) {
    room_ = room;
    follow_frames_ = follow_line_ > 0 ? kFollowFrames : 0;
  }
  follow(context);
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * kTextScale);
  editor_.Render("##text", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
  if (hover && ImGui::IsItemHovered()) {
    const std::string text = hover(editor_.GetWordAtMousePos(ImGui::GetMousePos()));
    if (!text.empty()) {  // an empty box would lie over the code
      ImGui::SetTooltip("%s", text.c_str());
    }
  }
  return std::exchange(clicked_, {});
}

bool SourceEditor::take_change(std::string& text) {
  if (!std::exchange(changed_, false)) {
    return false;
  }
  text = editor_.GetText();
  if (text == shown_) {
    return false;
  }
  shown_ = text;
  return true;
}

// Breakpoint dot, and an arrow where the focus thread stands; a bar where other warps do.
void SourceEditor::draw_margin(TextEditor::Decorator& decorator) {
  if (theme_ == nullptr) {
    return;
  }
  const int line = static_cast<int>(decorator.line) + 1;
  // The library counts one row a line here, also where a line is wrapped.
  const ImVec2 at(ImGui::GetCursorScreenPos().x, editor_.DocPos2ScreenPos({decorator.line, 0}).y);
  ImGui::SetCursorScreenPos(at);
  const float h = decorator.height;
  ImGui::PushID(line);
  if (ImGui::InvisibleButton("margin", {decorator.width, h})) {
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
  if (marks_.conditions.contains(line)) {  // with an equals sign: it stops where that holds
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
  if (marks_.fault_lines.contains(line)) {
    list.AddRectFilled({at.x - 1.0F, at.y}, {at.x + 0.22F * h, at.y + h}, theme_->bad);
  }
  const float x = at.x + decorator.width - h * 0.55F;
  if (line == marks_.focus_line) {
    list.AddTriangleFilled({x, middle - h * 0.32F}, {x + h * 0.5F, middle}, {x, middle + h * 0.32F},
                           theme_->accent.fill);
  } else if (marks_.warp_lines.contains(line)) {
    list.AddRectFilled({x + h * 0.1F, middle - h * 0.25F}, {x + h * 0.28F, middle + h * 0.25F},
                       theme_->accent.fill, 1.0F);
  }
}

void SourceEditor::apply_theme(const Theme& theme) {
  if (applied_theme_ != &theme) {
    applied_theme_ = &theme;
    editor_.SetPalette(palette_of(theme));
    marks_ = {};  // marker colours are the theme's
  }
}

}  // namespace tilestep::ui
