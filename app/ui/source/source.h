// The kernel's text and its PTX: current lines, breakpoints, values on hover, live edit.
#pragma once

#include "narration/source_map.h"
#include "narration/thread_view.h"
#include "problem/source/syntax_check.h"
#include "ui/panel.h"
#include "ui/source/source_editor.h"
#include "ui/source/source_lines.h"
#include "ui/veiling.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ui {

// A strip: a few lines around the current one, and nothing else.
[[nodiscard]] Commands draw_source(const Context& context, bool is_strip);

// Above the source: the file's name, what can be done with it, and what is asked about it.

[[nodiscard]] Commands draw_source_header(const Context& context);

// Whether the text on screen is another than the file's own.
[[nodiscard]] bool is_changed(const Context& context);

// What was changed in the text: beside the file's own, line by line.

void draw_difference(const Context& context);

// Finding and replacing in the editor: two rows above the text, where nothing lies over it.

// Shown where AppState::show_find. `text`: what the editor holds. True in `uses_keyboard` while one
// of its fields is being typed into, or about to be.
struct FindBarResult {
  Commands commands;
  bool uses_keyboard = false;
};
[[nodiscard]] FindBarResult draw_find_bar(const Context& context, SourceEditor& editor,
                                          const std::string& text);

// What the compiler says, below the text: the cause first, what follows from it folded.

// Messages by the line of `file` that they are of.
void mark_messages(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file,
                   LineMarks& marks);

[[nodiscard]] bool has_error(const std::vector<compile::Diagnostic>& diagnostics);

// Height in pixels that the list takes of `room`; 0: there are no messages.
[[nodiscard]] float message_list_height(const Context& context, float width, float room);
// Returns the message that was clicked.
[[nodiscard]] std::optional<compile::Diagnostic> draw_message_list(const Context& context,
                                                                   float height);

// What is known of a word of the source that the pointer is on: the variable's type, where it is
// and its value in the thread that is followed; what a word of CUDA's means.

// Lines of a tooltip; empty where nothing is known.
struct WordFacts {
  std::string title;               // "float As[4][4]", "void __syncthreads()"
  std::string value;               // "acc = 19"
  std::vector<std::string> texts;  // sentences, and at last where they are from
};

// False where nothing is known: then there is no tooltip.
bool draw_word_hover(const Context& context, const std::string& word);
bool draw_opcode_hover(const Context& context, std::string_view line, std::size_t column);

// What the view of a source keeps from frame to frame: its lines, and the values at their ends.

// All of it can be computed again.
struct CodeMemory {
  std::string text;
  std::vector<std::string> lines;
  std::vector<std::vector<TokenAt>> tokens;  // of each
  std::vector<std::size_t> code;             // of each: characters without a comment at its end
  std::vector<problem::BarrierLine> barriers;
  bool has_barriers = false;
  std::size_t header = 0;
  std::unique_ptr<narration::SourceMap> source;
  float top = 0.0F;  // row
  int followed = 0;  // the line that was brought into view last
  float room = 0.0F;
  std::size_t rows = 0;
  bool words_shown = false;  // of the header
  // Values at the ends of lines, and what they were computed for.
  std::map<int, LineValue> values;
  std::optional<FrameKey> key;
  std::unique_ptr<narration::Roles> roles;
};

void refresh_text(const std::string& text, CodeMemory& memory);
void refresh_values(const Context& context, CodeMemory& memory);

// Source to read along: lines fade out at the edge and never wrap, the current one stays in the
// middle third and slides left so that its end is seen, values of the focus thread are at the
// ends of the lines that assigned them.

struct CodeRequest {
  const std::string& text;
  const LineMarks& marks;
  // A few lines without a header and without comments behind code: a strip, the lecture.
  bool is_strip = false;
  // Draws the tooltip of the word under the pointer; false where nothing is known of it.
  std::function<bool(const std::string& word)> hover;
  // Where the line under the pointer goes, 0 where there is none, and the one that was clicked.
  int* hovered_line = nullptr;
  int* clicked_line = nullptr;
  int reveal = 0;  // a line to bring into view; 0: none
};
// Returns a breakpoint for a click in the margin, and what a click on the header asks for.
[[nodiscard]] Commands draw_code(const Context& context, const CodeRequest& request);

}  // namespace tilestep::ui
