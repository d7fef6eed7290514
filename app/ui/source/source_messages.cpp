#include "problem/describe/words.h"
#include "problem/launch/launch.h"
#include "problem/source/cuda_glossary.h"
#include "problem/text.h"
#include "problem/words.h"
#include "ptx/text/ptx_glossary.h"
#include "ui/inspector/pages.h"
#include "ui/masked_context.h"
#include "ui/source/source.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr Message kMessagesFollows = "{} possibly caused by other errors";
constexpr Message kMessagesHideFollows = "Hide the messages possibly caused by other errors";
constexpr float kMessagesMostOfRoom = 0.35F;
constexpr float kMessagesAir = 1.3F;      // in multiples of the font size
constexpr float kMessagesForSign = 2.0F;  // the icon and the bar at the right

struct MessageMemory {
  bool shows_follows = false;
};

std::string place_and_message(const compile::Diagnostic& d) {
  return d.line > 0 ? fmt::format("{}:{}  {}", d.line, d.column, d.message) : d.message;
}

std::size_t follow_count(const std::vector<compile::Diagnostic>& diagnostics) {
  return static_cast<std::size_t>(
      std::ranges::count_if(diagnostics, [](const auto& d) { return d.follows; }));
}

bool is_message_shown(const compile::Diagnostic& d, const MessageMemory& memory) {
  return !d.follows || memory.shows_follows;
}

// Texts about a word.
constexpr Message kWordShared = "In shared memory: one per block, {} bytes.";
constexpr Message kWordOfThread = "A variable of each thread.";
constexpr Message kWordParameter = "A parameter: the same for every thread.";
constexpr Message kWordGlobal = "In global memory: one for the whole grid, {} bytes.";
constexpr Message kWordConstant = "In constant memory: one for the whole grid, {} bytes.";
constexpr Message kWordBuffer = "Points to {}, {}×{} elements ({}) in global memory.";
constexpr Message kWordMacro = "Set by the launch: {} = {}.";
constexpr Message kWordInPtx = "In PTX: {}";
constexpr Message kWordNoValue = "No value at this step.";

constexpr float kWordWidth = 34.0F;  // in multiples of the font size
constexpr std::size_t kWordLongestValue = 120;

// "float[4][4]" and "As" → "float As[4][4]".
std::string word_declaration(const std::string& type, const std::string& name) {
  const std::size_t bracket = type.find('[');
  return bracket == std::string::npos
             ? fmt::format("{} {}", type, name)
             : fmt::format("{} {}{}", type.substr(0, bracket), name, type.substr(bracket));
}

std::string word_place(const simt::Program& program, const std::string& name) {
  for (const simt::Allocation& one : program.allocations()) {
    if (one.name != name || !one.is_variable()) {
      continue;
    }
    switch (one.kind) {
      case simt::AllocationKind::Shared:
        return fmt::format(fmt::runtime(kWordShared.text()), one.bytes);
      case simt::AllocationKind::ConstVariable:
        return fmt::format(fmt::runtime(kWordConstant.text()), one.bytes);
      default:
        return fmt::format(fmt::runtime(kWordGlobal.text()), one.bytes);
    }
  }
  return "";
}

// The buffer that a pointer parameter points to.
std::string buffer_sentence(const problem::Launch& launch, const std::string& name) {
  const problem::Buffer* const buffer = problem::find_buffer(launch, name);
  return buffer == nullptr ? ""
                           : fmt::format(fmt::runtime(kWordBuffer.text()), buffer->name,
                                         buffer->rows, buffer->cols, word_of(buffer->type).label);
}

bool is_word_parameter(const record::State& state, const state::Focus& focus,
                       const std::string& word) {
  return std::ranges::any_of(
      state.variables(focus.block, focus.thread),
      [&](const record::NamedValue& v) { return v.name == word && v.is_parameter; });
}

void add_word_variable(const Context& context, const std::string& word, WordFacts& facts) {
  const auto& focus = context.state.focus;
  const record::State& state = *context.view.run.state;
  const auto value = state.variable(focus.block, focus.thread, word);
  if (!value) {
    return;
  }
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto& types = program.module().types;
  if (value->type < types.size()) {
    facts.title = word_declaration(types[value->type].name, word);
  }
  using Status = record::Value::Status;
  const bool has_value = value->status == Status::Ok || value->status == Status::ThreadExited;
  std::string text = has_value ? value_text(program, *value) : kWordNoValue.text();
  if (hides_run(context)) {
    text = course::kMasked;
  }
  text = masked(context, std::move(text));
  if (text.size() > kWordLongestValue) {
    text = text.substr(0, kWordLongestValue) + "…";
  }
  facts.value = has_value ? fmt::format("{} = {}", word, text) : text;
  const std::string place = word_place(program, word);
  const std::string buffer = buffer_sentence(context.view.run.scene->launch, word);
  if (!place.empty()) {
    facts.texts.push_back(place);
  } else if (is_word_parameter(state, focus, word)) {
    facts.texts.emplace_back(kWordParameter.text());
  } else {
    facts.texts.emplace_back(kWordOfThread.text());
  }
  if (place.empty() && !buffer.empty()) {
    facts.texts.push_back(buffer);
  }
  facts.texts.push_back(thread_name(program, focus.block, focus.thread));
}

bool draw_facts(const Context& context, const WordFacts& facts) {
  if (facts.title.empty() && facts.value.empty()) {
    return false;
  }
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(kWordWidth * ImGui::GetFontSize());
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::TextUnformatted(facts.title.c_str());
  if (!facts.value.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent_text);
    ImGui::TextUnformatted(facts.value.c_str());
    ImGui::PopStyleColor();
  }
  ImGui::PopFont();
  for (std::size_t i = 0; i < facts.texts.size(); ++i) {
    const bool is_source = i + 1 == facts.texts.size();
    ImGui::PushStyleColor(ImGuiCol_Text, is_source ? context.theme.text_dim : context.theme.text);
    ImGui::TextUnformatted(facts.texts[i].c_str());
    ImGui::PopStyleColor();
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  return true;
}

