#include "course/asked.h"

#include "insight/names.h"
#include "lesson/lesson.h"
#include "lesson/place.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

bool is_positional(const lesson::Expression& part) {
  return part.kind != Kind::Block && part.kind != Kind::Thread && part.kind != Kind::Warp &&
         part.kind != Kind::Place && part.kind != Kind::Setting;
}

std::string place_text(const lesson::Place& place) {
  const std::string_view word = word_of(place.kind).file;
  const bool has_number =
      place.kind != lesson::Place::Kind::Start && place.kind != lesson::Place::Kind::End;
  return has_number ? fmt::format("{}:{}", word, place.number) : std::string(word);
}

Result<Value> call_answer(const Asked& asked) {
  for (const auto& table : {thread_answers(), launch_answers(), timing_answers(), clock_answers(),
                            number_answers(), setup_answers()}) {
    const auto found = std::ranges::find(table, asked.call.text, &AnswerOf::name);
    if (found != table.end()) {
      return found->answer(asked);
    }
  }
  return fail(tr("{} has no answer here.", asked.call.text));
}

Result<Value> name_answer(const Asked& asked, const std::string& name) {
  const auto& [problem, block_size] = asked.at.state.parameters;
  const std::array<std::pair<const char*, int>, 5> sizes{{{"M", problem.M},
                                                          {"N", problem.N},
                                                          {"K", problem.K},
                                                          {"BLOCK_SIZE", block_size},
                                                          {"warp_size", asked.at.state.warp_size}}};
  for (const auto& [known, size] : sizes) {
    if (name == known) {
      return number_value(size);
    }
  }
  if (name == "yes" || name == "no") {
    return yes_no_value(name == "yes");
  }
  if (name == "error.max" || name == "error.average") {
    return error_answer(asked, name == "error.average");
  }
  return fail(tr("{} has no value here.", name));
}

// A cell of the launch, by its own name.
Result<Value> cell_literal(const Asked& asked, const std::string& name) {
  const auto& prepared = asked.run().prepared();
  const auto cell =
      prepared ? insight::find_cell(*prepared->program, name) : tl::unexpected(prepared.error());
  return cell ? Result<Value>(cell_value(cell->name)) : tl::unexpected(cell.error());
}

Result<Value> thread_literal(const Asked& asked, double thread) {
  const auto& prepared = asked.run().prepared();
  TILESTEP_RETURN_IF_ERROR(prepared);
  const simt::Program& program = *prepared->program;
  const std::uint32_t block = asked.at.state.focus.block;
  if (!(thread < program.threads_per_block()) || block >= program.block_count()) {
    return fail(
        tr("There is no thread {} in block {}: this launch has {} blocks of {} "
           "threads.",
           thread, block, program.block_count(), program.threads_per_block()));
  }
  return thread_value(program, block, static_cast<std::uint32_t>(thread));
}

Result<Value> operator_answer(const Asked& asked, const lesson::Expression& expression) {
  const auto left = evaluate(asked, expression.parts[0]);
  if (!left) {
    return left;
  }
  if (expression.kind == Kind::Unary) {
    return unary_answer(expression.text, *left);
  }
  const auto right = evaluate(asked, expression.parts[1]);
  return right ? binary_answer(expression.text, *left, *right) : right;
}

}  // namespace

const lesson::Expression* part_of(const lesson::Expression& call, lesson::Expression::Kind kind) {
  const std::size_t first = call.text == "value" ? 1 : 0;  // the kernel's own expression
  for (std::size_t i = first; i < call.parts.size(); ++i) {
    if (call.parts[i].kind == kind) {
      return &call.parts[i];
    }
  }
  return nullptr;
}

std::uint32_t index_or(const lesson::Expression* part, std::uint32_t otherwise) {
  return part == nullptr ? otherwise : static_cast<std::uint32_t>(part->number);
}

std::vector<const lesson::Expression*> arguments_of(const lesson::Expression& call) {
  std::vector<const lesson::Expression*> all;
  for (const lesson::Expression& part : call.parts) {
    if (is_positional(part) || (call.text == "value" && &part == &call.parts.front())) {
      all.push_back(&part);
    }
  }
  return all;
}

std::size_t argument_count(const Asked& asked) {
  return arguments_of(asked.call).size();
}

