#include "ui/code_memory.h"

#include "problem/language.h"
#include "ui/veiling.h"

#include <utility>

namespace tilestep::ui {

void refresh_text(const std::string& text, CodeMemory& memory) {
  if (memory.source != nullptr && memory.text == text) {
    return;
  }
  memory = {};
  memory.text = text;
  memory.lines = lines_of(text);
  memory.header = header_lines(memory.lines);
  for (const std::string& line : memory.lines) {
    memory.tokens.push_back(tokens_of(line));
    memory.code.push_back(code_of(line).size());
    memory.barriers.push_back(problem::barrier_of(line));
    memory.has_barriers =
        memory.has_barriers || memory.barriers.back() != problem::BarrierLine::None;
  }
  memory.source = std::make_unique<narration::SourceMap>(text);
}

void refresh_values(const Context& context, CodeMemory& memory) {
  if (context.view.state == nullptr || context.view.scene == nullptr) {
    memory.values.clear();
    memory.roles.reset();
    return;
  }
  const state::Focus& focus = context.state.focus;
  const std::string veil = context.veil == nullptr ? "" : context.veil->key();
  const std::uint64_t step = context.view.state->step();
  const std::string language = spoken_language();
  if (memory.generation == context.view.scene->generation && memory.step == step &&
      memory.block == focus.block && memory.thread == focus.thread &&
      memory.sums == context.view.sums && memory.veil == veil && memory.language == language) {
    return;
  }
  memory.generation = context.view.scene->generation;
  memory.step = step;
  memory.block = focus.block;
  memory.thread = focus.thread;
  memory.sums = context.view.sums;
  memory.veil = veil;
  memory.language = language;
  const record::Recording& recording = *context.view.scene->recording;
  memory.roles = std::make_unique<narration::Roles>(recording, context.view.sums, *memory.source);
  memory.values = line_values({.source = *memory.source,
                               .program = recording.program(),
                               .state = *context.view.state,
                               .sums = context.view.sums,
                               .block = focus.block,
                               .thread = focus.thread});
  if (hides_run(context)) {
    memory.values.clear();
  }
  for (auto& [line, value] : memory.values) {
    value.text = veiled(context, std::move(value.text));
  }
}

}  // namespace tilestep::ui
