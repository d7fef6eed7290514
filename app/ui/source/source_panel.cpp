#include "problem/words.h"
#include "ptx/model/module.h"
#include "ptx/sass/decode.h"
#include "ui/lesson/lesson.h"
#include "ui/masked_context.h"
#include "ui/source/source.h"
#include "ui/stage/race_effects.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace tilestep::ui {
namespace {

struct LineLinks {
  std::map<int, std::set<int>> made_of;  // by source line: lines of the other text
  std::map<int, int> source_of;          // by line of the other text

  void add(int source, int made);
  [[nodiscard]] std::set<int> lines_made_of(int source) const;
  [[nodiscard]] int source_line_of(int made) const;  // 0: none
};

void LineLinks::add(int source, int made) {
  if (source > 0) {
    made_of[source].insert(made);
    source_of[made] = source;
  }
}

std::set<int> LineLinks::lines_made_of(int source) const {
  const auto found = made_of.find(source);
  return found == made_of.end() ? std::set<int>{} : found->second;
}

int LineLinks::source_line_of(int made) const {
  const auto found = source_of.find(made);
  return found == source_of.end() ? 0 : found->second;
}

// Links to the PTX as in the module's text.
LineLinks ptx_links(const ptx::Module& module) {
  LineLinks links;
  for (const ptx::Function& function : module.functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      links.add(static_cast<int>(ptx::statement_line(function, pc)),
                static_cast<int>(function.instructions[pc].text));
    }
  }
  return links;
}

LineLinks sass_links(const ptx::SassListing& listing) {
  LineLinks links;
  for (std::size_t i = 0; i < listing.lines.size(); ++i) {
    links.add(static_cast<int>(listing.lines[i]), static_cast<int>(i) + 1);
  }
  return links;
}

constexpr Message kNoPtx = "No compiled kernel yet.";
constexpr Message kNoSass = "Compiling to machine code …";
constexpr Message kSassOf = "Optimized, for compute capability {}.{}";
constexpr int kTenths = 10;
constexpr float kBesideWidth = 46.0F;  // two texts side by side, in multiples of the font size

struct SourceMemory {
  SourceEditor cuda{SourceEditor::Text::Cuda};
  SourceEditor made{SourceEditor::Text::Ptx};  // PTX or SASS
  std::string made_text;
  LineLinks links;
  workspace::Generation home_generation;
  std::vector<compile::Diagnostic> shown_diagnostics;
  // The lines under the pointer in the previous frame.
  int source_line = 0;
  int made_line = 0;
  int reveal = 0;                      // a source line to scroll to
  std::map<int, std::string> pointed;  // a lesson's highlighted lines in the previous frame
};

std::string file_name(const Context& context) {
  return context.view.run.scene != nullptr ? context.view.run.scene->launch.source_name : "source";
}

// The lines that a lesson's scene highlights, while the stage is as in the scene.
std::map<int, std::string> pointed_lines(const Context& context) {
  std::map<int, std::string> pointed;
  const auto& shown = context.view.lesson;
  if (shown == nullptr || shown->scene == nullptr || shown->has_wandered) {
    return pointed;
  }
  const auto& points = shown->scene->points;
  for (std::size_t i = 0; i < points.size() && i < shown->labels.size(); ++i) {
    if (points[i].line) {
      pointed[*points[i].line] = shown->labels[i];
    }
  }
  return pointed;
}

LineMarks source_marks(const Context& context) {
  LineMarks marks;
  marks.pointed = pointed_lines(context);
  marks.breakpoints = context.state.breakpoints;
  for (const auto& [line, condition] : context.state.conditions) {
    if (marks.breakpoints.contains(line)) {
      marks.conditions.insert(line);
    }
  }
  if (context.view.run.state == nullptr) {
    return marks;
  }
  const auto& focus = context.state.focus;
  const simt::Program& program = context.view.run.scene->recording->program();
  marks.focus_line = static_cast<int>(context.view.run.state->line(focus.block, focus.thread));
  for (std::uint32_t t = 0; t < program.threads_per_block(); ++t) {
    marks.warp_lines.insert(static_cast<int>(context.view.run.state->line(focus.block, t)));
  }
  marks.warp_lines.erase(0);
  if (context.view.narration.shows_phase && context.view.narration.summary != nullptr) {
    for (const narration::PhaseLine& line : context.view.narration.summary->lines) {
      marks.phase_lines.insert(static_cast<int>(line.line));
    }
  }
  if (const ShownRaceEffect* shown = shown_race_effect(context)) {
    marks.fault_lines = {static_cast<int>(shown->effect.writer.line),
                         static_cast<int>(shown->effect.reader.line)};
  }
  const auto warp_size = program.warp_size();
  for (const record::Activity::Executed& e : last_statement(context).executed) {
    if (e.warp == simt::WarpId{focus.block, focus.thread / warp_size}) {
      marks.executed_line = static_cast<int>(e.line);
    }
  }
  return marks;
}