Result<double> number_of(const Asked& asked, std::size_t index) {
  const lesson::Expression& part = *arguments_of(asked.call)[index];
  const Result<Value> value = evaluate(asked, part);
  TILESTEP_RETURN_IF_ERROR(value);
  if (!is_countable(*value)) {
    return fail(tr("{} is {}, not a number.", part.source, kind_word(value->kind)));
  }
  return value->number;
}

Result<int> whole_number_of(const Asked& asked, std::size_t index) {
  constexpr double kMost = 1e9;
  const Result<double> number = number_of(asked, index);
  TILESTEP_RETURN_IF_ERROR(number);
  if (*number != std::trunc(*number) || !(std::abs(*number) <= kMost)) {
    return fail(
        tr("{} is {}, not a whole number.", arguments_of(asked.call)[index]->source, *number));
  }
  return static_cast<int>(*number);
}

const std::string& name_of(const Asked& asked, std::size_t index) {
  return arguments_of(asked.call)[index]->text;
}

Result<Spot> spot_of(const Asked& asked) {
  const auto& recorded = asked.run().recording();
  TILESTEP_RETURN_IF_ERROR(recorded);
  const record::Recording& recording = **recorded;
  const simt::Program& program = recording.program();
  Spot spot{recording};
  spot.block = index_or(part_of(asked.call, Kind::Block), asked.at.state.focus.block);
  const lesson::Expression* const warp = part_of(asked.call, Kind::Warp);
  spot.thread = warp != nullptr
                    ? index_or(warp, 0) * program.warp_size()
                    : index_or(part_of(asked.call, Kind::Thread), asked.at.state.focus.thread);
  if (spot.block >= program.block_count()) {
    return fail(tr("There is no block {}: this launch has blocks 0 to {}.", spot.block,
                   program.block_count() - 1));
  }
  if (spot.thread >= program.threads_per_block()) {
    const std::uint32_t last = program.threads_per_block() - 1;
    return fail(warp != nullptr
                    ? tr("There is no warp {}: a block of this launch has threads 0 to {}.",
                         index_or(warp, 0), last)
                    : tr("There is no thread {}: a block of this launch has threads 0 to {}.",
                         spot.thread, last));
  }
  const lesson::Expression* const named = part_of(asked.call, Kind::Place);
  const lesson::Place& place = named == nullptr ? asked.at.place : named->place;
  if (const auto error = lesson::beyond_end(place, recording, spot.block)) {
    return fail(fmt::format("{}: {}", place_text(place), error->message));
  }
  spot.step = lesson::resolve(place, recording, spot.block);
  return spot;
}

record::Activity statement_before(const Spot& spot) {
  if (spot.step == 0) {
    return {};
  }
  const auto starts = spot.recording.statement_starts();
  const std::size_t index = spot.recording.statement_of(spot.step - 1);
  return spot.recording.activity(starts[index], spot.step);
}

Value thread_value(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  Value value;
  value.kind = Value::Kind::Thread;
  value.block = block;
  value.thread = thread;
  const problem::Launch& launch = program.launch();
  value.text = insight::coordinates(program.thread_index(thread), launch);
  value.phrase = program.block_count() == 1
                     ? insight::thread_name(program.thread_index(thread), launch)
                     : insight::thread_of_block(program.thread_index(thread),
                                                program.block_index(block), launch);
  return value;
}

Result<Value> evaluate(const Asked& asked, const lesson::Expression& expression) {
  switch (expression.kind) {
    case Kind::Number:
      return number_value(expression.number);
    case Kind::Text:
      return text_value(expression.text);
    case Kind::Name:
      return name_answer(asked, expression.text);
    case Kind::Cell:
      return cell_literal(asked, expression.text);
    case Kind::Thread:
      return thread_literal(asked, expression.number);
    case Kind::Unary:
    case Kind::Binary:
      return operator_answer(asked, expression);
    case Kind::Call:
      return call_answer({asked.runs, asked.follow, asked.at, expression});
    case Kind::Field:
      return call_answer(
          {asked.runs, asked.follow, asked.at, expression.parts.front(), expression.text});
    case Kind::Place:
    case Kind::Block:
    case Kind::Warp:
    case Kind::Setting:
      break;
  }
  return fail(tr("{} has no meaning by itself.", expression.source));
}

}  // namespace tilestep::course
