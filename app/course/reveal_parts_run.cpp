// Numbers of the run: the same variable of another thread or at another place, and whatever else
// holds the number at the question's place.
#include "course/asked.h"
#include "course/reveal_parts.h"
#include "insight/events/thread_expression.h"
#include "problem/tr.h"
#include "record/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::course {
namespace {

constexpr std::size_t kMostHeldCells = 1024;      // of one array
constexpr std::uint32_t kMostHeldThreads = 1024;  // of a block
constexpr std::uint32_t kMostHeldBlocks = 64;
constexpr std::size_t kMostHeldStatements = 1000;  // of the run

bool is_it(std::optional<double> value, double given) {
  return value && are_same(number_value(*value), number_value(given));
}

// What an expression of a thread's holds; nullopt: nothing.
std::optional<double> held(const Quest& quest, const record::State& state, const std::string& what,
                           std::uint32_t block, std::uint32_t thread) {
  auto expression = insight::ThreadExpression::parse(what);
  if (!expression || expression->mistake(quest.program())) {
    return std::nullopt;
  }
  const auto value = expression->evaluate(*quest.recording, state, block, thread);
  return value && *value && std::isfinite(**value) ? *value : std::nullopt;
}

// The same variable of another thread: of this block first, then the same thread of other blocks,
// then any.
std::optional<std::string> of_another_thread(const Quest& quest, const record::State& state,
                                             double given) {
  const std::string what = quest.subject();
  const std::uint32_t threads = std::min(quest.program().threads_per_block(), kMostHeldThreads);
  const std::uint32_t blocks = std::min(quest.program().block_count(), kMostHeldBlocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::uint32_t block = (quest.block + i) % blocks;
    for (std::uint32_t j = 0; j < threads; ++j) {
      const std::uint32_t thread = (quest.thread + j) % threads;
      if (is_it(held(quest, state, what, block, thread), given)) {
        return tr("{} of {}", what, thread_words(quest, block, thread));
      }
    }
  }
  return std::nullopt;
}

// The same variable of the same thread, or the same cell, somewhere else in the run: between phases
// first, then between statements.
std::optional<std::string> at_another_place(const Quest& quest, double given) {
  const std::string what = quest.subject();
  const auto phases = quest.recording->phases_of(quest.block);
  const bool is_cell = quest.name() == "cell";
  const std::string who =
      is_cell ? what : tr("{} of {}", what, thread_words(quest, quest.block, quest.thread));
  const auto is_at = [&](std::uint64_t step) {
    return step != quest.step &&
           is_it(held(quest, quest.recording->state_at(step), what, quest.block, quest.thread),
                 given);
  };
  for (std::size_t phase = 0; phase <= phases.size(); ++phase) {
    if (is_at(phase < phases.size() ? phases[phase].first_step : quest.recording->step_count())) {
      return at_phase(quest, who, quest.block, phase);
    }
  }
  const auto starts = quest.recording->statement_starts();
  for (std::size_t i = 0; i < std::min(starts.size(), kMostHeldStatements); ++i) {
    if (is_at(starts[i])) {
      return tr("{} after statement {}", who, i);
    }
  }
  return std::nullopt;
}

// Another variable of the thread.
std::optional<std::string> another_variable(const Quest& quest, const record::State& state,
                                            double given) {
  for (const record::NamedValue& variable : state.variables(quest.block, quest.thread)) {
    if (is_it(held(quest, state, variable.name, quest.block, quest.thread), given)) {
      return tr("{} of {}", variable.name, thread_words(quest, quest.block, quest.thread));
    }
  }
  return std::nullopt;
}

// An element of an array: of the one that is asked about first.
std::optional<std::string> a_cell(const Quest& quest, const record::State& state, double given) {
  const auto arrays = quest.program().arrays();
  const std::string asked = quest.subject().substr(0, quest.subject().find('['));
  const auto in = [&](const simt::Array& array) -> std::optional<std::string> {
    for (const std::string& cell : some_cells(quest.program(), array, kMostHeldCells)) {
      if (is_it(held(quest, state, cell, quest.block, quest.thread), given)) {
        return cell;
      }
    }
    return std::nullopt;
  };
  for (const bool is_first : {true, false}) {
    for (const simt::Array& array : arrays) {
      const auto found = (array.name == asked) == is_first ? in(array) : std::nullopt;
      if (found) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> number_in_run(const Quest& quest, double given) {
  const bool is_value = quest.core.call != nullptr && quest.name() == "value";
  const bool is_cell = quest.core.call != nullptr && quest.name() == "cell";
  if (quest.recording == nullptr || quest.core.is_elsewhere || !(is_value || is_cell)) {
    return std::nullopt;
  }
  const record::State state = quest.recording->state_at(quest.step);
  std::optional<std::string> found =
      is_value ? of_another_thread(quest, state, given) : a_cell(quest, state, given);
  found = found ? found : at_another_place(quest, given);
  found = found || is_cell ? found : a_cell(quest, state, given);
  found = found ? found : another_variable(quest, state, given);
  return found ? std::optional(tr("{} is {}.", text_of(number_value(given)), *found))
               : std::nullopt;
}

}  // namespace tilestep::course