// Marks of the PTX: the focus warp's next instruction, and all instructions of its source line.
LineMarks ptx_marks(const Context& context) {
  LineMarks marks;
  const auto& focus = context.state.focus;
  const simt::Program& program = context.view.run.scene->recording->program();
  const simt::Machine& machine = context.view.run.state->machine();
  if (machine.block_status(focus.block) != simt::BlockStatus::Running) {
    return marks;
  }
  const auto warp_size = program.warp_size();
  const simt::WarpView at = machine.warp({focus.block, focus.thread / warp_size});
  if (at.status == simt::WarpStatus::Exited) {
    return marks;
  }
  const ptx::Function& function = program.module().functions[at.function];
  marks.focus_line = static_cast<int>(function.instructions[at.pc].text);
  // In the PTX the highlighted line is the next instruction.
  marks.executed_line = marks.focus_line;
  const std::uint32_t line = ptx::statement_line(function, at.pc);
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    if (ptx::statement_line(function, pc) == line) {
      marks.warp_lines.insert(static_cast<int>(function.instructions[pc].text));
    }
  }
  return marks;
}

// The kernel begins a line or two above its first executed line.
void find_home(const Context& context, SourceMemory& memory) {
  constexpr int kLinesAbove = 2;
  if (context.view.run.scene != nullptr &&
      memory.home_generation != context.view.run.scene->generation) {
    memory.home_generation = context.view.run.scene->generation;
    const record::Recording& run = *context.view.run.scene->recording;
    const auto first = static_cast<int>(run.state_at(0).line(run.part().first, 0));
    memory.cuda.set_home(std::max(first - kLinesAbove, 1));
  }
}

// 0: no question about a line, or no line chosen yet.
int answered_line(const Context& context) {
  if (!has_question(context) || context.view.lesson->question->kind != lesson::QuestionKind::Line) {
    return 0;
  }
  if (!is_asked(context)) {
    const auto& verdict = context.view.lesson->verdict;
    return verdict ? static_cast<int>(verdict->answer.number) : 0;
  }
  const std::string& given = context.state.course.given;
  if (given.empty()) {  // the middle of the thread's remaining lines
    const auto last = static_cast<int>(std::ranges::count(context.view.source.text, '\n')) + 1;
    return (std::max(source_marks(context).focus_line, 1) + last) / 2;
  }
  int line = 0;
  std::from_chars(given.data(), given.data() + given.size(), line);
  return line;
}

// The first line that does not compile; 0: none, or no message has a line.
int first_error_line(const std::vector<compile::Diagnostic>& all) {
  const auto first = std::ranges::find_if(all, [](const compile::Diagnostic& d) {
    return d.severity == compile::Severity::Error && d.line > 0;
  });
  return first == all.end() ? 0 : first->line;
}

// The first line that does not compile in a lab whose run has not begun, else the task's line; 0:
// neither.
int line_of_task(const Context& context) {
  if (!has_lab(context) || context.state.step > 0) {
    return 0;
  }
  if (const int error = first_error_line(context.view.source.diagnostics); error > 0) {
    return error;
  }
  const std::string_view text = context.view.source.text;
  const std::size_t at = text.find("TODO");
  return at == std::string_view::npos
             ? 0
             : 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
}

// While a question is asked, what it quotes is whole and in view, else the line that is chosen, or
// else the executed one.
void add_whole_lines(const Context& context, LineMarks& marks) {
  marks.whole_lines = quoted_lines(lines_of(context.view.source.text), context.view.lesson->ask);
  if (!marks.whole_lines.empty() && marks.wanted_line == 0) {
    const auto next = marks.whole_lines.upper_bound(marks.executed_line);
    marks.wanted_line = next == marks.whole_lines.end() ? *marks.whole_lines.begin() : *next;
  }
  if (!context.state.course.given.empty() && marks.wanted_line > 0) {
    marks.whole_lines.insert(marks.wanted_line);
  }
  if (marks.whole_lines.empty()) {
    marks.whole_lines.insert(marks.executed_line);
  }
}

