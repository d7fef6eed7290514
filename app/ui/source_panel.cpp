#include "ui/source_panel.h"

#include "ui/code_view.h"
#include "ui/icons.h"
#include "ui/inspector/pages.h"
#include "ui/memory.h"
#include "ui/names.h"
#include "ui/number_form.h"
#include "ui/source_editor.h"
#include "ui/stage/strikes.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilestep::ui {
namespace {

struct SourceMemory {
  SourceEditor cuda{SourceEditor::Text::Cuda};
  SourceEditor ptx{SourceEditor::Text::Ptx};
  std::uint64_t ptx_generation = 0;
  std::uint64_t home_generation = 0;
  std::vector<compile::Diagnostic> shown_diagnostics;
};

std::string file_name(const Context& context) {
  return context.view.scene != nullptr ? context.view.scene->launch.source_name : "source";
}

LineMarks source_marks(const Context& context) {
  LineMarks marks;
  marks.breakpoints = context.state.breakpoints;
  for (const auto& [line, condition] : context.state.conditions) {
    if (marks.breakpoints.contains(line)) {
      marks.conditions.insert(line);
    }
  }
  if (context.view.state == nullptr) {
    return marks;
  }
  const auto& focus = context.state.focus;
  const simt::Program& program = context.view.scene->recording->program();
  marks.focus_line = static_cast<int>(context.view.state->line(focus.block, focus.thread));
  for (std::uint32_t t = 0; t < program.threads_per_block(); ++t) {
    marks.warp_lines.insert(static_cast<int>(context.view.state->line(focus.block, t)));
  }
  marks.warp_lines.erase(0);
  if (context.view.shows_phase && context.view.phase_summary != nullptr) {
    for (const narration::PhaseLine& line : context.view.phase_summary->lines) {
      marks.phase_lines.insert(static_cast<int>(line.line));
    }
  }
  if (const ShownStrike* shown = shown_strike(context)) {
    marks.fault_lines = {static_cast<int>(shown->strike.writer.line),
                         static_cast<int>(shown->strike.reader.line)};
  }
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  for (const record::Activity::Executed& e : context.view.statement->executed) {
    if (e.warp == simt::WarpId{focus.block, focus.thread / warp_size}) {
      marks.executed_line = static_cast<int>(e.line);
    }
  }
  return marks;
}

// In the PTX, the focus warp's next instruction, and all instructions of its source line.
LineMarks ptx_marks(const Context& context) {
  LineMarks marks;
  const auto& focus = context.state.focus;
  const simt::Program& program = context.view.scene->recording->program();
  const simt::Machine& machine = context.view.state->machine();
  if (machine.block_status(focus.block) != simt::BlockStatus::Running) {
    return marks;
  }
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  const simt::WarpView at = machine.warp({focus.block, focus.thread / warp_size});
  if (at.status == simt::WarpStatus::Exited) {
    return marks;
  }
  const ptx::Function& function = program.module().functions[at.function];
  marks.focus_line = static_cast<int>(function.instructions[at.pc].text);
  marks.executed_line = marks.focus_line;  // in the PTX the lit line is the next instruction
  const std::uint32_t line = ptx::statement_line(function, at.pc);
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    if (ptx::statement_line(function, pc) == line) {
      marks.warp_lines.insert(static_cast<int>(function.instructions[pc].text));
    }
  }
  return marks;
}

// The variable of that name in the focus thread, or the value of a shared array's or buffer's
// place.
// "acc = 19" and whose it is; empty where the word is no variable.
std::string variable_text(const Context& context, const std::string& word) {
  if (word.empty() || context.view.state == nullptr) {
    return "";
  }
  const auto& focus = context.state.focus;
  const auto value = context.view.state->variable(focus.block, focus.thread, word);
  if (!value) {
    return "";
  }
  const simt::Program& program = context.view.scene->recording->program();
  return fmt::format("{} = {}\n{}", word, formed_value(program, *value, context.state.number_form),
                     thread_name(program, focus.block, focus.thread));
}

void diagnostics_list(const Context& context) {
  const auto& diagnostics = *context.view.diagnostics;
  const float em = ImGui::GetFontSize();
  ImGui::BeginChild("diagnostics", {0.0F, em * 5.0F}, ImGuiChildFlags_Borders);
  for (const compile::Diagnostic& d : diagnostics) {
    const bool error = d.severity == compile::Severity::Error;
    coloured_text(error ? context.theme.bad : context.theme.warning,
                  error ? icon::kError : icon::kWarning);
    ImGui::SameLine();
    ImGui::TextWrapped("%d:%d  %s", d.line, d.column, d.message.c_str());
  }
  ImGui::EndChild();
}

