// The kernel's text and its PTX: current lines, breakpoints, values on hover, live edit.
#pragma once

#include "narration/source_map.h"
#include "narration/thread_view.h"
#include "problem/source/syntax_check.h"
#include "ui/masked_context.h"
#include "ui/panel.h"
#include "ui/source/source_editor.h"
#include "ui/source/source_lines.h"
#include "ui/stage/geometry.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ui {

// Strip: only a few lines around the current one.
[[nodiscard]] Commands draw_source(const Context& context, bool is_strip);

// Above the source: the file's name, its buttons, and questions about it.

[[nodiscard]] Commands draw_source_header(const Context& context);

// Whether the text on screen differs from the file's.
[[nodiscard]] bool is_changed(const Context& context);

// The changes of the text, line by line beside the file's own.

void draw_difference(const Context& context);

// Find and replace in the editor: two rows above the text, so that they cover nothing.

// Shown if AppState::show_find is set. `text`: the editor's text. `uses_keyboard` is true while one
// of its fields has, or is about to get, the keyboard.
struct FindBarResult {
  Commands commands;
  bool uses_keyboard = false;
};
[[nodiscard]] FindBarResult draw_find_bar(const Context& context, SourceEditor& editor,
                                          const std::string& text);

// The compiler's messages below the text: the cause first, its consequences folded.

// Adds messages to the marks of their lines in `file`.
void mark_messages(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file,
                   LineMarks& marks);

[[nodiscard]] bool has_error(const std::vector<compile::Diagnostic>& diagnostics);

// Height in pixels of the list in `room`; 0: no messages.
[[nodiscard]] float message_list_height(const Context& context, float width, float room);
// Returns the clicked message.
[[nodiscard]] std::optional<compile::Diagnostic> draw_message_list(const Context& context,
                                                                   float height);

// Facts about the source word under the pointer: the variable's type, its location and its value in
// the focus thread; the meaning of a CUDA word.

// Lines of a tooltip; empty if nothing is known.
struct WordFacts {
  std::string title;               // "float As[4][4]", "void __syncthreads()"
  std::string value;               // "acc = 19"
  std::vector<std::string> texts;  // sentences; the last one names the source
};

// Returns false, without a tooltip, if nothing is known.
bool draw_word_hover(const Context& context, const std::string& word);
bool draw_opcode_hover(const Context& context, std::string_view line, std::size_t column);

// Memory of a source's view across frames: its lines, and the values at their ends.

// All of it can be recomputed.
struct CodeMemory {
  std::string text;
  std::vector<std::string> lines;
  std::vector<std::vector<TokenAt>> tokens;  // by line
  std::vector<std::size_t> code;             // by line: characters before a trailing comment
  std::vector<problem::BarrierLine> barriers;
  bool has_barriers = false;
  std::size_t header = 0;
  std::unique_ptr<narration::SourceMap> source;
  float top = 0.0F;  // first visible row
  int followed = 0;  // the line that was scrolled to last
  float room = 0.0F;
  std::size_t rows = 0;
  bool words_shown = false;  // the header is unfolded
  // Values at the ends of lines, and the key they were computed for.
  std::map<int, LineValue> values;
  std::optional<FrameKey> key;
  std::unique_ptr<narration::Roles> roles;
};

void refresh_text(const std::string& text, CodeMemory& memory);
void refresh_values(const Context& context, CodeMemory& memory);

// Source for reading along: lines fade out at the edge and never wrap; the current one stays in the
// middle third and scrolls left so that its end is visible; the focus thread's values are at the
// ends of the lines that assigned them.

struct CodeRequest {
  const std::string& text;
  const LineMarks& marks;
  // A few lines without a header and trailing comments: a strip, the lecture.
  bool is_strip = false;
  // Draws the tooltip of the word under the pointer; returns false if nothing is known of it.
  std::function<bool(const std::string& word)> hover;
  // Outputs: the line under the pointer (0: none) and the clicked line.
  int* hovered_line = nullptr;
  int* clicked_line = nullptr;
  int reveal = 0;  // a line to scroll to; 0: none
};
// A row of the unfolded header.
struct HeaderRow {
  std::string text;
  bool is_label = false;
};
// `font`: its size, `width`: of a row, in pixels.
[[nodiscard]] std::vector<HeaderRow> header_rows(const Context& context,
                                                 const std::vector<std::string>& lines,
                                                 std::size_t header, float font, float width);
// Size and width of a character of the code, in pixels.
struct CodeSize {
  float font = 0.0F;
  float advance = 0.0F;
};
// The bar that folds the header of so many lines.
void paint_header_bar(const Context& context, const Box& row, const CodeSize& size,
                      std::size_t lines);
// Two bars for a barrier; struck through if it is switched off.
void paint_barrier_sign(const Theme& theme, ImVec2 middle, const CodeSize& size, bool is_on);

// Returns a breakpoint for a click in the margin, and the command of a click on the header.
[[nodiscard]] Commands draw_code(const Context& context, const CodeRequest& request);

}  // namespace tilestep::ui
