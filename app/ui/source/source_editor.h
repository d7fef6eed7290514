// The text widget of the source panel: CUDA C++ and PTX highlighting in the theme's colors, line
// marks, breakpoints, diagnostics. Lines are 1-based here; the library counts from 0.
#pragma once

#include "ui/panel.h"
#include "ui/source/source_lines.h"
#include "ui/theme.h"

#include <TextEditor.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilestep::ui {

// The style of the text widgets: languages to highlight, the theme's colors.

[[nodiscard]] TextEditor::Language cuda_language();
[[nodiscard]] TextEditor::Language ptx_language();
[[nodiscard]] TextEditor::Palette editor_palette(const Theme& theme);

// The marks in the margin and the highlighting of lines.
struct LineMarks {
  int executed_line = 0;  // the focus warp's latest statement, whose effects are on stage; 0: none
  int focus_line = 0;     // the focus thread's next line; 0: none
  int wanted_line = 0;    // a line that a lesson keeps in view; 0: none
  std::set<int> warp_lines;  // of the focus block's other warps
  std::set<int> breakpoints;
  std::set<int> conditions;             // breakpoints with a condition
  std::set<int> phase_lines;            // of a phase that is shown as a whole
  std::set<int> fault_lines;            // both sides of a race with an effect
  std::map<int, std::string> errors;    // compiler errors by line
  std::map<int, std::string> warnings;  // for lines without errors
  std::set<int> linked_lines;  // lines that correspond to what is pointed at in the other text
  std::set<int> whole_lines;   // never cut: an open question is about them
  std::map<int, std::string> pointed;  // highlighted by a lesson's scene, with their labels

  friend bool operator==(const LineMarks&, const LineMarks&) = default;
};

class SourceEditor {
 public:
  enum class Text { Cuda, Ptx };
  explicit SourceEditor(Text kind);
  // The library's callbacks capture `this`.
  SourceEditor(const SourceEditor&) = delete;
  SourceEditor& operator=(const SourceEditor&) = delete;
  SourceEditor(SourceEditor&&) = delete;
  SourceEditor& operator=(SourceEditor&&) = delete;
  ~SourceEditor() = default;

  // Replaces the text if it differs. Within the same document only the differing lines are
  // replaced, and this can be undone; for another document all of it is, and nothing can be undone.
  void set_text(const std::string& text, const std::string& document = {});
  void set_marks(const Context& context, const LineMarks& marks);
  // The line at the top while all executed lines are visible below it; 0: none.
  void set_home(int line) { home_ = line; }
  void set_diagnostics(const Context& context, const std::vector<compile::Diagnostic>& diagnostics,
                       const std::string& file);
  // Draws the tooltip of the word under the pointer, which is on `line`; the column is 0-based, in
  // characters.
  using WordHover = std::function<void(const std::string& word, int line, std::size_t column)>;
  // Returns the lines clicked in the margin. An editable widget takes the keyboard whenever nothing
  // else uses it, unless `lent`.
  [[nodiscard]] std::vector<int> draw(const Context& context, bool editable, bool lent,
                                      const WordHover& hover);
  [[nodiscard]] bool has_keyboard() const { return has_keyboard_; }
  // The line under the pointer, 0: none; and the clicked line.
  [[nodiscard]] int hovered_line() const { return hovered_line_; }

  // The caret, or the selection within one line.
  [[nodiscard]] FoundText selection() const;
  [[nodiscard]] std::string selected_text() const;
  [[nodiscard]] bool has_many_carets() const { return editor_.GetNumberOfCursors() > 1; }
  void select(const FoundText& place);
  void go_to(int line, int column);  // column in bytes, 1-based
  void scroll_to(int line);
  void show_found(const Context& context, const std::vector<FoundText>& all);
  // As one undo step.
  void replace(const std::vector<FoundText>& all, const std::string& with);
  // Returns true and sets `text` if the user changed it since the last call.
  [[nodiscard]] bool take_change(std::string& text);
  // The line that was right-clicked in the margin; 0: none.
  [[nodiscard]] int take_right_click() { return std::exchange(right_clicked_, 0); }

 private:
  void follow(const Context& context);
  void draw_margin(TextEditor::Decorator& decorator);
  void draw_message_mark(const TextEditor::Decorator& decorator, ImVec2 at) const;
  void apply_theme(const Theme& theme);
  void undo_or_redo();
  void keep_carets_in_text();
  void keep_keyboard(bool lent);
  void follow_caret(const Context& context);
  void replace_lines(const std::string& text);

  TextEditor editor_;
  TextEditor::Language language_;
  std::string shown_;
  std::string document_;
  std::string typed_into_;  // the document whose caret is kept
  UndoStrokes strokes_;
  bool editable_ = false;
  bool has_keyboard_ = false;
  int hovered_line_ = 0;
  LineMarks marks_;
  int home_ = 0;
  int follow_line_ = 0;    // to scroll to; 0: the user scrolls
  float room_ = 0.0F;      // the height in the latest frame
  int edited_in_ = -2;     // the last frame in which it was editable
  int follow_frames_ = 0;  // frames left for scrolling: a line's position is known once it is drawn
  const Theme* theme_ = nullptr;
  const Theme* applied_theme_ = nullptr;
  std::vector<int> clicked_;
  int right_clicked_ = 0;
  bool changed_ = false;
  std::size_t seen_change_ = 0;  // the library's undo index in the previous frame
};

}  // namespace tilestep::ui