// Facts about the PTX opcode at a column (0-based): what it does, its operands, and its section of
// the PTX ISA.
WordFacts opcode_facts(std::string_view line, std::size_t column) {
  WordFacts facts;
  const std::string_view opcode = ptx::opcode_at(line, column);
  const ptx::OpcodeMeaning known = ptx::meaning_of_opcode(opcode);
  if (!known.is_known()) {
    return facts;
  }
  facts.title = std::string(known.form);
  facts.texts.emplace_back(known.meaning);
  if (std::string words = ptx::meaning_of_modifiers(opcode); !words.empty()) {
    facts.texts.push_back(std::move(words));
  }
  facts.texts.push_back(known.section);
  return facts;
}

WordFacts word_facts(const Context& context, const std::string& word) {
  WordFacts facts;
  if (word.empty()) {
    return facts;
  }
  if (context.view.run.scene != nullptr && context.view.run.state != nullptr &&
      !context.view.run.is_old) {
    add_word_variable(context, word, facts);
    const problem::Launch& launch = context.view.run.scene->launch;
    const auto macro = launch.defines.find(word);
    if (facts.title.empty() && macro != launch.defines.end()) {
      facts.title = fmt::format(fmt::runtime(kWordMacro.text()), word, macro->second);
    } else if (facts.title.empty() && word == "BLOCK_SIZE" &&
               context.view.run.scene->spec.uses_block_size) {
      facts.title =
          fmt::format(fmt::runtime(kWordMacro.text()), word, launch.parameters.block_size);
    }
  }
  if (const problem::CudaTerm* term = problem::find_cuda_term(word);
      term != nullptr && facts.title.empty()) {
    facts.title = std::string(term->form);
    facts.texts.emplace_back(term->meaning);
    std::string sources(term->section);
    if (const auto opcode = ptx::opcode_of_intrinsic(word); !opcode.empty()) {
      const ptx::OpcodeMeaning made = ptx::meaning_of_opcode(opcode);
      facts.texts.push_back(fmt::format(fmt::runtime(kWordInPtx.text()), made.form));
      sources += "\n" + made.section;
    }
    facts.texts.push_back(std::move(sources));
  }
  return facts;
}

}  // namespace

void mark_messages(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file,
                   LineMarks& marks) {
  for (const compile::Diagnostic& d : diagnostics) {
    if (d.line > 0 && d.file == file && !d.follows) {
      auto& lines = d.severity == compile::Severity::Error ? marks.errors : marks.warnings;
      std::string& message = lines[d.line];
      message += (message.empty() ? "" : "\n") + d.message;
    }
  }
}

bool has_error(const std::vector<compile::Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const auto& d) { return d.severity == compile::Severity::Error; });
}

float message_list_height(const Context& context, float width, float room) {
  const auto& diagnostics = context.view.source.diagnostics;
  if (diagnostics.empty()) {
    return 0.0F;
  }
  const auto& memory = context.memory.of<MessageMemory>();
  const float em = ImGui::GetFontSize();
  float height = kMessagesAir * em;
  for (const compile::Diagnostic& d : diagnostics) {
    if (is_message_shown(d, memory)) {
      height += ImGui::CalcTextSize(place_and_message(d).c_str(), nullptr, false,
                                    width - kMessagesForSign * em)
                    .y +
                ImGui::GetStyle().ItemSpacing.y;
    }
  }
  height += follow_count(diagnostics) > 0 ? ImGui::GetTextLineHeightWithSpacing() : 0.0F;
  return std::min(height, kMessagesMostOfRoom * room);
}

std::optional<compile::Diagnostic> draw_message_list(const Context& context, float height) {
  const auto& diagnostics = context.view.source.diagnostics;
  auto& memory = context.memory.of<MessageMemory>();
  std::optional<compile::Diagnostic> clicked;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.theme.raised);
  ImGui::BeginChild("messages", {0.0F, height}, ImGuiChildFlags_Borders);
  int number = 0;
  for (const compile::Diagnostic& d : diagnostics) {
    if (!is_message_shown(d, memory)) {
      continue;
    }
    ImGui::PushID(++number);
    const bool error = d.severity == compile::Severity::Error;
    const ImU32 colour = d.follows ? context.theme.text_dim
                         : error   ? context.theme.bad
                                   : context.theme.warning;
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::BeginGroup();
    coloured_text(colour, error ? icon::kError : icon::kWarning);
    ImGui::SameLine();
    text_in_lines(place_and_message(d));
    ImGui::EndGroup();
    const ImVec2 to(from.x + ImGui::GetWindowWidth(), ImGui::GetItemRectMax().y);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to)) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        clicked = d;
      }
    }
    ImGui::PopID();
  }
  if (const std::size_t count = follow_count(diagnostics); count > 0) {
    const std::string more =
        memory.shows_follows
            ? kMessagesHideFollows.text()
            : fmt::format(fmt::runtime(kMessagesFollows.text()), plural(count, "message"));
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
    if (ImGui::Selectable(fmt::format("{}  {}###follows", icon::kDown, more).c_str())) {
      memory.shows_follows = !memory.shows_follows;
    }
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  return clicked;
}

bool draw_word_hover(const Context& context, const std::string& word) {
  return draw_facts(context, word_facts(context, word));
}

bool draw_opcode_hover(const Context& context, std::string_view line, std::size_t column) {
  return draw_facts(context, opcode_facts(line, column));
}

}  // namespace tilestep::ui
