#include "course/reveal_parts.h"

#include "course/asked.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

// Functions of numbers, sizes of the launch and with(), whose parts are looked at instead.
constexpr std::array<std::string_view, 16> kNotCores{
    "with",     "round", "digits", "abs",    "floor",   "sqrt",   "min",     "max",
    "ceil_div", "grid",  "block",  "blocks", "threads", "thread", "ceiling", "cells"};

void find_core(const lesson::Expression& part, bool is_elsewhere, Core& core) {
  const bool is_name_of_run =
      part.kind == Kind::Name && (part.text == "error.max" || part.text == "error.average");
  if ((part.kind == Kind::Call && std::ranges::find(kNotCores, part.text) == kNotCores.end()) ||
      is_name_of_run) {
    core = {&part, false, is_elsewhere};
    return;
  }
  const bool goes_elsewhere = is_elsewhere || (part.kind == Kind::Call && part.text == "with");
  for (const lesson::Expression& one : part.parts) {
    if (core.call == nullptr) {
      find_core(one, goes_elsewhere, core);
    }
  }
}

}  // namespace

Core core_of(const lesson::Expression& answer) {
  Core core;
  find_core(answer, false, core);
  core.is_whole = core.call == &answer;
  return core;
}

std::string Quest::subject() const {
  return core.call->parts.empty() ? "" : core.call->parts.front().source;
}

Quest quest_of(const lesson::Question& question, Answers& answers) {
  Quest quest{question, answers, core_of(question.answer.expression)};
  const auto& recording = answers.run_of(question.at).recording();
  if (!recording) {
    return quest;
  }
  const state::Focus& focus = question.at.state.focus;
  const simt::Program& program = (*recording)->program();
  const auto argument = [&quest](Kind kind) {
    return quest.core.call == nullptr ? nullptr : part_of(*quest.core.call, kind);
  };
  quest.block = index_or(argument(Kind::Block), focus.block);
  quest.thread = index_or(argument(Kind::Thread), focus.thread);
  if (quest.block >= program.block_count() || quest.thread >= program.threads_per_block()) {
    return quest;
  }
  const lesson::Expression* const place = argument(Kind::Place);
  quest.recording = *recording;
  quest.step = lesson::resolve(place == nullptr ? question.at.place : place->place,
                               *quest.recording, quest.block);
  return quest;
}

std::string thread_words(const Quest& quest, std::uint32_t block, std::uint32_t thread) {
  return thread_value(quest.program(), block, thread).phrase;
}

std::string at_phase(const Quest& quest, const std::string& what, std::uint32_t block,
                     std::size_t phase) {
  const auto phases = quest.recording->phases_of(block);
  return phase < phases.size()
             ? tr("{} at the start of phase {} ({})", what, phase, *phases[phase].name)
             : tr("{} at the end", what);
}

std::vector<std::string> some_cells(const simt::Program& program, const simt::Array& array,
                                    std::size_t most) {
  std::vector<std::string> names;
  if (array.kind == simt::AllocationKind::Buffer) {
    const problem::Buffer& buffer = program.launch().buffers[array.launch_buffer];
    const auto count =
        static_cast<std::size_t>(buffer.rows) * static_cast<std::size_t>(buffer.cols);
    for (int row = 0; count <= most && row < buffer.rows; ++row) {
      for (int col = 0; col < buffer.cols; ++col) {
        names.push_back(problem::element_name(buffer, row, col));
      }
    }
    return names;
  }
  for (std::uint64_t offset = 0; array.bytes / 4 <= most && offset + 4 <= array.bytes;
       offset += 4) {
    names.push_back(record::place_name(program, program.locate_array(array.base + offset, 4)));
  }
  return names;
}

}  // namespace tilestep::course
