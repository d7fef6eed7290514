// Makers of questions about a place in a run: one function per kind, based on what was executed
// there.
#include "course/asked.h"
#include "course/practice.h"
#include "problem/tr.h"
#include "record/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>

namespace tilestep::course {
namespace {

using lesson::QuestionKind;

constexpr std::size_t kAhead = 24;  // statements to the line's next execution

// As lessons write the value of an expression in a text.
std::string filled_in(const std::string& expression) {
  return fmt::format("{{{{ {} }}}}", expression);
}

// Why a thread accesses the answer's element.
TextByLanguage by_index(const Ground& ground, const Picked& picked, const std::string& answer) {
  const std::string values = values_at(ground, picked.statement, picked.block, picked.thread);
  return in_all_languages([&] {
    const std::string by = who(ground, picked.block, picked.thread);
    return values.empty() ? tr("The index that {} computes is that of {}.", by, filled_in(answer))
                          : tr("With {}, the index that {} computes is that of {}.", values, by,
                               filled_in(answer));
  });
}

bool is_load(const record::Access& access) {
  return access.event.kind == simt::AccessKind::Load;
}

std::optional<Draft> which_element_read(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = in_all_languages([&] {
    return tr("Line {} is next. Which element of {} does {} read at this line?", picked->line,
              picked->array, who(ground, picked->block, picked->thread));
  });
  const std::string form = fmt::format("read({}, b{}, t{{}}, {})", picked->array, picked->block,
                                       statement_place(picked->statement + 1));
  draft.answer = fmt::format(fmt::runtime(form), picked->thread);
  draft.right = by_index(ground, *picked, draft.answer);
  add_other_threads(ground, *picked, form, draft);
  if (const auto other = other_time(ground, *picked)) {
    draft.wrong.push_back(
        {fmt::format("read({}, b{}, t{}, {})", picked->array, picked->block, picked->thread,
                     statement_place(*other + 1)),
         in_all_languages(
             [] { return tr("The same line reads it, but in another iteration of the loop."); })});
  }
  return draft;
}

std::optional<Draft> which_element_stored(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access& access) {
    return access.event.kind == simt::AccessKind::Store;
  });
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = in_all_languages([&] {
    return tr("Line {} is next. Which element of {} does {} store?", picked->line, picked->array,
              who(ground, picked->block, picked->thread));
  });
  const std::string form = fmt::format("stored({}, b{}, t{{}})", picked->array, picked->block);
  draft.answer = fmt::format(fmt::runtime(form), picked->thread);
  draft.right = by_index(ground, *picked, draft.answer);
  add_other_threads(ground, *picked, form, draft);
  if (ground.program().block_count() > 1) {
    const std::uint32_t other = picked->block == 0 ? 1 : picked->block - 1;
    draft.wrong.push_back(
        {fmt::format("stored({}, b{}, t{})", picked->array, other, picked->thread),
         in_all_languages([] {
           return tr("The thread with the same index in another block stores that element.");
         })});
  }
  return draft;
}

std::optional<Draft> who_brought_it(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || !picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Thread);
  draft.ask = in_all_languages([&] {
    return tr("The next element that {} reads is {}. Which thread stored the number in it?",
              who(ground, picked->block, picked->thread), picked->element);
  });
  draft.answer = fmt::format("writer({}, b{}, {})", picked->element, picked->block,
                             statement_place(picked->statement));
  draft.right = in_all_languages([&] {
    return tr("Thread {} stored {} last; {} only reads it.", filled_in(draft.answer),
              picked->element, who(ground, picked->block, picked->thread));
  });
  const auto thread = [&](std::uint32_t linear) {
    const problem::Dim3 at = ground.program().thread_index(linear);
    return fmt::format("thread({}, {}, b{})", at.x, at.y, picked->block);
  };
  draft.wrong.push_back({thread(picked->thread), in_all_languages([] {
                           return tr(
                               "That thread reads it. Most of the numbers that a thread uses were "
                               "loaded by other threads.");
                         })});
  lesson::Position at = ground.from;
  at.place = draft.at;
  const auto answer = lesson::parse_expression(draft.answer);
  const auto writer = answer ? ground.answers.of(*answer, at) : fail("");
  if (!writer) {
    return std::nullopt;
  }
  if (const auto other = exchanged(ground, writer->thread)) {
    draft.wrong.push_back({thread(*other), exchange_text()});
  }
  if (const auto other = neighbour(ground, writer->thread)) {
    draft.wrong.push_back({thread(*other), in_all_languages([] {
                             return tr("That thread stored the neighboring element.");
                           })});
  }
  return draft;
}