// Marks of another text's run would be at wrong lines.
LineMarks shown_marks(const Context& context, const SourceMemory& memory) {
  LineMarks marks = source_marks(context);
  if (context.view.run.is_old) {
    LineMarks kept;
    kept.breakpoints = marks.breakpoints;
    kept.conditions = marks.conditions;
    marks = std::move(kept);
  }
  marks.wanted_line = std::max(answered_line(context), line_of_task(context));
  if (is_asked(context)) {
    add_whole_lines(context, marks);
  }
  mark_messages(context.view.source.diagnostics, file_name(context), marks);
  if (context.state.source_page != state::SourcePage::Source && memory.made_line > 0) {
    marks.linked_lines = {memory.links.source_line_of(memory.made_line)};
  }
  return marks;
}

// Scrolls to the code generated from a clicked line.
void reveal_made(SourceMemory& memory, int line) {
  if (const auto made = memory.links.lines_made_of(line); !made.empty()) {
    memory.made.scroll_to(*made.begin());
  }
}

void draw_read_text(const Context& context, SourceMemory& memory, bool is_strip,
                    Commands& commands) {
  const LineMarks marks = shown_marks(context, memory);
  if (marks.pointed != memory.pointed) {
    memory.pointed = marks.pointed;
    memory.reveal = marks.pointed.empty() ? memory.reveal : marks.pointed.begin()->first;
  }
  int clicked = 0;
  append(commands, draw_code(context, {.text = context.view.source.text,
                                       .marks = marks,
                                       .is_strip = is_strip,
                                       .hover =
                                           [&context](const std::string& word) {
                                             return draw_word_hover(context, word);
                                           },
                                       .hovered_line = &memory.source_line,
                                       .clicked_line = &clicked,
                                       .reveal = std::exchange(memory.reveal, 0)}));
  reveal_made(memory, clicked);
}

// Escape closes the find bar, then ends editing; the text stays.
void leave_by_escape(const Context& context, const SourceEditor& editor, bool in_find_bar,
                     Commands& commands) {
  const bool is_ours = in_find_bar || (editor.has_keyboard() && !editor.has_many_carets());
  if (!context.state.editing || !is_ours || context.state.course.list ||
      !ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    return;
  }
  if (context.state.show_find) {
    commands.emplace_back(state::ShowFind{false});
  } else {
    commands.emplace_back(state::StopEditing{true});
  }
}

// True if an overlay of the window has the keyboard.
bool is_covered(const state::AppState& state) {
  return state.show_palette || state.show_keys || state.show_go_to || state.show_save_as ||
         state.condition_line != 0;
}

void draw_messages(const Context& context, SourceEditor& editor, float height) {
  if (height <= 0.0F) {
    return;
  }
  if (const auto clicked = draw_message_list(context, height); clicked && clicked->line > 0) {
    editor.go_to(clicked->line, clicked->column);
    editor.scroll_to(clicked->line);
  }
}

void draw_editor(const Context& context, SourceMemory& memory, Commands& commands) {
  SourceEditor& editor = memory.cuda;
  const bool editing = context.state.editing;
  const std::string& text =
      context.state.edited_source.empty() ? context.view.source.text : context.state.edited_source;
  editor.set_text(text, context.state.kernel);
  find_home(context, memory);
  const FindBarResult find = draw_find_bar(context, editor, text);
  append(commands, find.commands);
  leave_by_escape(context, editor, find.uses_keyboard, commands);
  editor.set_marks(context, shown_marks(context, memory));
  const std::vector<compile::Diagnostic>& diagnostics = context.view.source.diagnostics;
  if (diagnostics != memory.shown_diagnostics) {
    memory.shown_diagnostics = diagnostics;
    editor.set_diagnostics(context, diagnostics, file_name(context));
    if (const int error = first_error_line(diagnostics); !editing && error > 0) {
      editor.scroll_to(error);
    }
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float list = message_list_height(context, room.x, room.y);
  ImGui::BeginChild("editor", {0.0F, list > 0.0F ? -list - ImGui::GetStyle().ItemSpacing.y : 0.0F});
  const auto hover = [&context](const std::string& word, int, std::size_t) {
    draw_word_hover(context, word);
  };
  const bool lent = find.uses_keyboard || is_covered(context.state);
  for (const int line : editor.draw(context, editing, lent, hover)) {
    commands.emplace_back(state::ToggleBreakpoint{line});
  }
  ImGui::EndChild();
  memory.source_line = editor.hovered_line();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    reveal_made(memory, memory.source_line);
  }
  if (const int line = std::exchange(memory.reveal, 0); line > 0) {
    editor.scroll_to(line);
  }
  if (const int line = editor.take_right_click(); line > 0) {
    commands.emplace_back(state::EditCondition{line});
  }
  draw_messages(context, editor, list);
  std::string changed;
  if (editing && editor.take_change(changed)) {
    commands.emplace_back(state::EditSource{changed});
  }
}

