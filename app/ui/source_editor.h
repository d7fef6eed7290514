// The text widget behind the source panel: CUDA C++ and PTX highlighting in the theme's colours,
// line marks, breakpoints, diagnostics. Lines are 1-based here; the library counts from 0.
#pragma once

#include "ui/panel.h"

#include <TextEditor.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace tilestep::ui {

// What stands in the margin and how a line is lit.
struct LineMarks {
  int executed_line = 0;     // what the focus warp just executed: its effects are on stage; 0: none
  int focus_line = 0;        // what the focus thread executes next; 0: none
  std::set<int> warp_lines;  // lines of the focus block's other warps
  std::set<int> breakpoints;
  std::set<int> conditions;   // breakpoints that have one
  std::set<int> phase_lines;  // of a phase that is shown as a whole
  std::set<int> fault_lines;  // both sides of a race that strikes

  friend bool operator==(const LineMarks&, const LineMarks&) = default;
};

class SourceEditor {
 public:
  enum class Text { Cuda, Ptx };
  explicit SourceEditor(Text kind);
  // The library's callbacks hold `this`.
  SourceEditor(const SourceEditor&) = delete;
  SourceEditor& operator=(const SourceEditor&) = delete;
  SourceEditor(SourceEditor&&) = delete;
  SourceEditor& operator=(SourceEditor&&) = delete;
  ~SourceEditor() = default;

  // Replaces the text unless the editor shows it already; keeps scroll position and marks.
  void set_text(const std::string& text);
  void set_marks(const Context& context, const LineMarks& marks);
  // The line that stands at the top while all that is executed can be seen below it; 0: none.
  void set_home(int line) { home_ = line; }
  void set_diagnostics(const Context& context, const std::vector<compile::Diagnostic>& diagnostics,
                       const std::string& file);
  // What is known of the word under the pointer; empty: nothing.
  using WordText = std::function<std::string(const std::string& word)>;
  // Returns the lines clicked in the margin.
  [[nodiscard]] std::vector<int> draw(const Context& context, bool editable, const WordText& hover);
  // The text, if the user changed it since the last call.
  [[nodiscard]] bool take_change(std::string& text);
  // The line that was clicked in the margin with the right button; 0: none was.
  [[nodiscard]] int take_right_click() { return std::exchange(right_clicked_, 0); }

 private:
  void follow(const Context& context);
  void draw_margin(TextEditor::Decorator& decorator);
  void apply_theme(const Theme& theme);

  TextEditor editor_;
  TextEditor::Language language_;
  std::string shown_;
  LineMarks marks_;
  int home_ = 0;
  int follow_line_ = 0;    // to be brought into view; 0: the user scrolls
  float room_ = 0.0F;      // height it was drawn in last
  int edited_in_ = -2;     // the last frame in which it could be typed into
  int follow_frames_ = 0;  // left for it: where a line is, is known once it is drawn
  const Theme* theme_ = nullptr;
  const Theme* applied_theme_ = nullptr;
  std::vector<int> clicked_;
  int right_clicked_ = 0;
  bool changed_ = false;
};

}  // namespace tilestep::ui