std::optional<Draft> where_from(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || !picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = in_all_languages([&] {
    return tr("Which element of a matrix does {} of this block hold now?", picked->element);
  });
  draft.answer = fmt::format("source({}, b{}, {})", picked->element, picked->block,
                             statement_place(picked->statement));
  draft.right = in_all_languages([&] {
    return tr("The number that {} holds now was loaded from {}.", picked->element,
              filled_in(draft.answer));
  });
  const std::uint64_t blocks = ground.program().block_count();
  if (blocks > 1) {
    const std::uint32_t other = picked->block == 0 ? 1 : picked->block - 1;
    draft.wrong.push_back({fmt::format("source({}, b{}, {})", picked->element, other,
                                       statement_place(picked->statement)),
                           in_all_languages([] {
                             return tr(
                                 "That is the element that another block holds in the same place.");
                           })});
  }
  for (const auto& phase : ground.recording.phases_of(picked->block)) {
    draft.wrong.push_back(
        {fmt::format("source({}, b{}, step:{})", picked->element, picked->block, phase.last_step),
         in_all_languages(
             [] { return tr("That is the element in the same place in another phase."); })});
    if (draft.wrong.size() > 5) {
      break;
    }
  }
  return draft;
}

// A variable that one statement changes.
struct Changed {
  std::string name;
  std::uint32_t line = 0;
};
std::optional<Changed> changed_in(const Ground& ground, const Moment& moment, std::uint32_t block,
                                  std::uint32_t thread) {
  const auto starts = ground.recording.statement_starts();
  const record::State before = ground.recording.state_at(starts[moment.statement]);
  const record::State after = ground.recording.state_at(starts[moment.statement + 1], before);
  const simt::Program& program = ground.program();
  for (const record::NamedValue& now : after.variables(block, thread)) {
    const auto was = before.variable(block, thread, now.name);
    const std::string text = record::format_value(program, now.value);
    if (now.is_parameter || text.empty() || text.find_first_of("{&–[") != std::string::npos) {
      continue;
    }
    if (!was || record::format_value(program, *was) != text) {
      return Changed{now.name, before.line(block, thread)};
    }
  }
  return std::nullopt;
}

// The statement in which the thread executes that line again.
std::optional<std::size_t> next_time(const Ground& ground, const Moment& moment,
                                     const Changed& changed, std::uint32_t block,
                                     std::uint32_t thread) {
  const auto starts = ground.recording.statement_starts();
  const std::size_t last = std::min(moment.statement + kAhead, statements_of(ground.recording));
  for (std::size_t at = moment.statement + 1; at < last; ++at) {
    if (ground.recording.state_at(starts[at]).line(block, thread) == changed.line) {
      return at;
    }
  }
  return std::nullopt;
}

std::optional<Draft> what_value_next(Ground& ground) {
  for (std::size_t i = 0; i < looks_of(ground); ++i) {
    const auto moment = some_moment(ground);
    if (!moment) {
      return std::nullopt;
    }
    const state::Focus& focus = ground.from.state.focus;
    const auto threads = static_cast<std::size_t>(ground.program().threads_per_block());
    const std::uint32_t block =
        ground.is_here ? focus.block
                       : static_cast<std::uint32_t>(ground.dice.of(ground.program().block_count()));
    const std::uint32_t thread =
        ground.is_here ? focus.thread : static_cast<std::uint32_t>(ground.dice.of(threads));
    const auto changed = changed_in(ground, *moment, block, thread);
    if (!changed || changed->line == 0) {
      continue;
    }
    const std::size_t after = moment->statement + 1;
    const std::string form =
        fmt::format("value({}, b{}, t{{}}, {})", changed->name, block, statement_place(after));
    Picked at{.statement = moment->statement, .block = block, .thread = thread};
    Draft draft = draft_at(at, QuestionKind::Number);
    draft.ask = in_all_languages([&] {
      return tr("Line {} is next. What is the value of {} in {} after this line?", changed->line,
                changed->name, who(ground, block, thread));
    });
    draft.answer = fmt::format(fmt::runtime(form), thread);
    const std::string values = values_at(ground, moment->statement, block, thread);
    draft.right = in_all_languages([&] {
      return values.empty() ? tr("Line {} sets {} to {}.", changed->line, changed->name,
                                 filled_in(draft.answer))
                            : tr("Before line {} there are {}; the line sets {} to {}.",
                                 changed->line, values, changed->name, filled_in(draft.answer));
    });
    draft.wrong.push_back(
        {fmt::format("value({}, b{}, t{}, {})", changed->name, block, thread,
                     statement_place(moment->statement)),
         in_all_languages([] { return tr("That is its value before this line."); })});
    add_other_threads(ground, at, form, draft);
    if (const auto later = next_time(ground, *moment, *changed, block, thread)) {
      draft.wrong.push_back(
          {fmt::format("value({}, b{}, t{}, {})", changed->name, block, thread,
                       statement_place(*later + 1)),
           in_all_languages([] { return tr("That is its value one iteration later."); })});
    }
    return draft;
  }
  return std::nullopt;
}