Commands header(const Context& context) {
  Commands commands;
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(file_name(context).c_str());
  ImGui::PopFont();
  ImGui::SameLine();
  const bool source = context.state.source_page == state::SourcePage::Source;
  append(commands,
         action_button(context, ActionId::TogglePtx, source ? "show PTX" : "show source"));
  ImGui::SameLine();
  const std::string edit =
      fmt::format("{} {}", icon::kEdit, context.state.editing ? "done" : "edit");
  append(commands,
         action_button(context, ActionId::EditSource, edit.c_str(), context.state.editing));
  if (!context.state.edited_source.empty()) {
    ImGui::SameLine();
    if (ImGui::Button("revert")) {
      commands.push_back(state::StopEditing{false});
    }
    tooltip("Discards the changes and shows the file's own text.");
  }
  return commands;
}

// The kernel begins a line or two above the first that is executed.
void find_home(const Context& context, SourceMemory& memory) {
  constexpr int kLinesAbove = 2;
  if (context.view.scene != nullptr && memory.home_generation != context.view.scene->generation) {
    memory.home_generation = context.view.scene->generation;
    const record::Recording& run = *context.view.scene->recording;
    const auto first = static_cast<int>(run.state_at(0).line(run.part().first, 0));
    memory.cuda.set_home(std::max(first - kLinesAbove, 1));
  }
}

// Read along while nothing is typed and nothing is wrong with it.
void draw_source_text(const Context& context, SourceMemory& memory, bool is_strip,
                      Commands& commands) {
  const bool has_diagnostics =
      context.view.diagnostics != nullptr && !context.view.diagnostics->empty();
  if (!context.state.editing && !has_diagnostics) {
    const LineMarks marks = source_marks(context);
    append(commands, draw_code(context, {.text = context.view.source,
                                         .marks = marks,
                                         .is_strip = is_strip,
                                         .hover = [&context](const std::string& word) {
                                           return variable_text(context, word);
                                         }}));
    return;
  }
  // While the user types, the editor's text is the newest; otherwise the scene's is.
  if (!context.state.editing || context.state.edited_source.empty()) {
    memory.cuda.set_text(context.view.source);
  }
  find_home(context, memory);
  memory.cuda.set_marks(context, source_marks(context));
  const std::vector<compile::Diagnostic> none;
  const auto& diagnostics = context.view.diagnostics == nullptr ? none : *context.view.diagnostics;
  if (diagnostics != memory.shown_diagnostics) {
    memory.shown_diagnostics = diagnostics;
    memory.cuda.set_diagnostics(context, diagnostics, file_name(context));
  }
  if (!diagnostics.empty()) {
    diagnostics_list(context);
  }
  const auto hover = [&context](const std::string& word) { return variable_text(context, word); };
  for (const int line : memory.cuda.draw(context, context.state.editing, hover)) {
    commands.push_back(state::ToggleBreakpoint{line});
  }
  if (const int line = memory.cuda.take_right_click(); line > 0) {
    commands.push_back(state::EditCondition{line});
  }
  std::string text;
  if (context.state.editing && memory.cuda.take_change(text)) {
    commands.push_back(state::EditSource{text});
  }
}

void draw_ptx_text(const Context& context, SourceMemory& memory) {
  if (context.view.scene == nullptr || context.view.state == nullptr) {
    coloured_text(context.theme.text_dim, "No compiled kernel yet.");
    return;
  }
  if (memory.ptx_generation != context.view.scene->generation) {
    memory.ptx_generation = context.view.scene->generation;
    memory.ptx.set_text(context.view.scene->recording->program().module().text);
  }
  memory.ptx.set_marks(context, ptx_marks(context));
  static_cast<void>(memory.ptx.draw(context, false, nullptr));
}

}  // namespace

Commands draw_source(const Context& context, bool is_strip) {
  auto& memory = context.memory.of<SourceMemory>();
  Commands commands;
  if (!is_strip) {
    commands = header(context);
  }
  if (context.state.source_page == state::SourcePage::Source) {
    draw_source_text(context, memory, is_strip, commands);
  } else {
    draw_ptx_text(context, memory);
  }
  return commands;
}

}  // namespace tilestep::ui
