#include "course/asked.h"

#include "insight/names.h"
#include "lesson/place.h"
#include "lesson/words.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

bool is_positional(const lesson::Expression& part) {
  return part.kind != Kind::Block && part.kind != Kind::Thread && part.kind != Kind::Warp &&
         part.kind != Kind::Place && part.kind != Kind::Setting;
}

const lesson::Expression* part_of(const lesson::Expression& call, Kind kind) {
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

std::string place_text(const lesson::Place& place) {
  const std::string_view word = word_of(place.kind).file;
  const bool has_number =
      place.kind != lesson::Place::Kind::Start && place.kind != lesson::Place::Kind::End;
  return has_number ? fmt::format("{}:{}", word, place.number) : std::string(word);
}

}  // namespace

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
  if (!value) {
    return tl::unexpected(value.error());
  }
  if (!is_countable(*value)) {
    return fail(tr("{} is {}, not a number.", part.source, kind_word(value->kind)));
  }
  return value->number;
}

Result<int> whole_number_of(const Asked& asked, std::size_t index) {
  constexpr double kMost = 1e9;
  const Result<double> number = number_of(asked, index);
  if (!number) {
    return tl::unexpected(number.error());
  }
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
  if (!recorded) {
    return tl::unexpected(recorded.error());
  }
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
  value.told = program.block_count() == 1
                   ? insight::thread_name(program.thread_index(thread), launch)
                   : insight::thread_of_block(program.thread_index(thread),
                                              program.block_index(block), launch);
  return value;
}

}  // namespace tilestep::course