std::optional<Draft> how_often_loaded(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Number);
  draft.ask = in_all_languages([&] {
    return tr("How many times is {} loaded from global memory in this launch?", picked->element);
  });
  draft.answer = fmt::format("loads({})", picked->element);
  draft.right = in_all_languages([&] {
    return tr("Each execution of a load counts, by every thread of every block: {} in all.",
              filled_in(draft.answer));
  });
  draft.wrong = {
      {"1", in_all_languages(
                [] { return tr("Each block or thread that needs the element loads it itself."); })},
      {fmt::format("products({})", picked->element),
       in_all_languages([] { return tr("That is the number of products that use the element."); })},
      {"blocks()", in_all_languages([] { return tr("Not every block needs the element."); })},
      {"threads()", in_all_languages([] { return tr("Not every thread needs the element."); })}};
  return draft;
}

std::optional<Draft> how_many_passes(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access&) { return true; });
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Number);
  const char* const asked = picked->is_shared ? "passes" : "sectors";
  draft.ask = in_all_languages([&] {
    const std::string by = who(ground, picked->block, picked->thread);
    return picked->is_shared
               ? tr("Line {} is next. How many passes through shared memory does the access to {} "
                    "by the warp of {} take?",
                    picked->line, picked->array, by)
               : tr("Line {} is next. How many sectors does the access to {} by the warp of {} "
                    "use?",
                    picked->line, picked->array, by);
  });
  draft.answer = fmt::format("{}({}, b{}, t{}, {})", asked, picked->array, picked->block,
                             picked->thread, statement_place(picked->statement + 1));
  draft.right = in_all_languages([&] {
    return picked->is_shared
               ? tr("Of the words that the active lanes access, {} are in the bank that has most "
                    "of them: one pass each.",
                    filled_in(draft.answer))
               : tr("The words that the active lanes access are in {} sectors of 32 bytes.",
                    filled_in(draft.answer));
  });
  const std::string active = fmt::format("active(b{}, w{}, {})", picked->block, picked->warp.warp,
                                         statement_place(picked->statement + 1));
  if (picked->is_shared) {
    draft.wrong = {{"1", in_all_languages(
                             [] { return tr("Different words in one bank take one pass each."); })},
                   {active, in_all_languages([] {
                      return tr(
                          "That is one pass per lane. Lanes that access the same word, or words in "
                          "different banks, are served in the same pass.");
                    })}};
  } else {
    draft.wrong = {
        {"1", in_all_languages([] { return tr("A sector is 32 bytes: 8 adjacent words."); })},
        {active, in_all_languages([] {
           return tr(
               "That is one sector per lane. Lanes whose words are in the same sector share "
               "it.");
         })}};
  }
  draft.wrong.push_back(
      {"block(x)", in_all_languages([] { return tr("That is the width of the block."); })});
  return draft;
}

constexpr std::size_t kMostStatements = 20'000;  // searched for lines

// The lines that access each array, in the whole run.
std::map<Touch, TouchedLine> lines_of_run(const Ground& ground) {
  const simt::Program& program = ground.program();
  std::map<Touch, TouchedLine> lines;
  const std::size_t count = std::min(statements_of(ground.recording), kMostStatements);
  for (std::size_t i = 0; i < count; ++i) {
    for (const record::Access& access : activity_of(ground.recording, i).accesses) {
      if (access.event.mask == 0) {
        continue;
      }
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.event.mask));
      const simt::Place at = program.locate_array(access.event.addresses[lane], access.event.bytes);
      if (at.allocation >= program.arrays().size()) {
        continue;
      }
      TouchedLine here{.line = access.line, .statement = i, .block = access.warp.block};
      here.thread = program.thread_of(access.warp, lane);
      TouchedLine& known =
          lines.try_emplace({program.arrays()[at.allocation].name, access.event.kind}, here)
              .first->second;
      known.is_only = known.is_only && known.line == here.line;
    }
  }
  return lines;
}