// Reading view while nothing is typed and the text has no errors.
void draw_source_text(const Context& context, SourceMemory& memory, bool is_strip,
                      Commands& commands) {
  if (!is_strip && (context.state.editing || has_error(context.view.source.diagnostics))) {
    draw_editor(context, memory, commands);
  } else {
    draw_read_text(context, memory, is_strip, commands);
  }
}

void show_made(const Context& context, SourceMemory& memory, const std::string& text,
               LineMarks marks, const SourceEditor::WordHover& hover) {
  if (memory.made_text != text) {
    memory.made_text = text;
    memory.made.set_text(text);
  }
  marks.linked_lines = memory.links.lines_made_of(memory.source_line);
  memory.made.set_marks(context, marks);
  static_cast<void>(memory.made.draw(context, false, true, hover));
  memory.made_line = memory.made.hovered_line();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    memory.reveal = memory.links.source_line_of(memory.made_line);
  }
}

// 1-based.
std::string_view ptx_line(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

void draw_ptx_text(const Context& context, SourceMemory& memory) {
  if (context.view.run.scene == nullptr || context.view.run.state == nullptr) {
    coloured_text(context.theme.text_dim, kNoPtx);
    return;
  }
  const ptx::Module& module = context.view.run.scene->recording->program().module();
  if (memory.made_text != module.text) {
    memory.links = ptx_links(module);
  }
  const auto hover = [&](const std::string&, int line, std::size_t column) {
    draw_opcode_hover(context, ptx_line(module.text, line), column);
  };
  show_made(context, memory, module.text, ptx_marks(context), hover);
}

void draw_sass_text(const Context& context, SourceMemory& memory) {
  const auto& sass = context.view.source.sass;
  if (sass == nullptr || !sass->why_not.empty()) {
    wrapped_text(context.theme.text_dim, sass == nullptr ? kNoSass.text() : sass->why_not);
    return;
  }
  if (memory.made_text != sass->listing.text) {
    memory.links = sass_links(sass->listing);
  }
  coloured_text(context.theme.text_dim,
                fmt::format(fmt::runtime(kSassOf.text()), sass->architecture / kTenths,
                            sass->architecture % kTenths)
                    .c_str());
  show_made(context, memory, sass->listing.text, {}, nullptr);
}

// Two texts side by side, or stacked if there is no room.
void draw_both(const Context& context, SourceMemory& memory, Commands& commands) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const bool beside = room.x > kBesideWidth * ImGui::GetFontSize();
  const ImVec2 half = beside ? ImVec2(std::floor(0.5F * (room.x - gap)), 0.0F)
                             : ImVec2(0.0F, std::floor(0.5F * (room.y - gap)));
  ImGui::BeginChild("source text", half);
  draw_source_text(context, memory, false, commands);
  ImGui::EndChild();
  if (beside) {
    ImGui::SameLine(0.0F, gap);
  }
  ImGui::BeginChild("made text");
  if (context.state.source_page == state::SourcePage::Sass) {
    draw_sass_text(context, memory);
  } else {
    draw_ptx_text(context, memory);
  }
  ImGui::EndChild();
}

}  // namespace

Commands draw_source(const Context& context, bool is_strip) {
  auto& memory = context.memory.of<SourceMemory>();
  Commands commands;
  if (is_strip) {
    draw_source_text(context, memory, true, commands);
    return commands;
  }
  commands = draw_source_header(context);
  switch (context.state.source_page) {
    case state::SourcePage::Source:
      draw_source_text(context, memory, false, commands);
      break;
    case state::SourcePage::Difference:
      draw_difference(context);
      break;
    case state::SourcePage::Ptx:
    case state::SourcePage::Sass:
      draw_both(context, memory, commands);
      break;
  }
  return commands;
}

}  // namespace tilestep::ui