std::optional<Draft> which_line(Ground& ground) {
  if (!ground.lines) {
    ground.lines = lines_of_run(ground);
  }
  if (ground.lines->size() < 2) {
    return std::nullopt;
  }
  auto chosen = std::next(ground.lines->begin(),
                          static_cast<std::ptrdiff_t>(ground.dice.of(ground.lines->size())));
  const auto& [touch, at] = *chosen;
  if (!at.is_only || touch.kind == simt::AccessKind::Atomic) {
    return std::nullopt;
  }
  const auto line = [](const TouchedLine& there) {
    return fmt::format("line(b{}, t{}, {})", there.block, there.thread,
                       statement_place(there.statement));
  };
  const bool loads = touch.kind == simt::AccessKind::Load;
  Draft draft{.kind = QuestionKind::Line};
  draft.block = at.block;
  draft.thread = at.thread;
  draft.ask = in_all_languages([&] {
    return loads ? tr("Which line reads {}?", touch.array)
                 : tr("Which line stores to {}?", touch.array);
  });
  draft.answer = line(at);
  draft.right = in_all_languages([&] {
    return loads ? tr("Only line {} reads {}.", filled_in(draft.answer), touch.array)
                 : tr("Only line {} stores to {}.", filled_in(draft.answer), touch.array);
  });
  for (const auto& [other, there] : *ground.lines) {
    draft.wrong.push_back({line(there), in_all_languages([&] {
                             return other.kind == simt::AccessKind::Load
                                        ? tr("That line reads {}.", other.array)
                                        : tr("That line stores to {}.", other.array);
                           })});
  }
  return draft;
}

std::optional<Draft> how_many_off(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access&) { return true; });
  if (!picked) {
    return std::nullopt;
  }
  const std::string of = fmt::format("(b{}, w{}, {})", picked->block, picked->warp.warp,
                                     statement_place(picked->statement + 1));
  Draft draft = draft_at(*picked, QuestionKind::Number);
  draft.ask = in_all_languages([&] {
    return tr("Line {} is next. How many lanes of warp {} of this block are active?", picked->line,
              picked->warp.warp);
  });
  draft.answer = "active" + of;
  draft.right = in_all_languages([&] {
    return tr("{} lanes are inactive: they have no thread, or a branch skips the line in them.",
              filled_in("masked" + of));
  });
  draft.wrong = {
      {"masked" + of, in_all_languages([] { return tr("That is the number of inactive lanes."); })},
      {"warp_size", in_all_languages([] {
         return tr("That is the number of lanes of a warp, but not all of them are active.");
       })},
      {"threads()",
       in_all_languages([] { return tr("That is the number of threads in the whole launch."); })}};
  return draft;
}

std::optional<Draft> is_it_a_race(Ground& ground) {
  Draft draft{.kind = QuestionKind::YesNo};
  draft.at = ground.from.place;
  draft.block = ground.from.state.focus.block;
  draft.thread = ground.from.state.focus.thread;
  draft.ask = in_all_languages(
      [] { return tr("Is there a schedule under which this launch has a race?"); });
  const std::string found = "found('shared-memory race') + found('global-memory race')";
  draft.answer = found + " > 0";
  draft.right = in_all_languages([&] {
    return tr(
        "The check of this launch finds {} races: accesses to one element by two threads "
        "without a barrier in between, one of them a store.",
        filled_in(found));
  });
  draft.wrong = {
      {found + " == 0", in_all_languages([] {
         return tr(
             "A race is two accesses to one element by two threads, at least one of them a store, "
             "with no barrier in between. A correct result does not rule out a race.");
       })}};
  return draft;
}

constexpr std::array kMakers = std::to_array<Maker>({{"reads", which_element_read},
                                                     {"stores", which_element_stored},
                                                     {"brought", who_brought_it},
                                                     {"from", where_from},
                                                     {"value", what_value_next},
                                                     {"loads", how_often_loaded},
                                                     {"passes", how_many_passes},
                                                     {"line", which_line},
                                                     {"lanes", how_many_off},
                                                     {"race", is_it_a_race}});

}  // namespace

std::span<const Maker> makers() {
  return kMakers;
}

}  // namespace tilestep::course
